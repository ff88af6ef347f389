/**
 * Goes on with a dialogue in which models of other vendors took part. A native body passes as it is; where the vendor
 * refuses it, it may be for what they have left there, such as thoughts that only they can read. Vendors say so in
 * words of their own, so none is looked for: what is not theirs is taken out, and the rest is sent once more.
 * A request that is of another format than its path says, or that the vendor wants in another, is translated then.
 *
 * So is what was written for another model, where the one that is asked in its place refuses it: models of one vendor are
 * told to think in different ways, and not all take a temperature (Claude Code has Claude think `adaptive`, which is
 * refused by those before 4.6).
 *
 * So does a dialogue in which half a surrogate pair stands, as clients leave it who shorten a text by its UTF-16 units:
 * "The request body is not valid JSON: no low surrogate in string" (Anthropic), "lone leading surrogate in hex escape"
 * (Cerebras), and so with every further turn.
 *
 * So does a dialogue whose thoughts the vendor no longer takes: where they are bound to all that stood before them,
 * clients of other formats and their translation have changed some of that; where they are encrypted for an account,
 * another one may be asked now.
 *
 * So does one for a stream where OpenAI gives none to the gateway's account: it is asked for the answer whole, which the
 * caller then has as a stream that comes late, and not at all otherwise.
 *
 * So does a request that thinking is wanted for, as for all of Claude Code's, of a model that does not think, and one that
 * none is wanted for, as those it makes beside its dialogue, of a model that cannot but think: of a router's models, and
 * those on one's own machine, nobody says which do.
 */

import { tryParseExact } from '../../conversation/rules/arguments.ts';
import { formats } from '../../formats/formats.ts';
import type { GatewayError } from '../../lib/errors.ts';
import { isObject, type JsonObject, wellFormed } from '../../lib/json.ts';
import { translatedFormat } from '../../upstream/vendor.ts';
import { inboundFor } from '../caller-format.ts';
import type { Replied, Routed } from '../exchange.ts';
import { scanned } from '../scanned.ts';
import { dialectOf, isNative } from '../translate-request.ts';
import type { LearnedPreferences } from './learned-preferences.ts';

/** With which a vendor says that it does not take what it was sent. OpenAI looks for thoughts it does not know: 404. */
const REFUSALS = new Set([400, 404, 422]);

/**
 * The request as it is to be sent once more; undefined where there is no use in it.
 * @param wanted remembers what the vendor wants otherwise.
 * @param told what came of it as it was: an answer of the vendor's own, where it is native and was refused.
 */
export function repaired(
  routed: Routed,
  told: GatewayError | Replied,
  wanted: LearnedPreferences,
): Routed | undefined {
  if (told instanceof Error) return repairedTranslation(routed, told, wanted);
  if (!REFUSALS.has(told.status)) return undefined;
  const { upstreamFormat: spoken, vendor, model } = routed;
  const text = routed.body.toString('utf8');
  const request = tryParseExact(text);
  if (!isObject(request)) return undefined;
  const anew = translatable(routed, request, told, wanted);
  if (anew !== undefined) return anew;
  const own = formats[spoken].outbound.stripForeignContent?.(request, dialectOf(vendor, model), told.refusal);
  if (own === undefined && !mayHoldHalves(text)) return forAnother(routed);
  const said = JSON.stringify(own ?? request);
  const whole = wellFormed(said);
  if (own === undefined && whole === said) return forAnother(routed);
  return { ...routed, ...scanned(Buffer.from(whole)) };
}

/** The request as this model takes it, where it was written for another. */
function forAnother(routed: Routed): Routed | undefined {
  return routed.isFallback && isNative(routed) ? { ...routed, mustTranslate: true } : undefined;
}

/** Whether halves of surrogate pairs may be written in JSON text. */
function mayHoldHalves(text: string): boolean {
  return /\\u[dD][89a-fA-F]/.test(text);
}

/** The request as one to be translated, where it is not in the vendor's own format, or one that the vendor wants in another. */
function translatable(
  routed: Routed,
  request: JsonObject,
  { refusal }: Replied,
  wanted: LearnedPreferences,
): Routed | undefined {
  const { route, upstreamFormat: spoken, vendor, model } = routed;
  const { outbound, inbound } = formats[spoken];
  if (refusal !== undefined && !routed.wantsWholeAnswer && outbound.refusesStreams?.(refusal)) {
    wanted.rememberWhole(routed);
    return { ...routed, mustTranslate: true, wantsWholeAnswer: true };
  }
  const format = refusal && outbound.formatDemanded?.(refusal);
  if (refusal !== undefined && format !== undefined && vendor.formats.includes(format)) {
    wanted.remember(routed, format, refusal);
    return { ...routed, mustTranslate: true, upstreamFormat: format };
  }
  if (inboundFor(route.format, request) === inbound) return undefined;
  return { ...routed, mustTranslate: true, upstreamFormat: translatedFormat(vendor, model) };
}

/** A translated request for a whole answer, without what was thought, or with another word on thinking, where that was refused. */
function repairedTranslation(
  routed: Routed,
  error: GatewayError,
  wanted: LearnedPreferences,
): Routed | undefined {
  const { upstreamFormat: spoken, dropsThoughts: forgets } = routed;
  if (isNative(routed)) return undefined;
  const { refusesStreams, refusesThoughts, thinkingObserved: thinkingTold } = formats[spoken].outbound;
  if (!routed.wantsWholeAnswer && refusesStreams?.(error)) {
    wanted.rememberWhole(routed);
    return { ...routed, wantsWholeAnswer: true };
  }
  if (!forgets && refusesThoughts?.(error)) return { ...routed, dropsThoughts: true };
  const thinks = routed.thinkingObserved === undefined ? thinkingTold?.(error) : undefined;
  if (thinks === undefined) return undefined;
  wanted.rememberThinking(routed, thinks);
  return { ...routed, thinkingObserved: thinks };
}
