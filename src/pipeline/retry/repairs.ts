/**
 * Repairs of a request that a vendor has refused, so that it can be sent once more. One table for all formats, for native
 * requests and translated ones; `retry.ts` runs it. The first repair that fits is made, and after two of them only the
 * last one, which needs no hint: the strictest form of the request.
 */

import type { FormatName } from '../../conversation/prompt.ts';
import { tryParseExact } from '../../conversation/rules/arguments.ts';
import { type Avoidance, STRICTEST } from '../../conversation/rules/avoidance.ts';
import { formats } from '../../formats/formats.ts';
import type { RecognizedRefusal } from '../../formats/outbound.ts';
import { type Fault, GatewayError } from '../../lib/errors.ts';
import { asObjects, isObject, type Json, type JsonObject, wellFormed } from '../../lib/json.ts';
import { betasOf } from '../../upstream/headers.ts';
import { translatedFormat } from '../../upstream/vendor.ts';
import { inboundFor } from '../caller-format.ts';
import type { Prepared, Replied, Routed } from '../exchange.ts';
import { scanned } from '../scanned.ts';
import { dialectOf, isNative } from '../translate-request.ts';
import { findSubjects, isAboutContent, isAboutSettings, isOfThisDialogue } from './refused-words.ts';

/** A request that was sent, and the refusal that it met. */
export interface Refused {
  readonly routed: Routed;
  readonly error: GatewayError;
  /** The HTTP status that the vendor gave it: its own, or the one that an error inside a 200 amounts to. */
  readonly status: number;
  /** The names of the repairs that this request has had already. */
  readonly earlier: readonly string[];
  /** What the error is known to be about; undefined for any other. */
  readonly recognized: RecognizedRefusal | undefined;
  /**
   * Whether another form of the request differs from what was sent. It prepares that form, which is as dear as the request.
   */
  changes(other: Routed): boolean;
}

/** A request in another form. */
export interface Repaired {
  readonly routed: Routed;
  /** The names of what was done, for the log and the metrics. */
  readonly names: readonly string[];
  /** What later requests of the model are spared if this one is answered. Absent: nothing. */
  readonly lesson?: Lesson;
  /** Set if the refusal did not say that this is what it is about. */
  readonly isGuess?: true;
  /** Set if the refusal said it plainly: the lesson is learned at once, of the upstream that refused, and changes the request. */
  readonly isCertain?: true;
}

/** What a vendor has been found to refuse of a model's requests. */
export interface Lesson {
  readonly avoids?: ReadonlySet<Avoidance>;
  readonly refusedFields?: ReadonlySet<string>;
  readonly wantsWholeAnswer?: true;
  /** The format that the vendor wants such a request in, and the field that made the difference. */
  readonly format?: { readonly wanted: Routed['upstreamFormat']; readonly param: string | undefined };
}

/** One way to mend a request; undefined if it does not fit the refusal, or would change nothing. */
type Repair = (refused: Refused) => Repaired | undefined;

/** The statuses with which a vendor refuses a request's content. OpenAI answers 404 for reasoning that it does not know. */
const REFUSALS = new Set([400, 404, 422]);

/** What such a status may mean; not a key, an account or a prompt that is too long. */
const REPAIRABLE: ReadonlySet<Fault> = new Set<Fault>([
  'invalid-request',
  'unprocessable',
  'not-found',
  'model-not-found',
]);

/** The statuses of a refusal that may be about anything in the request. */
const UNSAID = new Set([400, 422]);

const REPAIRS: readonly Repair[] = [
  askWhole,
  changeFormat,
  translateForeignRequest,
  dropRefusedFields,
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
  const { error, status } = refused;
  if (!REFUSALS.has(status) || !REPAIRABLE.has(error.fault) || isAboutContent(error)) return undefined;
  const repairs = isLast ? [sendStrictest] : [...REPAIRS, sendStrictest];
  for (const attempt of repairs) {
    const made = attempt(refused);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** A vendor that does not stream this answer to the gateway's account gives it whole. The caller gets a stream that comes late. */
function askWhole({ routed, recognized }: Refused): Repaired | undefined {
  if (recognized?.kind !== 'whole' || routed.wantsWholeAnswer) return undefined;
  const other: Routed = {
    ...routed,
    wantsWholeAnswer: true,
    ...(isNative(routed) && { mustTranslate: true }),
  };
  return { routed: other, names: ['whole-answer'], lesson: { wantsWholeAnswer: true } };
}

/** A vendor with several formats may want such a request in another one. */
function changeFormat({ routed, error, recognized }: Refused): Repaired | undefined {
  if (recognized?.kind !== 'format' || !isNative(routed)) return undefined;
  const { format } = recognized;
  if (!routed.vendor.formats.includes(format)) return undefined;
  return {
    routed: { ...routed, mustTranslate: true, upstreamFormat: format },
    names: ['other-format'],
    lesson: { format: { wanted: format, param: error.param } },
  };
}

/** A request in another format than its path says is translated. */
function translateForeignRequest({ routed }: Refused): Repaired | undefined {
  if (!isNative(routed)) return undefined;
  const request = bodyOf(routed);
  if (request === undefined) return undefined;
  const { route, upstreamFormat, vendor, model } = routed;
  if (inboundFor(route.format, request) === formats[upstreamFormat].inbound) return undefined;
  return {
    routed: { ...routed, mustTranslate: true, upstreamFormat: translatedFormat(vendor, model) },
    names: ['other-format'],
  };
}

/**
 * Fields that only the vendor of these models supports, although no answer depends on them: clients take every address
 * for that vendor's own, and send them everywhere. A service names one at a time, so a second refusal is for all of them.
 */
function dropRefusedFields({ routed, error, earlier }: Refused): Repaired | undefined {
  const { vendor, upstreamFormat, message, refusedFields: known = new Set<string>() } = routed;
  const { optionalFields, serviceTraits } = formats[upstreamFormat].outbound;
  // The format's own vendor refuses only what the caller got wrong.
  if (optionalFields === undefined || serviceTraits?.(vendor).isReference === true) return undefined;
  if (!isNative(routed)) return undefined;
  const named = optionalFields.refusedIn(error, betasOf(message.headers)).filter((name) => !known.has(name));
  if (named.length === 0) return undefined;
  const refusedFields = new Set([
    ...known,
    ...named,
    ...(earlier.includes(OPTIONAL_FIELDS) ? optionalFields.names : []),
  ]);
  return { routed, names: [OPTIONAL_FIELDS], lesson: { refusedFields }, isCertain: true };
}

const OPTIONAL_FIELDS = 'without-optional-fields';

/** A native request without optional fields. */
export function withoutFields(routed: Routed, refusedFields: ReadonlySet<string>): Routed {
  const { body, upstreamFormat } = routed;
  const { optionalFields } = formats[upstreamFormat].outbound;
  const left = { ...routed, refusedFields };
  // Most requests have none of them, and a long conversation takes a while to parse.
  if (![...refusedFields].some((name) => body.includes(`"${name}"`))) return left;
  const request = bodyOf(routed);
  if (optionalFields === undefined || request === undefined) return left;
  const without = optionalFields.without(request, refusedFields);
  return without === request ? left : { ...left, ...scanned(Buffer.from(JSON.stringify(without))) };
}

/** What the format knows this refusal to be about. */
function avoidRecognized(refused: Refused): Repaired | undefined {
  const { recognized } = refused;
  return recognized?.kind === 'avoid' ? avoid(refused, [recognized.avoidance]) : undefined;
}

/**
 * A native dialogue in which models of other vendors took part. The refusal may be for what they left there, such as
 * reasoning that only they can read. Vendors word this differently, so no wording is looked for: everything foreign is
 * removed, and what a format does not strip from its bytes it leaves out when it renders the dialogue.
 */
function stripForeignContent({ routed, error, changes }: Refused): Repaired | undefined {
  if (!isNative(routed) || routed.route.operation !== 'generate') return undefined;
  const { upstreamFormat, vendor, model } = routed;
  const { stripForeignContent: strip } = formats[upstreamFormat].outbound;
  const request = bodyOf(routed);
  if (request === undefined) return undefined;
  const own = strip?.(request, dialectOf(vendor, model), error);
  if (own === undefined) return undefined;
  const other = { ...routed, ...scanned(Buffer.from(wellFormed(JSON.stringify(own)))) };
  return changes(other) ? { routed: other, names: ['foreign-content'] } : undefined;
}

/**
 * Half a surrogate pair, as clients leave it that cut a text by its UTF-16 units: "The request body is not valid JSON: no
 * low surrogate in string" (Anthropic), "lone leading surrogate in hex escape" (Cerebras).
 */
function mendSurrogates({ routed }: Refused): Repaired | undefined {
  if (!isNative(routed)) return undefined;
  if (!/\\u[dD][89a-fA-F]/.test(routed.body.toString('latin1'))) return undefined;
  const request = bodyOf(routed);
  if (request === undefined) return undefined;
  const said = JSON.stringify(request);
  const whole = wellFormed(said);
  return whole === said
    ? undefined
    : { routed: { ...routed, ...scanned(Buffer.from(whole)) }, names: ['surrogates'] };
}

/** What the refusal names, or else touches on. */
function avoidNamed(refused: Refused): Repaired | undefined {
  const { named, touched } = findSubjects(refused.error);
  if (isAboutSettings(refused.error))
    return named.includes('limit-name') ? avoid(refused, ['limit-name']) : undefined;
  return avoid(refused, named) ?? avoid(refused, touched);
}

/**
 * Avoids what would change the request. A native request is translated for it if it is a dialogue and the refusal is about
 * that. Its settings are the caller's own: the format's own vendor has the last word on them, but at other services
 * clients send what they send to that vendor.
 */
function avoid(refused: Refused, avoidances: readonly Avoidance[]): Repaired | undefined {
  const { routed, error, recognized, changes } = refused;
  const native = isNative(routed);
  const known = routed.avoids ?? new Set<Avoidance>();
  const isDialogue = hasAnswers(routed);
  const withAll = (names: readonly Avoidance[]): Routed => ({
    ...routed,
    avoids: new Set([...known, ...names]),
    ...(native && names.some((name) => name !== 'stream-options') && { mustTranslate: true }),
  });
  const isAllowed = (name: Avoidance): boolean => {
    if (!native || name === 'stream-options') return true;
    return isOfDialogue(name) ? isDialogue : !isReference(routed) && name === 'thinking-setting';
  };
  const changing = avoidances.filter(
    (name) => !known.has(name) && isAllowed(name) && changes(withAll([name])),
  );
  if (changing.length === 0) return undefined;
  const isUnread = recognized !== undefined || isOfThisDialogue(error);
  const learned = changing.filter(
    (name) => !(native && isOfDialogue(name)) && !(isUnread && name === 'thoughts'),
  );
  return {
    routed: withAll(changing),
    names: changing.map((name) => `without-${name}`),
    ...(learned.length > 0 && { lesson: { avoids: new Set(learned) } }),
  };
}

/** The dialects of the vendors whose formats these are. */
const OWN_DIALECTS: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': ['openai', 'azure'],
  responses: ['openai', 'azure'],
  messages: ['anthropic'],
  'generate-content': ['google', 'vertex'],
};

/** Whether a request goes to the vendor whose format it is in. */
function isReference({ upstreamFormat, vendor, model }: Routed): boolean {
  return OWN_DIALECTS[upstreamFormat].includes(dialectOf(vendor, model));
}

const OF_DIALOGUE: ReadonlySet<Avoidance> = new Set<Avoidance>([
  'thoughts',
  'calls-without-thoughts',
  'user-after-tool',
  'late-system',
  'unusual-call-ids',
  'loose-turns',
]);

function isOfDialogue(avoidance: Avoidance): boolean {
  return OF_DIALOGUE.has(avoidance);
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
 * The strictest form: whatever a refusal does not say, once. A native request without a dialogue stays what it is: only
 * its caller's own words can be at fault.
 */
function sendStrictest(refused: Refused): Repaired | undefined {
  const { routed, error, status, changes } = refused;
  if (!UNSAID.has(status) || isAboutSettings(error) || routed.route.operation !== 'generate')
    return undefined;
  if (error.fault !== 'invalid-request' && error.fault !== 'unprocessable') return undefined;
  if (isNative(routed) && !hasAnswers(routed)) return undefined;
  const avoids = new Set([...(routed.avoids ?? []), ...STRICTEST]);
  const other: Routed = { ...routed, avoids, ...(isNative(routed) && { mustTranslate: true }) };
  return changes(other) ? { routed: other, names: ['strictest-form'], isGuess: true } : undefined;
}

/** Whether a model has spoken in the request's dialogue. */
function hasAnswers(routed: Routed): boolean {
  const request = bodyOf(routed);
  const turns = request?.['messages'] ?? request?.['contents'] ?? request?.['input'];
  return asObjects(turns).some(isAnswer);
}

const ANSWERING: ReadonlySet<Json | undefined> = new Set(['assistant', 'model', 'tool']);

/** Whether a turn is a model's, or follows one. Items of responses may have a type in place of a role. */
function isAnswer({ role, type }: JsonObject): boolean {
  if (role !== undefined) return ANSWERING.has(role);
  return type !== undefined && type !== 'message';
}

function bodyOf({ body }: Routed): JsonObject | undefined {
  const request = tryParseExact(body.toString('utf8'));
  return isObject(request) ? request : undefined;
}

/**
 * Describes a refusal to `repair`.
 * @param outcome what came of the request: an error, or the vendor's own answer with one.
 * @param earlier the names of the repairs that it has had.
 * @param prepare the stage that makes the vendor's request.
 * @returns undefined if the request was never sent, since the gateway itself refuses it.
 */
export function describeRefusal(
  routed: Routed,
  outcome: GatewayError | Replied,
  error: GatewayError,
  earlier: readonly string[],
  prepare: (routed: Routed) => Prepared,
): Refused | undefined {
  const sent = tryPrepare(routed, prepare);
  if (sent === undefined) return undefined;
  return {
    routed,
    error,
    earlier,
    status: outcome.status >= 400 ? outcome.status : error.status,
    recognized: formats[sent.upstreamFormat].outbound.recognizeRefusal?.(error),
    changes(other) {
      const made = tryPrepare(other, prepare);
      return made !== undefined && Buffer.compare(made.payload, sent.payload) !== 0;
    },
  };
}

/** A form of the request that the gateway can make; undefined if the vendor's format has no way to say it. */
function tryPrepare(routed: Routed, prepare: (routed: Routed) => Prepared): Prepared | undefined {
  try {
    return prepare(routed);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
