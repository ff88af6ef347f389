/**
 * Watches what a process can run short of: time on its event loop, memory, file descriptors. A process that is short of
 * one of them would still take on work and then fail at all of it, so new work is refused for a while.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { descriptorLimit, openDescriptors } from '../../accounting/process/descriptors.ts';
import { grantedMemory } from '../../accounting/process/granted-memory.ts';
import { residentMemory } from '../../accounting/process/resident-memory.ts';
import type { Config } from '../../config/schema.ts';
import type { Shortage } from '../../pipeline/exchange.ts';

export interface ShortageOptions {
  /** The thresholds of a shortage. That of the event loop is for the 99th percentile of its delay. */
  marks(): Pick<Config['limits'], 'eventLoopDelay' | 'memory' | 'fileDescriptors'>;
  /** Called when memory is short: whatever is not in use should be released. */
  onLowMemory(): void;
  /** Called when memory is so short that the system is about to end the process. */
  onCriticalMemory(): void;
  /** Called when file descriptors are short: idle connections should be closed. */
  onFewDescriptors(): void;
}

const INTERVAL = 500;

/** Memory fills up faster than that, so it is also read when a request begins, but not more often than this. */
const MEMORY_INTERVAL = 20;

/** The same for the process's resident memory, which costs ten times as much to read. */
const RESIDENT_INTERVAL = 100;

/** Late intervals in a row that count: a single one is a garbage collection or a start. */
const LATE_IN_A_ROW = 2;

/** The share of memory above which something must be ended. */
const CRITICAL_MEMORY = 0.95;

/** Three semi-spaces of 32 MB, the default on 64-bit machines (V8, Heap::MaxReserved). */
const YOUNG_GENERATION = 96 * 1024 * 1024;

/** Checks every half second, and memory more often. It does not keep the process alive. */
export class ShortageWatch {
  readonly #options: ShortageOptions;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #descriptors = descriptorLimit();
  readonly #granted = grantedMemory();
  readonly #timer: NodeJS.Timeout;
  /** How many intervals in a row the event loop was late. */
  #late = 0;
  #hasFewDescriptors = false;
  #memoryShare = 0;
  #residentShare = 0;
  /** When each was read last, by performance.now(). */
  #memoryRead = Number.NEGATIVE_INFINITY;
  #residentRead = Number.NEGATIVE_INFINITY;

  constructor(options: ShortageOptions) {
    this.#options = options;
    this.#delay.enable();
    this.#timer = setInterval(() => this.#check(), INTERVAL).unref();
  }

  /** @param isSpared whether the last reading of memory will do, however old: half a second at most. */
  current(isSpared = false): Shortage | undefined {
    if (this.#hasFewDescriptors) return 'file-descriptors';
    if (!isSpared && performance.now() - this.#memoryRead > MEMORY_INTERVAL) this.#readMemory();
    if (this.#memoryShare > this.#options.marks().memory) return 'memory';
    return this.#late >= LATE_IN_A_ROW ? 'event-loop' : undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  #check(): void {
    const { eventLoopDelay, memory, fileDescriptors } = this.#options.marks();
    this.#late = this.#delay.percentile(99) / 1e6 > eventLoopDelay ? this.#late + 1 : 0;
    this.#delay.reset();
    const limit = this.#descriptors;
    this.#hasFewDescriptors = limit !== undefined && (openDescriptors() ?? 0) / limit > fileDescriptors;
    if (this.#hasFewDescriptors) this.#options.onFewDescriptors();
    this.#readMemory();
    if (this.#memoryShare > memory) this.#options.onLowMemory();
    if (this.#memoryShare > CRITICAL_MEMORY) this.#options.onCriticalMemory();
  }

  #readMemory(): void {
    const now = performance.now();
    this.#memoryRead = now;
    if (now - this.#residentRead > RESIDENT_INTERVAL) {
      this.#residentRead = now;
      this.#residentShare = (residentMemory() ?? 0) / this.#granted;
    }
    this.#memoryShare = Math.max(usedHeap(), this.#residentShare);
  }
}

/** The share of the heap that is used: past its end V8 ends the process. */
function usedHeap(): number {
  const limit = getHeapStatistics().heap_size_limit;
  let old = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (!space_name.startsWith('new_')) old += space_used_size;
  }
  // V8's limit includes the young generation, which holds no long-lived objects.
  return old / Math.max(limit - YOUNG_GENERATION, limit / 2);
}
