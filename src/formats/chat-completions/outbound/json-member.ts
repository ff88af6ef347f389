/**
 * Finds members of a JSON object, such as the `usage` of a chunk, in the object's bytes: to parse every chunk would take
 * twenty times as long.
 */

import { isAt } from '../../../lib/bytes.ts';
import {
  afterSpace,
  afterString,
  afterValue,
  beforeSpace,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_OBJECT,
  QUOTE,
  type Span,
} from '../../../lib/json-bytes.ts';

/** Where a member of an object stands. */
export interface Member {
  /** The first quote of its key. */
  readonly key: number;
  readonly value: Span;
}

/**
 * Finds the members with these keys in the object that fills the bytes from `start` to `end`. Members of inner objects do
 * not count, and if a key occurs twice, its first member does. It takes one pass, whatever the bytes are.
 * @param keys with their quotes.
 * @returns a member or undefined for each of the keys; undefined if the bytes are not a closed object.
 */
export function findMembers(
  bytes: Uint8Array,
  keys: readonly Uint8Array[],
  { start, end }: Span,
): readonly (Member | undefined)[] | undefined {
  let at = afterSpace(bytes, start, end);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  const found: (Member | undefined)[] = keys.map(() => undefined);
  do {
    const key = afterSpace(bytes, at + 1, end);
    const colon = afterKey(bytes, key, end);
    if (colon === end || bytes[colon] !== COLON) return undefined;
    const value = afterSpace(bytes, colon + 1, end);
    const valueEnd = afterValue(bytes, value, end);
    if (valueEnd < 0) return undefined;
    const which = keys.findIndex((name) => isAt(bytes, key, name));
    if (which >= 0) found[which] ??= { key, value: { start: value, end: valueEnd } };
    at = afterSpace(bytes, valueEnd, end);
  } while (bytes[at] === COMMA && at < end);
  return bytes[at] === CLOSE_OBJECT && afterSpace(bytes, at + 1, end) === end ? found : undefined;
}

/** The place of what follows a key, which should be its colon; `end` if there is no key. */
function afterKey(bytes: Uint8Array, key: number, end: number): number {
  const keyEnd = bytes[key] === QUOTE ? afterString(bytes, key, end) : -1;
  return keyEnd < 0 ? end : afterSpace(bytes, keyEnd, end);
}

/** The member, with the comma that came with it: what is to be cut out. */
export function spanOfMember(bytes: Uint8Array, { key, value }: Member): Span {
  const before = beforeSpace(bytes, key) - 1;
  if (bytes[before] === COMMA) return { start: before, end: value.end };
  const after = afterSpace(bytes, value.end);
  return { start: key, end: bytes[after] === COMMA ? after + 1 : value.end };
}
