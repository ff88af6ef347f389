/**
 * What a process can run short of, watched: time on its event loop, memory, file descriptors. Short of one of them
 * it would still take on work, and then fail at all of it; so it is told to take on none for a while.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Shortage } from '../stages/exchange.ts';

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
  /** Memory is so short that the process is about to be ended for it. */
  onLastMemory(): void;
  /** File descriptors are short: what only lies idle should go. */
  onFewDescriptors(): void;
}

const INTERVAL = 500;

/** Intervals in a row of a late event loop: one alone is a garbage collection or a start. */
const LATE_IN_A_ROW = 2;

/** Share of memory from which on something must go. */
const LAST_MEMORY = 0.95;

/** Looks every half second. The watch does not keep the process alive. */
export function watchShortage({ marks, onLastMemory, onFewDescriptors }: ShortageOptions): ShortageWatch {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const descriptors = descriptorLimit();
  let late = 0;
  let shortage: Shortage | undefined;

  const look = (): void => {
    const { eventLoopDelay, memory, fileDescriptors } = marks();
    late = delay.percentile(99) / 1e6 > eventLoopDelay ? late + 1 : 0;
    delay.reset();
    const memoryShare = usedMemory();
    const fewDescriptors = descriptors !== undefined && openDescriptors() / descriptors > fileDescriptors;
    if (memoryShare > LAST_MEMORY) onLastMemory();
    if (fewDescriptors) onFewDescriptors();
    shortage = fewDescriptors
      ? 'file-descriptors'
      : memoryShare > memory
        ? 'memory'
        : late >= LATE_IN_A_ROW
          ? 'event-loop'
          : undefined;
  };
  const timer = setInterval(look, INTERVAL).unref();
  return {
    current: () => shortage,
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/** The larger of two shares: of the heap's limit, past which V8 ends the process, and of the memory there is. */
function usedMemory(): number {
  const heap = getHeapStatistics();
  // 0 or more than there is where nothing constrains the process.
  const granted = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return Math.max(heap.used_heap_size / heap.heap_size_limit, process.memoryUsage.rss() / granted);
}

/** Linux tells them in /proc; elsewhere they are not watched. */
function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

function openDescriptors(): number {
  try {
    // Since Linux 6.2 the size of the folder is the number of entries; before, it is 0.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch (error) {
    // Not even one is left for the look itself.
    return error instanceof Error && 'code' in error && error.code === 'EMFILE'
      ? Number.POSITIVE_INFINITY
      : 0;
  }
}
