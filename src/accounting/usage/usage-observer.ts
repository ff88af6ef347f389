/** Reads a vendor's usage off the bytes that pass by: what is kept of them, and when they are searched. */

import type { UsageField } from '../../conversation/tokens.ts';
import { toBuffer } from '../../upstream/net/to-buffer.ts';
import { type Kept, lastTier, listFields, MARKS, type Marks, searchUsage } from './usage-search.ts';

/** What is kept of an answer while it passes. A value and no closures: one is made for every exchange. */
export interface UsageObserver extends Kept {
  readonly marks: Marks;
  /** The first chunk, which of short answers is the only one. */
  held: Uint8Array | undefined;
  begun: boolean;
  /** The next ones, copied one behind the other until they fill it: nothing of the vendor's is kept alive by it. */
  window: Buffer | undefined;
  filled: number;
  /** Whether the tier is looked for, and the last one so far. */
  readonly tiered: boolean;
  tier: Buffer | undefined;
}

/** Bytes that are searched at once: of a stream that comes word by word, one search for some tens of words. */
const ENOUGH = 2 * 1024;

/** So many that come at once are worth a search of their own, where they lie. */
const MANY = 1024;

/**
 * @param field as the vendor's format has it.
 * @param tiered whether what it is served by is looked for too: every byte then is searched once more.
 */
export function usageObserver(field: UsageField, tiered = false): UsageObserver {
  return {
    marks: MARKS[field],
    first: undefined,
    last: undefined,
    held: undefined,
    begun: false,
    window: undefined,
    filled: 0,
    tiered,
    tier: undefined,
  };
}

/** Takes the next bytes of the answer, which are kept until there are enough of them for a search. */
export function observeChunk(tap: UsageObserver, bytes: Uint8Array): void {
  if (!tap.begun) {
    tap.begun = true;
    tap.held = bytes;
    return;
  }
  if (tap.held !== undefined) take(tap, tap.held);
  tap.held = undefined;
  take(tap, bytes);
}

/**
 * What `usageIn` finds the same in as in all the bytes: the first and the last field so far, and what was not searched
 * yet. Views of what is kept here: to be read before the next chunk comes.
 */
export function getRemains(tap: UsageObserver): readonly Uint8Array[] {
  if (tap.held !== undefined && tap.held.byteLength > ENOUGH) {
    take(tap, tap.held);
    tap.held = undefined;
  }
  const waiting = tap.held ?? tap.window?.subarray(0, tap.filled);
  const fields = tap.tier === undefined ? listFields(tap) : [...listFields(tap), tap.tier];
  return waiting === undefined ? fields : [...fields, waiting];
}

/** Whether any has been told. To be asked when all has come, and `getRemains` has been read. */
export function hasUsage({ marks, first, held, window, filled }: UsageObserver): boolean {
  if (first !== undefined) return true;
  const waiting = held === undefined ? window?.subarray(0, filled) : toBuffer(held);
  return waiting?.includes(marks.figure) === true;
}

/**
 * Lets go of all that is kept, once it has been read for the last time. An observer is as old as its exchange, so what it
 * refers to survives its own end: a few bytes, and with them all of the memory that Node's pool took them from.
 */
export function forgetKept(tap: UsageObserver): void {
  tap.first = undefined;
  tap.last = undefined;
  tap.held = undefined;
  tap.window = undefined;
  tap.filled = 0;
  tap.tier = undefined;
}

function take(tap: UsageObserver, bytes: Uint8Array): void {
  if (tap.filled === 0 && bytes.byteLength >= MANY) {
    searchAndKeep(tap, toBuffer(bytes));
    return;
  }
  const window = tap.window ?? Buffer.allocUnsafe(ENOUGH);
  tap.window = window;
  if (bytes.byteLength > window.length - tap.filled) searchAndKeep(tap, window.subarray(0, tap.filled));
  if (bytes.byteLength > window.length - tap.filled) {
    const { filled } = tap;
    searchAndKeep(tap, filled === 0 ? toBuffer(bytes) : Buffer.concat([window.subarray(0, filled), bytes]));
    return;
  }
  window.set(bytes, tap.filled);
  tap.filled += bytes.byteLength;
}

/** Searches bytes, of which the window then holds what may go on in the next ones. */
function searchAndKeep(tap: UsageObserver, bytes: Buffer): void {
  const from = searchUsage(bytes, tap.marks, tap);
  if (tap.tiered) tap.tier = lastTier(bytes) ?? tap.tier;
  tap.filled = bytes.length - from;
  if (tap.filled === 0) return;
  if (tap.window === undefined || tap.filled > tap.window.length) {
    tap.window = Buffer.allocUnsafe(tap.filled + ENOUGH);
  }
  bytes.copy(tap.window, 0, from);
}
