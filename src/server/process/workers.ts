/**
 * Several processes behind one port (node:cluster), each a complete gateway. The first process serves nothing: it
 * supervises the others, replaces a worker that has ended, and passes orders on. It alone reads the configuration: a
 * worker that starts later serves by the configuration in force, even if its file has changed since.
 */

import cluster, { type Worker } from 'node:cluster';
import type { Diagnostics } from '../../lib/diagnostics.ts';
import type { Distribution } from './distribution.ts';
import { CLOSED, type Order, type ServeBy, type ServedConfig, type WorkerReport } from './worker-messages.ts';

/** A worker that has lived this long did not end because of its configuration, in milliseconds. */
const LONG_LIFE = 60_000;
/** The wait before a worker that ended early is replaced: doubled each time, up to a bound. */
const FIRST_PAUSE = 100;
const MAX_PAUSE = 30_000;
/**
 * How long a worker that ends waits for its last connection, in milliseconds. A signal to the whole group may reach it
 * first, and then all workers end, not this one alone.
 */
const SAME_SIGNAL = 100;

/** Starts as many workers as the configuration says, each this same program. */
export class Workers {
  readonly #count: number;
  readonly #distribution: Distribution;
  readonly #diagnostics: Pick<Diagnostics, 'info' | 'problem'>;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<0 | 1>();
  readonly #alive = new Set<Worker>();
  readonly #serving = new Set<Worker>();
  /** Those that have not served yet. */
  readonly #starting = new Set<Worker>();
  /** The timers of workers that are about to be started. */
  readonly #pauses = new Set<NodeJS.Timeout>();
  #served: ServedConfig;
  /** Whether all workers have served at the same time. */
  #isComplete = false;
  #isEnding = false;
  /** How many workers in a row have ended early. */
  #shortLives = 0;
  #lost = 0;
  #code: 0 | 1 = 0;

  /** @param distribution hands them connections. */
  constructor(
    first: ServedConfig,
    distribution: Distribution,
    diagnostics: Pick<Diagnostics, 'info' | 'problem'>,
  ) {
    this.#count = first.config.workers;
    this.#served = first;
    this.#distribution = distribution;
    this.#diagnostics = diagnostics;
    for (let started = 0; started < this.#count; started++) this.#start();
  }

  /** Resolves when all workers serve; rejects if one ends before it serves. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Resolves when all have ended after `end` or `hurry`: with 0, or with 1 if one of them failed. */
  get ended(): Promise<0 | 1> {
    return this.#ended.promise;
  }

  /** How many workers have ended without an order. */
  lost(): number {
    return this.#lost;
  }

  broadcast(order: Order): void {
    this.#isEnding = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    // A start may take minutes, and nothing is in progress there.
    for (const worker of this.#starting) worker.process.kill('SIGKILL');
    for (const worker of this.#alive) send(worker, order);
    if (this.#alive.size === 0) this.#ended.resolve(this.#code);
  }

  /** Changes what all workers serve by, later ones included. */
  serveBy(next: ServedConfig): void {
    this.#served = next;
    for (const worker of this.#alive) send(worker, { serveBy: next });
  }

  #start(): void {
    const began = performance.now();
    const worker = cluster.fork();
    send(worker, { serveBy: this.#served });
    this.#alive.add(worker);
    this.#starting.add(worker);
    let isReplaced = false;
    const replace = (): void => {
      this.#serving.delete(worker);
      if (this.#isEnding || isReplaced) return;
      isReplaced = true;
      this.#startAfter(performance.now() - began);
    };
    worker.on('message', (report: WorkerReport) => {
      if (report === 'ready') this.#onReady(worker);
      else if (report === 'leaving') replace();
      else if (report === 'closing') setTimeout(() => void this.#close(worker), SAME_SIGNAL);
      // Any other message is for the metrics.
      else if (report === 'taken' || report === 'missed') this.#distribution.receive(worker, report);
    });
    worker.on('exit', (status, signal) => {
      this.#alive.delete(worker);
      const hasServed = !this.#starting.delete(worker);
      this.#distribution.remove(worker);
      if (this.#isEnding) {
        if (status !== 0 && hasServed) this.#code = 1;
        if (this.#alive.size === 0) this.#ended.resolve(this.#code);
      } else if (!this.#isComplete) {
        this.#ready.reject(new Error(`A worker ended before it was ready (${signal ?? status}).`));
      } else {
        this.#lost += 1;
        this.#diagnostics.problem(`A worker ended (${signal ?? status}) and is being replaced.`);
        replace();
      }
    });
  }

  /** Starts another worker in the place of one that has lived for so many milliseconds. */
  #startAfter(life: number): void {
    this.#shortLives = life < LONG_LIFE ? this.#shortLives + 1 : 0;
    const wait = this.#shortLives === 0 ? 0 : Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** (this.#shortLives - 1));
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#start();
    }, wait);
    this.#pauses.add(pause);
  }

  #onReady(worker: Worker): void {
    this.#starting.delete(worker);
    this.#serving.add(worker);
    this.#distribution.add(worker);
    if (this.#isComplete) this.#diagnostics.info('A new worker is serving.');
    if (this.#serving.size < this.#count) return;
    this.#isComplete = true;
    this.#ready.resolve();
  }

  /** When all workers end, they share the connections that have come; one that ends alone keeps what it was handed. */
  async #close(worker: Worker): Promise<void> {
    if (this.#isEnding) await this.#distribution.close();
    await this.#distribution.release(worker);
    send(worker, CLOSED);
  }
}

function send(worker: Worker, order: Order | ServeBy | typeof CLOSED): void {
  // A worker that is already ending needs no order.
  if (worker.isConnected()) worker.send(order, () => undefined);
}
