/** The values of configuration files in JSON, and in the two kinds of it that have comments. */

import { countMembers } from '../lib/count-members.ts';
import { type Json, parseJson as parse } from '../lib/json.ts';

export const BYTE_ORDER_MARK = '\uFEFF';

/** Strings, comments and colons. Outside of strings and comments, JSON5 has a colon only behind each key. */
const TOKENS =
  /"[^"\\]*(?:\\.[^"\\]*)*"?|'[^'\\]*(?:\\.[^'\\]*)*'?|\/\/[^\n\r\u2028\u2029]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|:/gs;

/** Strings, and commas behind the last item. */
const STRINGS_OR_LAST_COMMAS = /"(?:[^"\\]|\\.)*"?|,(?=\s*[}\]])/gs;

/** Parses JSON. @throws SyntaxError that quotes nothing of it: the text next to a mistake may be a key. */
export function parseJson(text: string): Json {
  // Editors on Windows write a byte order mark, which is not JSON (RFC 8259, 8.1: parsers may ignore it).
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const value = parsed(json);
  // Of two lists of keys only the second would count. YAML and TOML do not allow that either.
  refuseTwice(json, value);
  return value;
}

/**
 * Parses JSON with comments and commas behind the last item. c12's parser takes whatever it can read of a text, so half a
 * file would be in force. @returns an empty object for a text without a value. @throws SyntaxError as `parseJson` does
 */
export function parseJsonc(text: string): Json {
  const json = text
    .replace(TOKENS, (token) => (isComment(token) ? blank(token) : token))
    .replace(STRINGS_OR_LAST_COMMAS, (token) => (token === ',' ? ' ' : token));
  return json.trim() === '' ? {} : parseJson(json);
}

/**
 * Checks that no object of JSON, or of JSON5, has a key twice.
 * @param value what the text was parsed to
 * @throws SyntaxError
 */
export function refuseTwice(text: string, value: unknown): void {
  const colons = text.match(TOKENS)?.filter((token) => token === ':') ?? [];
  if (countMembers(value) < colons.length) throw new SyntaxError('an object in it has a key twice');
}

function parsed(json: string): Json {
  try {
    return parse(json);
  } catch (error) {
    const place = /line \d+ column \d+/.exec(String(error))?.[0];
    throw new SyntaxError(place === undefined ? 'it is not valid JSON' : `it is not valid JSON (${place})`);
  }
}

/** Whether a token is a comment that ends. */
function isComment(token: string): boolean {
  return token.startsWith('//') || (token.startsWith('/*') && token.endsWith('*/'));
}

/** As many spaces, so that a mistake has the same place as in the file. */
function blank(comment: string): string {
  return comment.replace(/[^\n\r]/g, ' ');
}
