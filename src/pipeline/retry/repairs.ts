/**
 * Repairs a request that a vendor has refused, so that it can be sent once more. These are the cases:
 *
 * - A native conversation in which models of other vendors took part. The refusal may be for what they left there,
 *   such as reasoning that only they can read. Vendors word this differently, so no wording is looked for: everything
 *   foreign is removed.
 * - A request in another format than its path says, or that the vendor wants in another format. It is translated.
 * - A fallback's body, which was written for another model. It is translated too: models of one vendor take different
 *   reasoning settings, and not all take a temperature (Claude Code has Claude think `adaptive`, which models before
 *   4.6 refuse).
 * - A conversation with half a surrogate pair, as clients leave it that cut a text by its UTF-16 units: "The request
 *   body is not valid JSON: no low surrogate in string" (Anthropic), "lone leading surrogate in hex escape" (Cerebras).
 *   Without a repair every further turn fails as well.
 * - A conversation whose reasoning the vendor no longer accepts. Some reasoning is bound to all that precedes it, and
 *   clients of other formats, and their translation, have changed some of that; some is encrypted for an account, and
 *   another account may be asked now. The reasoning is left out.
 * - A request for a stream that OpenAI does not give to the gateway's account. It is sent as a non-streaming request,
 *   and the caller gets the answer as a stream that comes late, which is better than none.
 * - A request that sets reasoning, as all of Claude Code's do, for a model that does not reason; or one that turns
 *   reasoning off, as Claude Code's side requests do, for a model that always reasons. For a router's models, and those
 *   on one's own machine, nothing says beforehand which do.
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

/**
 * The statuses with which a vendor refuses the content of a request. OpenAI answers 404 for reasoning that it does not
 * know.
 */
const REFUSALS = new Set([400, 404, 422]);

/**
 * Repairs a request that was refused.
 * @param preferences remembers what the vendor wants differently.
 * @param outcome the outcome of the request: the vendor's own answer if it was native and was refused.
 * @returns the request to send once more, or undefined if there is nothing to repair.
 */
export function repaired(
  routed: Routed,
  outcome: GatewayError | Replied,
  preferences: LearnedPreferences,
): Routed | undefined {
  if (outcome instanceof Error) return repairedTranslation(routed, outcome, preferences);
  if (!REFUSALS.has(outcome.status)) return undefined;
  const { upstreamFormat, vendor, model } = routed;
  const text = routed.body.toString('utf8');
  const request = tryParseExact(text);
  if (!isObject(request)) return undefined;
  const translation = translatable(routed, request, outcome, preferences);
  if (translation !== undefined) return translation;
  const own = formats[upstreamFormat].outbound.stripForeignContent?.(
    request,
    dialectOf(vendor, model),
    outcome.refusal,
  );
  if (own === undefined && !mayHoldHalves(text)) return forAnother(routed);
  const said = JSON.stringify(own ?? request);
  const whole = wellFormed(said);
  if (own === undefined && whole === said) return forAnother(routed);
  return { ...routed, ...scanned(Buffer.from(whole)) };
}

/** Translates a native request that was written for another model; undefined for any other. */
function forAnother(routed: Routed): Routed | undefined {
  return routed.isFallback && isNative(routed) ? { ...routed, mustTranslate: true } : undefined;
}

/** Whether JSON text may contain halves of surrogate pairs. */
function mayHoldHalves(text: string): boolean {
  return /\\u[dD][89a-fA-F]/.test(text);
}

/**
 * Translates a request that is not in the vendor's format, or that the vendor wants in another one or without
 * streaming; undefined for any other.
 */
function translatable(
  routed: Routed,
  request: JsonObject,
  { refusal }: Replied,
  preferences: LearnedPreferences,
): Routed | undefined {
  const { route, upstreamFormat, vendor, model } = routed;
  const { outbound, inbound } = formats[upstreamFormat];
  if (refusal !== undefined && !routed.wantsWholeAnswer && outbound.refusesStreams?.(refusal)) {
    preferences.rememberWhole(routed);
    return { ...routed, mustTranslate: true, wantsWholeAnswer: true };
  }
  const format = refusal && outbound.formatDemanded?.(refusal);
  if (refusal !== undefined && format !== undefined && vendor.formats.includes(format)) {
    preferences.remember(routed, format, refusal);
    return { ...routed, mustTranslate: true, upstreamFormat: format };
  }
  if (inboundFor(route.format, request) === inbound) return undefined;
  return { ...routed, mustTranslate: true, upstreamFormat: translatedFormat(vendor, model) };
}

/**
 * Repairs a translated request: as a non-streaming one, without the reasoning of earlier turns, or with another
 * reasoning setting, whichever of them was refused.
 */
function repairedTranslation(
  routed: Routed,
  error: GatewayError,
  preferences: LearnedPreferences,
): Routed | undefined {
  const { upstreamFormat, dropsThoughts } = routed;
  if (isNative(routed)) return undefined;
  const { refusesStreams, refusesThoughts, thinkingObserved } = formats[upstreamFormat].outbound;
  if (!routed.wantsWholeAnswer && refusesStreams?.(error)) {
    preferences.rememberWhole(routed);
    return { ...routed, wantsWholeAnswer: true };
  }
  if (!dropsThoughts && refusesThoughts?.(error)) return { ...routed, dropsThoughts: true };
  const thinks = routed.thinkingObserved === undefined ? thinkingObserved?.(error) : undefined;
  if (thinks === undefined) return undefined;
  preferences.rememberThinking(routed, thinks);
  return { ...routed, thinkingObserved: thinks };
}
