/**
 * Arguments of tool calls: JSON text in two of the formats, and an object in the other two. Numbers stay as they were
 * written in both directions: an order id of 19 digits, and also `1e-400`, `-0` and `1.0`.
 */

import type { Json, JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { isBounded } from '../../lib/json-bounds.ts';
import { holdsOddNumber, isOdd } from '../odd-number.ts';

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

/**
 * Arguments as an object, as messages and generate-content have them.
 *
 * @param text JSON text as the model wrote it, perhaps cut off; '' means none.
 * @returns `{}` for none, which some models write as null; `{ arguments: text }` if the text is not a JSON object, or
 *   one too deep or too large to read, so that nothing of it is lost.
 */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = tryParseExact(text);
  if (value === null) return {};
  return isObject(value) ? value : { arguments: text };
}

/**
 * Arguments as the JSON text of an object, whatever the model wrote. Services that parse them again (vLLM, SGLang,
 * MiniMax) refuse every further turn of a dialogue with a call that was cut off, or is not JSON.
 */
export function wholeArguments(text: string): string {
  return isObject(tryParseExact(text)) ? text : JSON.stringify(argumentsObject(text));
}

/** Arguments as JSON text, as chat-completions and responses have them; '' for none, and for an empty object. */
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
  if (!holdsOddNumber(text)) {
    const value: Json = JSON.parse(text);
    return value;
  }
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isOdd(source) ? JSON.rawJSON(source) : value,
  );
}

/** Like `parseExact`, but undefined if the text is not JSON, or holds more of it than the gateway reads. */
export function tryParseExact(text: string): Json | undefined {
  if (!isBounded(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
