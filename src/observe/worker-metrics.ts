/** Metrics of several processes behind one port: the first process asks each of them, and adds up. */

import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { type MetricSnapshot, type Metrics, renderAll } from './metrics.ts';

interface Question {
  readonly metrics: 'ask';
  readonly id: string;
}

interface Answer {
  readonly metrics: 'told';
  readonly id: string;
  readonly snapshot: MetricSnapshot;
}

/** How long a worker may take: one that is so late is left out. */
const PATIENCE = 2_000;

/** In the first process: the figures of all workers as if they were one process's, in Prometheus's text format. */
export async function renderWorkers(): Promise<string> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const told = await Promise.all(workers.map(askWorker));
  return renderAll(told.filter((snapshot) => snapshot !== undefined));
}

/** In a worker: answers when it is asked. */
export function tellMetrics(metrics: Metrics): void {
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
    const limit = setTimeout(done, PATIENCE);
    worker.on('message', onMessage);
    if (worker.isConnected()) worker.send(question, (error) => error && done());
    else done();
  });
}

/** What can be sent: figures, and not what collects them. */
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
