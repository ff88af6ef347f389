/**
 * The body of a request that is to be translated, as a value. Numbers keep their spelling where they are only carried: in
 * the arguments and results of calls, and in fields that nobody here knows. Where they are read, they are refused if they
 * would be read as others.
 */

import { holdsOddNumber, isOdd } from '../conversation/odd-number.ts';
import type { Prompt } from '../conversation/prompt.ts';
import { parseExact } from '../conversation/rules/arguments.ts';
import { invalid } from '../lib/errors.ts';
import { asList, isList, isObject, type Json, type JsonObject, tryParseJson } from '../lib/json.ts';
import { MAX_TOKENS, tokensIn } from '../lib/json-bounds.ts';
import { type Span, tooLarge } from '../lib/json-scan.ts';

/** Where dialogues stand, and in them the arguments and results of calls that are objects. */
const DIALOGUES = new Set(['messages', 'contents']);
const CARRIED = new Set(['input', 'args', 'response']);

/** OpenAI's have 64 bits, and clients draw them from all of these: one that a vendor has no field for is no reason to refuse. */
const SEED = 'seed';

/** A whole number of fewer characters is a double, and one of more is beyond them all. */
const LEAST_ODD = 16;
const MOST_ODD = 400;

/**
 * @param bytes an object in UTF-8, no deeper than `scanObject` lets through.
 * @param fields where that has found its top-level values.
 * @throws GatewayError `invalid-request` where the bytes are no JSON object; where its texts hold more JSON than may be
 *   made of them; and for a number beyond all doubles, which would arrive as `null`.
 */
export function parseBody(bytes: Buffer, fields: ReadonlyMap<string, Span>): JsonObject {
  const text = bytes.toString('utf8');
  const body = tryParseJson(text);
  if (!isObject(body)) throw invalid('The request body is not a valid JSON object.');
  if (tokensInTexts(body) > MAX_TOKENS) throw tooLarge();
  if (!holdsOddNumber(text)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const span = fields.get(key);
      const written = writtenAt(bytes, span);
      if (value === undefined || !holdsOddNumber(written)) return [key, value];
      const isDialogue = DIALOGUES.has(key);
      // What is not only carried is read as it is, and need not be parsed again.
      if (!isDialogue && holdsFinite(value))
        return [key, key === SEED && isOddInteger(bytes, span) ? parseExact(written) : value];
      return [key, settled(parseExact(written), isDialogue, false)];
    }),
  );
}

/**
 * A prompt whose unknown fields have their numbers as the body has them.
 * @param bytes the body that the prompt was parsed from, and `fields` where its top-level values are.
 * @throws GatewayError `invalid-request` for a whole number in a field that is read, where it would arrive as another one.
 */
export function withWrittenNumbers(prompt: Prompt, bytes: Buffer, fields: ReadonlyMap<string, Span>): Prompt {
  const extra = Object.entries(prompt.unknownFields ?? {});
  const unknown = new Set(extra.map(([key]) => key));
  for (const [key, span] of fields) {
    if (key !== SEED && !unknown.has(key) && isOddInteger(bytes, span)) {
      throw invalid(`${key}: Input should be a number within the range of a 64-bit float`, key);
    }
  }
  if (!extra.some(([key]) => holdsOddNumber(writtenAt(bytes, fields.get(key))))) return prompt;
  return {
    ...prompt,
    unknownFields: Object.fromEntries(
      extra.map(([key, value]) => {
        const span = fields.get(key);
        return [
          key,
          span && value !== undefined ? respelled(value, parseExact(writtenAt(bytes, span))) : value,
        ];
      }),
    ),
  };
}

/** Whether what stands at `span` is a whole number that would arrive as another one. */
function isOddInteger(bytes: Buffer, span: Span | undefined): boolean {
  const length = span === undefined ? 0 : span.end - span.start;
  if (length < LEAST_ODD || length > MOST_ODD) return false;
  const written = writtenAt(bytes, span);
  return /^-?\d+$/.test(written) && isOdd(written);
}

function writtenAt(bytes: Buffer, span: Span | undefined): string {
  return span === undefined ? '' : bytes.toString('utf8', span.start, span.end);
}

/** `value` with its numbers written as `exact` has them, wherever that has the same. */
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

/** `value` with its exact numbers as plain ones, but for what is only carried. */
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
 * The tokens of all texts that may be JSON. Arguments and results of calls are parsed on their own, and what `scanObject`
 * let through as a string can cost gigabytes and a minute then.
 */
function tokensInTexts(value: Json | undefined): number {
  if (typeof value === 'string') return /^\s*[[{]/.test(value) ? tokensIn(value) : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner: Json | undefined) => sum + tokensInTexts(inner), 0);
}

/** Whether every number in it is one: JSON.parse makes Infinity of what is beyond all doubles. */
function holdsFinite(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(holdsFinite);
}
