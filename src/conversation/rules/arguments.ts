/**
 * Arguments of tool calls: JSON text in one half of the formats, an object in the other. Numbers go through both ways as
 * they were written: an order id of 19 digits, `1e-400`, `-0` and `1.0` too.
 */

import type { Json, JsonObject } from '../../lib/json.ts';
import { isObject } from '../../lib/json.ts';
import { isBounded } from '../../lib/json-bounds.ts';
import { holdsOddNumber, isOdd } from '../odd-number.ts';

// ECMAScript 2025, "JSON.parse source text access": in every Node this runs on, not yet in the library types.
declare global {
  interface JSON {
    /** A value that JSON.stringify writes as the given text; typed as the number it stands for. */
    rawJSON(text: string): number;
    isRawJSON(value: unknown): value is number;
    parse(
      text: string,
      reviver: (key: string, value: Json, context: { readonly source?: string }) => Json,
    ): Json;
  }
}

/**
 * Arguments as the object that messages and generate-content want.
 *
 * @param text JSON text as the model wrote it, perhaps cut off; '' means none.
 * @returns `{}` for none, which some write as null; `{ arguments: text }` where the text is no JSON object, or one too
 *   deep or too large to be made, so that nothing of it is lost.
 */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = tryParseExact(text);
  if (value === null) return {};
  return isObject(value) ? value : { arguments: text };
}

/**
 * Arguments as the text of an object, whatever the model wrote: services that make an object of them again refuse a
 * dialogue with a call that was cut off, or is no JSON, with every further turn (vLLM, SGLang, MiniMax).
 */
export function wholeArguments(text: string): string {
  return isObject(tryParseExact(text)) ? text : JSON.stringify(argumentsObject(text));
}

/** An object as the JSON text that chat-completions and responses want; '' where there is nothing in it. */
export function argumentsText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return text === '{}' ? '' : text;
}

/**
 * JSON text as a value, whose numbers JSON.stringify writes as they were written. One that it would write in another
 * way is an object to every other reader, so this is for values that are only carried.
 * @throws SyntaxError where the text is not JSON.
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

/** The same, or undefined where the text is not JSON, or holds more of it than may become a value. */
export function tryParseExact(text: string): Json | undefined {
  if (!isBounded(text)) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
