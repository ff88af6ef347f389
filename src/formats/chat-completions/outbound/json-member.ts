/**
 * Finds members of a JSON object, such as the `usage` of a chunk, in the object's bytes: to parse every chunk would take
 * twenty times as long.
 */

import { isAt } from '../../../lib/bytes.ts';
import {
  afterSpace,
  afterString,
  beforeSpace,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
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
 * The members with these keys, of the object that is all there is from `start` to `end`: of an object further in there
 * is none, and of a key that comes twice the first. One pass, whatever the bytes.
 * @param keys with their quotes.
 * @returns a member or undefined for each of the keys; undefined where the bytes are no closed object.
 */
export function findMembers(
  bytes: Uint8Array,
  keys: readonly Uint8Array[],
  { start, end }: Span,
): readonly (Member | undefined)[] | undefined {
  const open = afterSpace(bytes, start, end);
  if (open === end || bytes[open] !== OPEN_OBJECT) return undefined;
  const found: (Member | undefined)[] = keys.map(() => undefined);
  let depth = 1;
  /** Of the member that is being read; -1 before its key, and before its value. */
  let key = -1;
  let value = -1;

  const endMember = (at: number): void => {
    const which = key < 0 || value < 0 ? -1 : keys.findIndex((name) => isAt(bytes, key, name));
    if (which >= 0) found[which] ??= { key, value: { start: value, end: beforeSpace(bytes, at, value) } };
    key = -1;
    value = -1;
  };

  for (let at = open + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      if (key < 0) key = at;
      at = afterString(bytes, at, end) - 1;
      if (at < 0) return undefined;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth > 0) continue;
      endMember(at);
      return afterSpace(bytes, at + 1, end) < end ? undefined : found;
    } else if (depth > 1) continue;
    else if (byte === COLON && value < 0) {
      value = afterSpace(bytes, at + 1, end);
      at = value - 1;
    } else if (byte === COMMA) endMember(at);
  }
  return undefined;
}

/** The member, with the comma that came with it: what is to be cut out. */
export function spanOfMember(bytes: Uint8Array, { key, value }: Member): Span {
  const before = beforeSpace(bytes, key) - 1;
  if (bytes[before] === COMMA) return { start: before, end: value.end };
  const after = afterSpace(bytes, value.end);
  return { start: key, end: bytes[after] === COMMA ? after + 1 : value.end };
}
