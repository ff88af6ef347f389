/**
 * Arguments of tool calls: JSON text in two of the formats, and an object in the other two. Numbers stay as they were
 * written in both directions: an order id of 19 digits, and also `1e-400`, `-0` and `1.0`.
 */

import { hasEscapedKey, MISREADS_ESCAPED_KEYS, parseByTokens } from '../../lib/escaped-keys.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../lib/json.ts';
import { checkNumbers, holdsInexactNumber, isInexact } from '../inexact-number.ts';

// ECMAScript 2025, "JSON.parse source text access": every supported Node has it, and the library types do not yet.
declare global {
  interface JSON {
    /** A value that JSON.stringify writes as the given text. Its type is the number it stands for. */
    rawJSON(text: string): number;
    isRawJSON(value: unknown): value is number;
    parse(
      text: string,
      reviver: (key: string, value: Json, context: { readonly source?: string }) => Json,
    ): Json;
  }
}

/** How often arguments may be a JSON text in a JSON text: each time the whole text is read once more. */
const MAX_WRAPS = 8;

/** The most characters of an escape that was cut off: `\\u00e` says nothing yet. */
const MAX_TORN_ESCAPE = 5;

/**
 * Arguments as an object, as messages and generate-content have them.
 *
 * @param text JSON text as the model wrote it, perhaps cut off; '' means none.
 * @returns `{}` for none, which some models write as null; the object in a JSON text in a JSON text; `{ arguments: text }`
 *   if the text is not a JSON object, or one too deep or too large to read, so that nothing of it is lost.
 */
export function argumentsObject(text: string): JsonObject {
  return unwrap(text)?.value ?? { arguments: text };
}

/**
 * Arguments as the JSON text of an object, whatever the model wrote. Services that parse them again (vLLM, SGLang,
 * MiniMax) refuse every further turn of a dialogue with a call that was cut off, or is not JSON.
 */
export function wholeArguments(text: string): string {
  return unwrap(text)?.text ?? JSON.stringify({ arguments: text });
}

/** The object that arguments stand for, and its JSON text; undefined if they stand for none. */
function unwrap(text: string): { readonly text: string; readonly value: JsonObject } | undefined {
  let inner = text;
  for (let wraps = 0; wraps <= MAX_WRAPS; wraps += 1) {
    if (inner.trim() === '') return { text: '{}', value: {} };
    const value = tryParseExact(inner);
    if (value === null) return { text: '{}', value: {} };
    if (isObject(value) && !JSON.isRawJSON(value)) return { text: inner, value };
    if (typeof value !== 'string') return undefined;
    inner = value;
  }
  return undefined;
}

/**
 * Finds what has come of an object inside a JSON text that was cut off: `"{\"a\":` holds `{"a":`.
 * @returns the beginning of the object's own text; undefined if the text holds no object.
 */
export function partialObject(text: string): string | undefined {
  const written = text.trim();
  if (!written.startsWith('"')) return undefined;
  for (let torn = 0; torn <= MAX_TORN_ESCAPE; torn += 1) {
    const inner = tryParseExact(`${written.slice(0, written.length - torn)}"`);
    if (typeof inner === 'string') return inner.trimStart().startsWith('{') ? inner : undefined;
  }
  return undefined;
}

/**
 * Arguments as JSON text, as chat-completions and responses have them, from text or from the object itself; '' for none, and
 * for an empty object, which is also how an answer writes a call that was cut off before its arguments.
 */
export function argumentsText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return text === '{}' ? '' : text;
}

/**
 * JSON text as a value whose numbers JSON.stringify writes as they were written. A number that it would write
 * differently is an object to every other reader, so this is for values that are only carried.
 * @throws SyntaxError if the text is not JSON.
 */
export function parseExact(text: string): Json {
  return holdsInexactNumber(text) ? parseWithSpelling(text) : parseJson(text);
}

function parseWithSpelling(text: string): Json {
  if (MISREADS_ESCAPED_KEYS && hasEscapedKey(text))
    return parseByTokens(text, (source) => (isInexact(source) ? JSON.rawJSON(source) : Number(source)));
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isInexact(source) ? JSON.rawJSON(source) : value,
  );
}

/** Like `parseExact`, but undefined if the text is not JSON, or holds more of it than the gateway reads. */
export function tryParseExact(text: string): Json | undefined {
  const found = checkNumbers(text);
  if (found === 'unbounded') return undefined;
  try {
    return found === 'inexact' ? parseWithSpelling(text) : parseJson(text);
  } catch {
    return undefined;
  }
}
