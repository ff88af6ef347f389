/**
 * The body of a request that is to be translated, as a value. Numbers that a JavaScript number cannot hold are kept
 * where they are only carried, and refused where they would be read as others.
 */

import { parseExact } from '../conversation/arguments.ts';
import { invalid } from '../errors.ts';
import { asObject, isList, isObject, type Json, type JsonObject, tryParseJson } from '../json.ts';
import { MAX_TOKENS, tokensIn, tooLarge } from '../json-scan.ts';

/** Where dialogues stand, and in them the arguments and results of calls that are objects. */
const DIALOGUES = new Set(['messages', 'contents']);
const CARRIED = new Set(['input', 'args', 'response']);

/** OpenAI's have 64 bits, and clients draw them from all of these: one that a vendor has no field for is no reason to refuse. */
const SEED = 'seed';

/**
 * @param bytes an object in UTF-8, no deeper than `scanObject` lets through.
 * @throws GatewayError `invalid-request` where the bytes are no JSON object; where its texts hold more JSON than may be
 *   made of them; for a number beyond all doubles, which would arrive as `null`; and for an integer beside the dialogue
 *   that would arrive as another one, but for a seed: that is kept as it was written.
 */
export function parseBody(bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8');
  const body = tryParseJson(text);
  if (!isObject(body)) throw invalid('The request body is not a valid JSON object.');
  if (tokensInTexts(body) > MAX_TOKENS) throw tooLarge();
  if (!holdsOddNumber(body)) return body;
  return Object.fromEntries(
    Object.entries(asObject(parseExact(text)) ?? body).map(([key, value]) => {
      if (JSON.isRawJSON(value) && /^-?\d+$/.test(JSON.stringify(value))) {
        if (key === SEED) return [key, value];
        throw invalid(`${key}: Input should be a number within the range of a 64-bit float`, key);
      }
      return [key, value === undefined ? value : settled(value, DIALOGUES.has(key), false)];
    }),
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

/** Whether there is a number that JSON.parse may have made another one of. */
function holdsOddNumber(value: Json | undefined): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsOddNumber);
}
