/** What a scan of a JSON object finds. */

import type { Span } from './json-bytes.ts';

/** What one pass over the bytes of a JSON object finds, so that no second pass is needed. */
export interface ObjectScan {
  /** The places of the top-level values, by key and in their order. */
  readonly fields: ReadonlyMap<string, Span>;
  /** How many members all objects have, at whatever depth. A parsed tree has fewer if an object has a key twice. */
  readonly members: number;
  /** The start and the end of each object that is an item of a top-level list. */
  readonly items: readonly number[];
  /** The start and the end of each number that JSON.stringify may write differently: all but short whole ones. */
  readonly numbers: readonly number[];
  /** The start and the end of each string value of at least LARGE_STRING bytes, with its quotes. */
  readonly largeStrings: readonly number[];
  /** The bytes of all strings that may hold JSON themselves: they begin as an object, a list, space or an escape does. */
  readonly nested: number;
  /** Whether a key has an escape; undefined if that is not known. Always false where JSON.parse reads such keys soundly. */
  readonly hasEscapedKey: boolean | undefined;
}

/** What a scan has found in a value, so that another one passes over the same bytes. Places count from its start. */
export interface KnownValue extends Omit<ObjectScan, 'fields'> {
  /** Its bytes. */
  readonly length: number;
  /** Its tokens, which MAX_TOKENS limits. */
  readonly tokens: number;
}

export interface KnownValues {
  /** The value of a top-level key, whose bytes from `start` on are known; undefined if they are not. */
  find(key: string, bytes: Uint8Array, start: number): KnownValue | undefined;
}
