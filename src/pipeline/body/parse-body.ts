/**
 * The body of a request that is translated, as a value. Numbers that are only carried keep their spelling: those in
 * arguments and results of calls, and in unknown fields. Numbers that are read are rejected if a double would change
 * them.
 */

import { isInexact } from '../../conversation/inexact-number.ts';
import type { Prompt } from '../../conversation/prompt.ts';
import { parseExact } from '../../conversation/rules/arguments.ts';
import { invalid } from '../../lib/errors.ts';
import { asList, isList, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { MAX_TOKENS, tokensIn } from '../../lib/json-bounds.ts';
import { isSpace, OPEN_LIST, OPEN_OBJECT } from '../../lib/json-bytes.ts';
import { type Span, tooLarge } from '../../lib/json-scan.ts';
import type { Scanned } from './scanned.ts';

/** The fields that hold conversations. The arguments and results of calls in them may be objects. */
const DIALOGUES = new Set(['messages', 'contents']);
const CARRIED = new Set(['input', 'args', 'response']);

/**
 * OpenAI's seeds have 64 bits, and clients draw them from that whole range. A seed that a vendor has no field for is no
 * reason to reject a request.
 */
const SEED = 'seed';

/** The fewest characters of an integer that a double may change; shorter ones are always exact. */
const MIN_INEXACT_DIGITS = 16;
const MAX_INEXACT_DIGITS = 400;

const NONE: ReadonlySet<string> = new Set();

/**
 * The top-level fields that hold a number which JSON.stringify would write differently.
 * @returns their keys; usually none.
 */
export function fieldsWithInexactNumbers({ body, scan: { fields, numbers } }: Scanned): ReadonlySet<string> {
  if (numbers.length === 0) return NONE;
  const found = new Set<string>();
  let at = 0;
  for (const [key, { start, end }] of fields) {
    // Both are in the order of the body.
    for (; (numbers[at] ?? end) < end; at += 2) {
      const from = numbers[at] ?? end;
      if (from >= start && !found.has(key) && isInexact(body.toString('latin1', from, numbers[at + 1])))
        found.add(key);
    }
  }
  return found;
}

/** Whether `parseBody` parses a dialogue once more, from the bytes as they came. @param inexact as for `parseBody`. */
export function parsesDialogueAgain(inexact: ReadonlySet<string>): boolean {
  return inexact.size > 0 && [...inexact].some((key) => DIALOGUES.has(key));
}

/**
 * Makes the value of a body, whose numbers are spelled as in the body wherever they are only carried.
 * @param inexact what `fieldsWithInexactNumbers` has found in it.
 * @throws GatewayError `invalid-request` if the body is not a JSON object, if its texts hold more JSON than may be
 *   parsed, or if a number is beyond all doubles and would arrive as `null`.
 */
export function parseBody(sent: Scanned, inexact = fieldsWithInexactNumbers(sent)): JsonObject {
  const body = sent.tree();
  if (sent.scan.nested > MAX_TOKENS && tokensInTexts(body) > MAX_TOKENS) throw tooLarge();
  if (inexact.size === 0) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (value === undefined || !inexact.has(key)) return [key, value];
      const span = sent.scan.fields.get(key);
      const isDialogue = DIALOGUES.has(key);
      // A value with nothing that is only carried need not be parsed again.
      if (!isDialogue && holdsFinite(value))
        return [
          key,
          key === SEED && isInexactInteger(sent.body, span) ? parseExact(writtenAt(sent.body, span)) : value,
        ];
      return [key, settled(parseExact(writtenAt(sent.body, span)), isDialogue, false)];
    }),
  );
}

/**
 * Restores the spelling of numbers in a prompt's unknown fields to that of the body.
 * @param sent the body that the prompt was parsed from.
 * @param inexact what `fieldsWithInexactNumbers` has found in it.
 * @throws GatewayError `invalid-request` if a field that is read has an integer that would arrive as another one.
 */
export function withWrittenNumbers(
  prompt: Prompt,
  { body, scan: { fields } }: Scanned,
  inexact: ReadonlySet<string>,
): Prompt {
  if (inexact.size === 0) return prompt;
  const extra = Object.entries(prompt.unknownFields ?? {});
  const unknown = new Set(extra.map(([key]) => key));
  for (const key of inexact) {
    if (key !== SEED && !unknown.has(key) && isInexactInteger(body, fields.get(key))) {
      throw invalid(`${key}: Input should be a number within the range of a 64-bit float`, key);
    }
  }
  if (!extra.some(([key]) => inexact.has(key))) return prompt;
  return {
    ...prompt,
    unknownFields: Object.fromEntries(
      extra.map(([key, value]) => [
        key,
        inexact.has(key) && value !== undefined
          ? respelled(value, parseExact(writtenAt(body, fields.get(key))))
          : value,
      ]),
    ),
  };
}

/** Whether the value at `span` is an integer that would arrive as another one. */
function isInexactInteger(bytes: Buffer, span: Span | undefined): boolean {
  const length = span === undefined ? 0 : span.end - span.start;
  if (length < MIN_INEXACT_DIGITS || length > MAX_INEXACT_DIGITS) return false;
  const written = writtenAt(bytes, span);
  return /^-?\d+$/.test(written) && isInexact(written);
}

function writtenAt(bytes: Buffer, span: Span | undefined): string {
  return span === undefined ? '' : bytes.toString('utf8', span.start, span.end);
}

/** `value` with its numbers spelled as in `exact`, wherever that has the same value. */
function respelled(value: Json, exact: Json | undefined): Json {
  // An exact number is written as it came already.
  if (exact === undefined || JSON.isRawJSON(value)) return value;
  if (typeof value === 'number') return JSON.isRawJSON(exact) ? exact : value;
  if (isList(value)) return value.map((item, at) => respelled(item, asList(exact)[at]));
  if (!isObject(value) || !isObject(exact)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      inner === undefined ? inner : respelled(inner, exact[key]),
    ]),
  );
}

/** `value` with its exact numbers as plain ones, except in what is only carried. */
function settled(value: Json, inDialogue: boolean, carried: boolean): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (JSON.isRawJSON(value)) {
    if (carried) return value;
    const number = Number(JSON.stringify(value));
    if (!Number.isFinite(number)) throw invalid('The request body holds a number that is too large.');
    return number;
  }
  if (isList(value)) return value.map((item) => settled(item, inDialogue, carried));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isCarried = carried || (inDialogue && CARRIED.has(key) && isObject(inner));
      return [key, inner === undefined ? inner : settled(inner, inDialogue, isCarried)];
    }),
  );
}

/**
 * How many tokens all texts hold that may be JSON. Arguments and results of calls are parsed on their own, and what
 * `scanObject` passes as a string can then cost gigabytes and a minute. Each token is at least one byte of the text, so
 * they need be counted only if there are too many of those.
 */
function tokensInTexts(value: Json | undefined): number {
  if (typeof value === 'string') return mayBeJson(value) ? tokensIn(value) : 0;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  if (isList(value)) for (const inner of value) sum += tokensInTexts(inner);
  else for (const key in value) sum += tokensInTexts(value[key]);
  return sum;
}

/** Whether a text begins as a JSON object or list does. */
function mayBeJson(text: string): boolean {
  let at = 0;
  while (isSpace(text.charCodeAt(at))) at++;
  const first = text.charCodeAt(at);
  return first === OPEN_OBJECT || first === OPEN_LIST;
}

/** Whether all numbers in a value are finite: JSON.parse turns numbers beyond all doubles into Infinity. */
function holdsFinite(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(holdsFinite);
}
