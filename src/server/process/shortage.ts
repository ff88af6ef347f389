/**
 * What a process can run short of, watched: time on its event loop, memory, file descriptors. Short of one of them
 * it would still take on work, and then fail at all of it; so it is told to take on none for a while.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { descriptorLimit, openDescriptors } from '../../accounting/process/descriptors.ts';
import { grantedMemory } from '../../accounting/process/granted-memory.ts';
import { residentMemory } from '../../accounting/process/resident-memory.ts';
import type { Shortage } from '../../pipeline/exchange.ts';

/** From where on it counts as short. */
export interface Watermarks {
  /** Milliseconds that the event loop is late (99th percentile), a second long. */
  readonly eventLoopDelay: number;
  /** Share of the heap's limit, and of the memory that the process may have. */
  readonly memory: number;
  /** Share of the files and sockets that the process may have open. */
  readonly fileDescriptors: number;
}

export interface ShortageWatch {
  current(): Shortage | undefined;
  stop(): void;
}

export interface ShortageOptions {
  marks(): Watermarks;
  /** Memory is short: what nobody needs at the moment should go. */
  onLittleMemory(): void;
  /** Memory is so short that the process is about to be ended for it. */
  onLastMemory(): void;
  /** File descriptors are short: what only lies idle should go. */
  onFewDescriptors(): void;
}

const INTERVAL = 500;

/** Memory fills up faster than that: it is looked at with what is begun, but not more often than this. */
const MEMORY_INTERVAL = 20;

/** The same for what it has of the machine's: to read it costs ten times as much. */
const RESIDENT_INTERVAL = 100;

/** Intervals in a row of a late event loop: one alone is a garbage collection or a start. */
const LATE_IN_A_ROW = 2;

/** Share of memory from which on something must go. */
const LAST_MEMORY = 0.95;

/** Three semi-spaces of 32 MB, the default on 64-bit machines (V8, Heap::MaxReserved). */
const YOUNG_GENERATION = 96 * 1024 * 1024;

/** Looks every half second. The watch does not keep the process alive. */
export function watchShortage(options: ShortageOptions): ShortageWatch {
  const { marks, onLittleMemory, onLastMemory, onFewDescriptors } = options;
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const descriptors = descriptorLimit();
  const granted = grantedMemory();
  let late = 0;
  let few = false;
  let memoryShare = 0;
  let residentShare = 0;
  let weighed = Number.NEGATIVE_INFINITY;
  let weighedResident = Number.NEGATIVE_INFINITY;

  const weigh = (): void => {
    weighed = performance.now();
    if (weighed - weighedResident > RESIDENT_INTERVAL) {
      weighedResident = weighed;
      residentShare = (residentMemory() ?? 0) / granted;
    }
    memoryShare = Math.max(usedHeap(), residentShare);
  };
  const look = (): void => {
    const { eventLoopDelay, memory, fileDescriptors } = marks();
    late = delay.percentile(99) / 1e6 > eventLoopDelay ? late + 1 : 0;
    delay.reset();
    few = descriptors !== undefined && (openDescriptors() ?? 0) / descriptors > fileDescriptors;
    if (few) onFewDescriptors();
    weigh();
    if (memoryShare > memory) onLittleMemory();
    if (memoryShare > LAST_MEMORY) onLastMemory();
  };
  const timer = setInterval(look, INTERVAL).unref();
  return {
    current() {
      if (few) return 'file-descriptors';
      if (performance.now() - weighed > MEMORY_INTERVAL) weigh();
      if (memoryShare > marks().memory) return 'memory';
      return late >= LATE_IN_A_ROW ? 'event-loop' : undefined;
    },
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/** The share of the heap that is used: past its end V8 ends the process. */
function usedHeap(): number {
  const limit = getHeapStatistics().heap_size_limit;
  let old = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (!space_name.startsWith('new_')) old += space_used_size;
  }
  // The limit that V8 tells has room for the young generation in it, which is none for what lives on.
  return old / Math.max(limit - YOUNG_GENERATION, limit / 2);
}
