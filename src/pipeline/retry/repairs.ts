/**
 * Repairs of a request that a vendor has refused, so that it can be sent once more. One table for all formats, for native
 * requests and translated ones; `retry.ts` runs it. The first repair that fits is made, and after two of them only the
 * last one, which needs no hint: the strictest form of the request.
 */

import { STRICTEST } from '../../conversation/rules/avoidance.ts';
import { foreignContentStrippers } from '../../formats/foreign-content.ts';
import { formats } from '../../formats/formats.ts';
import { wellFormed } from '../../lib/well-formed.ts';
import { inboundFor } from '../../translate/caller-format.ts';
import { translatedFormat } from '../../translate/vendor-format.ts';
import { scanned } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';
import { findDialect } from '../model/collect-traits.ts';
import { parsePrompt } from '../request/parse-prompt.ts';
import { isNative } from '../request/request-kind.ts';
import { avoidNamed, avoidRecognized, supplyThoughts } from './avoid.ts';
import { askWhole } from './lessons.ts';
import { dropRefusedFields } from './optional-fields.ts';
import { hasAnswers, type Refused } from './refusal.ts';
import { isAboutSettings, namesField } from './refused-words.ts';
import type { Repair, Repaired } from './repair.ts';

/** The statuses of a refusal that may be about anything in the request. */
const UNEXPLAINED = new Set([400, 422]);

const REPAIRS: readonly Repair[] = [
  avoidStream,
  changeFormat,
  translateForeignRequest,
  dropRefusedFields,
  supplyThoughts,
  stripForeignContent,
  mendSurrogates,
  avoidRecognized,
  avoidNamed,
  translateForFallback,
];

/**
 * Repairs a request that was refused.
 * @param isLast whether only the strictest form is left to try.
 * @returns the request to send once more; undefined if there is nothing to repair.
 */
export function repair(refused: Refused, isLast: boolean): Repaired | undefined {
  const repairs = isLast ? [sendStrictest] : [...REPAIRS, sendStrictest];
  for (const attempt of repairs) {
    const made = attempt(refused);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** A vendor that does not stream this answer to the gateway's account gives it whole. */
function avoidStream({ routed, recognized }: Refused): Repaired | undefined {
  if (recognized?.kind !== 'whole' || routed.wantsWholeAnswer) return undefined;
  return { routed: askWhole(routed), names: ['whole-answer'], lesson: { wantsWholeAnswer: true } };
}

/** A vendor with several formats may want such a request in another one. */
function changeFormat({ routed, error, recognized }: Refused): Repaired | undefined {
  if (recognized?.kind !== 'format' || !isNative(routed)) return undefined;
  const { format, field } = recognized;
  if (!routed.vendor.formats.includes(format)) return undefined;
  return {
    routed: { ...routed, mustTranslate: true, upstreamFormat: format },
    names: ['other-format'],
    lesson: { format: { wanted: format, param: field ?? error.param } },
  };
}

/** A request in another format than its path says is translated. */
function translateForeignRequest({ routed, body }: Refused): Repaired | undefined {
  if (!isNative(routed)) return undefined;
  const request = body();
  if (request === undefined) return undefined;
  const { route, upstreamFormat, vendor, model } = routed;
  if (inboundFor(route.format, request) === formats[upstreamFormat].inbound) return undefined;
  return {
    routed: { ...routed, mustTranslate: true, upstreamFormat: translatedFormat(vendor, model) },
    names: ['other-format'],
  };
}

/**
 * A native dialogue in which models of other vendors took part. The refusal may be for what they left there, such as
 * reasoning that only they can read. Vendors word this differently, so no wording is looked for: everything foreign is
 * removed, and what a format does not strip from its bytes it leaves out when it renders the dialogue.
 */
function stripForeignContent({ routed, error, body, changes }: Refused): Repaired | undefined {
  if (!isNative(routed) || routed.route.operation === 'compact') return undefined;
  const { upstreamFormat, vendor, model } = routed;
  const request = body();
  if (request === undefined) return undefined;
  const own = foreignContentStrippers[upstreamFormat](request, findDialect(vendor, model), error);
  if (own === undefined) return undefined;
  const other = { ...routed, ...scanned(Buffer.from(wellFormed(JSON.stringify(own)))) };
  return changes(other) ? { routed: other, names: ['foreign-content'] } : undefined;
}

/**
 * Half a surrogate pair, which clients leave that cut a text between its UTF-16 units: "The request body is not valid
 * JSON: no low surrogate in string" (Anthropic), "lone leading surrogate in hex escape" (Cerebras).
 */
function mendSurrogates({ routed, body }: Refused): Repaired | undefined {
  if (!isNative(routed)) return undefined;
  if (!/\\u[dD][89a-fA-F]/.test(routed.body.toString('latin1'))) return undefined;
  const request = body();
  if (request === undefined) return undefined;
  const said = JSON.stringify(request);
  const whole = wellFormed(said);
  return whole === said
    ? undefined
    : { routed: { ...routed, ...scanned(Buffer.from(whole)) }, names: ['surrogates'] };
}

/**
 * A fallback's body was written for another model. It is translated: models of one vendor take different settings of
 * reasoning, and not all take a temperature (Claude Code has Claude think `adaptive`, which models before 4.6 refuse).
 */
function translateForFallback({ routed }: Refused): Repaired | undefined {
  if (!routed.isFallback || !isNative(routed)) return undefined;
  return { routed: { ...routed, mustTranslate: true }, names: ['translation'] };
}

/**
 * The strictest form, tried once for a refusal that nothing else explains. A native request without a dialogue stays
 * what it is: only its caller's own words can be at fault.
 */
function sendStrictest(refused: Refused): Repaired | undefined {
  const { routed, error, status, changes } = refused;
  if (!UNEXPLAINED.has(status) || isAboutSettings(error) || routed.route.operation === 'compact')
    return undefined;
  if (error.fault !== 'invalid-request' && error.fault !== 'unprocessable') return undefined;
  if (isNative(routed) && !hasAnswers(refused)) return undefined;
  if (isOfUnknownField(refused)) return undefined;
  const avoids = new Set([...(routed.avoids ?? []), ...STRICTEST]);
  const other: Routed = { ...routed, avoids, ...(isNative(routed) && { mustTranslate: true }) };
  return changes(other) ? { routed: other, names: ['strictest-form'], isGuess: true } : undefined;
}

/**
 * Whether the vendor refuses a field that the gateway does not know either, such as a misspelt one. It was passed on so
 * that the vendor answers it. A fallback is excepted, since its caller did not write for it.
 */
function isOfUnknownField({ routed, error }: Refused): boolean {
  if (isNative(routed) || routed.isFallback) return false;
  return namesField(error, Object.keys(parsePrompt(routed).prompt.unknownFields ?? {}));
}
