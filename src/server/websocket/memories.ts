/**
 * The memories of all connections. They are bounded together, for each key and in total, and the oldest is forgotten
 * first.
 */

import { openCounters } from '../../lib/counters.ts';
import { type Memory, openMemory } from './dialogue-memory.ts';

/** The bounds of all memories. */
export interface MemoryLimits {
  /** Bytes of dialogues that are remembered in total. */
  readonly total: number;
  /** Bytes of dialogues that are remembered for one key. */
  readonly perKey: number;
}

interface Entry {
  readonly key: string;
  readonly memory: Memory;
  bytes: number;
}

/**
 * @param limits returns the limits in force, which a reload may change
 * @returns what opens a memory for each connection, none yet open
 */
export function openMemories(limits: () => MemoryLimits) {
  /** In order of age: the memory that was written to last is at the end. */
  const all = new Set<Entry>();
  const perKey = openCounters();
  let total = 0;

  function resize(kept: Entry, bytes: number): void {
    const by = bytes - kept.bytes;
    kept.bytes = bytes;
    total += by;
    perKey.add(kept.key, by);
    all.delete(kept);
    if (bytes === 0) return;
    all.add(kept);
    makeRoom(kept.key);
  }

  function makeRoom(key: string): void {
    const { total: maxTotal, perKey: maxPerKey } = limits();
    forgetOldest(
      (kept) => kept.key === key,
      () => perKey.get(key) > maxPerKey,
    );
    forgetOldest(
      () => true,
      () => total > maxTotal,
    );
  }

  function forgetOldest(isOne: (kept: Entry) => boolean, isOver: () => boolean): void {
    if (!isOver()) return;
    for (const kept of all) {
      if (!isOver()) return;
      if (isOne(kept)) kept.memory.forgetAll();
    }
  }

  return {
    /**
     * Opens a memory for one more connection of a key.
     * @param limit the most that it remembers, in UTF-16 code units
     */
    open(key: string, limit: number): Memory {
      // A code unit takes one or two bytes.
      const memory = openMemory(limit, (size) => resize(kept, 2 * size));
      const kept: Entry = { key, bytes: 0, memory };
      return memory;
    },
    /** Bytes in total. */
    bytes: () => total,
  };
}
