/** The memories of all connections: together they are bounded, for each key and in all. What is oldest goes first. */

import { type Memory, openMemory } from './dialogue-memory.ts';

export interface MemoryLimits {
  /** Bytes of dialogues that are remembered, in all. */
  readonly inAll: number;
  /** Bytes of dialogues that are remembered for one key. */
  readonly perKey: number;
}

export interface Memories {
  /**
   * A memory of one more connection of a key.
   * @param limit how long all that it remembers may be, in UTF-16 code units.
   */
  open(key: string, limit: number): Memory;
  /** Bytes, in all. */
  bytes(): number;
}

/** What one connection remembers. */
interface Kept {
  readonly key: string;
  readonly memory: Memory;
  bytes: number;
}

/** @param limits as they are now: a reload may change them. */
export function openMemories(limits: () => MemoryLimits): Memories {
  /** By age: those that remembered something last are at the end. */
  const all = new Set<Kept>();
  const perKey = new Map<string, number>();
  let total = 0;

  function weigh(kept: Kept, bytes: number): void {
    const by = bytes - kept.bytes;
    kept.bytes = bytes;
    total += by;
    const ofKey = (perKey.get(kept.key) ?? 0) + by;
    if (ofKey > 0) perKey.set(kept.key, ofKey);
    else perKey.delete(kept.key);
    all.delete(kept);
    if (bytes > 0) all.add(kept);
  }

  function makeRoom(key: string): void {
    const { inAll, perKey: most } = limits();
    forgetOldest(
      (kept) => kept.key === key,
      () => (perKey.get(key) ?? 0) > most,
    );
    forgetOldest(
      () => true,
      () => total > inAll,
    );
  }

  function forgetOldest(isOne: (kept: Kept) => boolean, isOver: () => boolean): void {
    if (!isOver()) return;
    for (const kept of all) {
      if (!isOver()) return;
      if (isOne(kept)) kept.memory.forgetAll();
    }
  }

  return {
    open(key, limit) {
      const memory = openMemory(limit);
      const kept: Kept = {
        key,
        bytes: 0,
        memory: {
          find: memory.find,
          size: memory.size,
          keep(lane, dialogue) {
            memory.keep(lane, dialogue);
            // A code unit takes one byte or two.
            weigh(kept, 2 * memory.size());
            makeRoom(key);
          },
          forgetAll() {
            memory.forgetAll();
            weigh(kept, 0);
          },
        },
      };
      return kept.memory;
    },
    bytes: () => total,
  };
}
