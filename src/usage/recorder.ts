/**
 * Keeps what every exchange took, and never in its way: a record is put on a list in memory, and the list is written
 * by itself, every half second or every 500 records.
 *
 * What a crash can lose is what was not yet written: the records of the last half second, and those of the write
 * under way, so of a second or so; more only while the store does not take them.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openCalendar } from '../calendar.ts';
import { isReachable, reasonOf, type Store } from '../store/store.ts';
import type { ExchangeRecord, Recorder } from './exchange-record.ts';
import { exchangeRow, type KeyedRecord } from './exchange-row.ts';
import { writeUsage } from './write-usage.ts';

export interface UsageOptions {
  /** Milliseconds between two writes. */
  readonly interval: number;
  /** Records of one write. */
  readonly batch: number;
  /** Records that may wait: what comes then is dropped, and counted. */
  readonly queue: number;
  /** Told when records cannot be written, once, and when they can again. */
  readonly onTrouble?: (message: string) => void;
}

export interface UsageRecorder {
  /** Returns at once, and never throws. What belongs to no key is not kept. */
  readonly record: Recorder;
  /** Records that were dropped so far. */
  dropped(): number;
  /** Records that wait to be written. */
  waiting(): number;
  /** Writes what waits, for at most `milliseconds`. @returns how many records are lost. */
  close(milliseconds: number): Promise<number>;
}

/** A batch that has failed so often, while the store answers, is at fault itself. */
const MAX_TRIES = 3;

/** The longest pause after a failure, in milliseconds. */
const LONGEST_PAUSE = 5_000;

/** The pause after a failure while the process waits for its end, in milliseconds. */
const RETRY_AT_END = 100;

/** What is written at once. */
interface Batch {
  readonly name: string;
  /** As JSON from the first: texts are the least that can wait, and nothing is left to be done with them. */
  readonly rows: string[];
}

const newBatch = (): Batch => ({ name: randomUUID(), rows: [] });

export function recordUsage(store: Store, options: UsageOptions): UsageRecorder {
  const { interval, batch: size, queue: limit, onTrouble = () => {} } = options;
  const calendar = openCalendar();
  /** Takes what comes; it is written after the full ones. */
  let open = newBatch();
  let full: Batch[] = [];
  /** What is being written: the first of all until it is, so that nothing is counted twice. */
  let current: Batch | undefined;
  let tries = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let closed = false;

  const queued = (): number => full.length * size + open.rows.length;
  const waiting = (): number => queued() + (current?.rows.length ?? 0);

  function record(exchange: ExchangeRecord): void {
    if (!hasKey(exchange)) return;
    if (closed || queued() >= limit) {
      dropped += 1;
      return;
    }
    const at = { batch: open.name, place: open.rows.length, day: calendar.day(exchange.time) };
    open.rows.push(JSON.stringify(exchangeRow(exchange, at)));
    if (open.rows.length < size) {
      timer ??= later(interval);
      return;
    }
    full.push(open);
    open = newBatch();
    if (tries === 0) write();
  }

  function later(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      timer = undefined;
      write();
    }, milliseconds).unref();
  }

  /** Writes one batch; the end of it says when the next one goes. */
  function write(): void {
    if (writing !== undefined) return;
    clearTimeout(timer);
    timer = undefined;
    current ??= nextBatch();
    if (current === undefined) return;
    writing = writeBatch(current).then((wait) => {
      writing = undefined;
      if (waiting() > 0) timer ??= later(full.length === 0 ? Math.max(wait, interval) : wait);
    });
  }

  function nextBatch(): Batch | undefined {
    const [first, ...rest] = full;
    full = rest;
    if (first !== undefined || open.rows.length === 0) return first;
    const batch = open;
    open = newBatch();
    return batch;
  }

  /** @returns how long to wait before the next one, in milliseconds. */
  async function writeBatch({ name, rows }: Batch): Promise<number> {
    try {
      await writeUsage(store, name, `[${rows.join(',')}]`);
      if (tries > 0) onTrouble('Usage is written again.');
    } catch (error) {
      tries += 1;
      if (tries === 1) onTrouble(`Usage cannot be written: ${reasonOf(error)}`);
      if (tries < MAX_TRIES || !(await isReachable(store)))
        return Math.min(LONGEST_PAUSE, interval * 2 ** tries);
      dropped += rows.length;
      onTrouble(
        `${rows.length} exchanges were dropped, for the store does not take them: ${reasonOf(error)}`,
      );
    }
    tries = 0;
    current = undefined;
    return 0;
  }

  async function writeUntil(deadline: number): Promise<void> {
    for (;;) {
      await writing;
      if (waiting() === 0 || performance.now() >= deadline) return;
      if (tries > 0) await pause(RETRY_AT_END);
      write();
    }
  }

  return {
    record,
    dropped: () => dropped,
    waiting,
    async close(milliseconds) {
      closed = true;
      // A write may itself take longer than there is time.
      const late = new AbortController();
      await Promise.race([
        writeUntil(performance.now() + milliseconds),
        pause(milliseconds, undefined, { signal: late.signal }).catch(() => {}),
      ]);
      late.abort();
      clearTimeout(timer);
      return waiting();
    },
  };
}

function hasKey(record: ExchangeRecord): record is KeyedRecord {
  return record.key !== undefined;
}
