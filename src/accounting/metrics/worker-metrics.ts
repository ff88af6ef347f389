/**
 * Metrics of several processes behind one port: the first process asks each worker for its figures and adds them up.
 * prom-client's `clusterMetrics` does not fit: it fails if one worker is late, and forgets what workers that ended had
 * counted.
 */

import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { RELOADS_REFUSED } from '../observe.ts';
import { addCounter } from './add-metrics.ts';
import type { Metrics } from './metrics.ts';
import { addUpSnapshots, keepCounters, type MetricSnapshot, renderAll } from './snapshots.ts';

interface Question {
  readonly metrics: 'ask';
  readonly id: string;
}

interface Answer {
  readonly metrics: 'told';
  readonly id: string;
  readonly snapshot: MetricSnapshot;
}

/** Milliseconds that a worker may take. If it is late, its last figures are used again. */
const ANSWER_TIMEOUT = 2_000;

/** Figures that only the first process knows. */
export interface FirstFigures {
  /** Workers that ended unexpectedly. */
  readonly workersLost: () => number;
  /** Reloads that the first process refused; workers never hear of those. */
  readonly reloadsRefused: () => number;
}

/**
 * In the first process: returns a function that renders the figures of all workers, and its own, in Prometheus's text
 * format. Counters of workers that ended are kept. Prometheus would read a sum that falls as a counter that restarted,
 * and count its whole value again.
 */
export function workersMetrics({ workersLost, reloadsRefused }: FirstFigures): () => Promise<string> {
  const registry = new Registry();
  addCounter(
    registry,
    'gateway_workers_lost_total',
    'Workers that ended unexpectedly; each was replaced.',
    workersLost,
  );
  addCounter(registry, RELOADS_REFUSED.name, RELOADS_REFUSED.help, reloadsRefused);
  /** The last figures of each worker, by its number, and the sums of those that ended. */
  const told = new Map<number, MetricSnapshot>();
  let gone: Promise<MetricSnapshot> = Promise.resolve([]);

  async function askAll(): Promise<void> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      workers.map(async (worker) => {
        const snapshot = await askWorker(worker);
        if (snapshot !== undefined) told.set(worker.id, snapshot);
      }),
    );
  }

  return async () => {
    await askAll();
    for (const [id, snapshot] of told) {
      if (cluster.workers?.[id] !== undefined) continue;
      told.delete(id);
      gone = gone.then((sums) => addUpSnapshots([sums, keepCounters(snapshot)]));
    }
    const present = [...told.values()];
    return renderAll([await registry.getMetricsAsJSON(), await gone, ...present]);
  };
}

/** In a worker: answers the first process. */
export function answerMetricsRequests(metrics: Metrics): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return;
    const { id } = message;
    void metrics.snapshot().then((snapshot) => {
      const answer: Answer = { metrics: 'told', id, snapshot: plain(snapshot) };
      if (process.connected) process.send?.(answer);
    });
  });
}

function askWorker(worker: Worker): Promise<MetricSnapshot | undefined> {
  const question: Question = { metrics: 'ask', id: randomUUID() };
  return new Promise((resolve) => {
    const done = (snapshot?: MetricSnapshot): void => {
      clearTimeout(limit);
      worker.off('message', onMessage);
      resolve(snapshot);
    };
    const onMessage = (message: unknown): void => {
      if (isAnswer(message) && message.id === question.id) done(message.snapshot);
    };
    const limit = setTimeout(done, ANSWER_TIMEOUT);
    worker.on('message', onMessage);
    if (worker.isConnected()) worker.send(question, (error) => error && done());
    else done();
  });
}

/** Figures as they can be sent: without the functions that collect them. */
function plain(snapshot: MetricSnapshot): MetricSnapshot {
  const values: MetricSnapshot = JSON.parse(JSON.stringify(snapshot));
  return values;
}

function isQuestion(message: unknown): message is Question {
  return isOfMetrics(message) && message.metrics === 'ask';
}

function isAnswer(message: unknown): message is Answer {
  return isOfMetrics(message) && message.metrics === 'told';
}

function isOfMetrics(message: unknown): message is { readonly metrics: unknown } {
  return typeof message === 'object' && message !== null && 'metrics' in message;
}
