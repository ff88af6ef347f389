/**
 * Thousands of open streams that send a word a second: memory for each stream, and the delay of the words, through the
 * bare proxy and through the gateway, native and translated.
 * `--streams 3000` replaces both numbers by one; with `--tls` the vendors speak TLS, as those on the internet do, and
 * with `--http2` HTTP/2 over it. A stream takes two file descriptors of the gateway, so 9,000 of them need
 * a limit of 20,000 (`ulimit -n`).
 */

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { cpuOf, memoryOf } from './load/observe.ts';
import {
  KEY,
  type Running,
  startBareProxy,
  startGateway,
  startUpstream,
  stepAside,
} from './load/processes.ts';
import { makeCertificate, startTlsFront } from './load/tls-front.ts';
import { argumentsOf } from './support/arguments.ts';
import { quantile, type Row, report, round } from './support/report.ts';

const values = argumentsOf({
  streams: { type: 'string', multiple: true, default: ['4000', '9000'] },
  seconds: { type: 'string', default: '15' },
  tls: { type: 'boolean', default: false },
  http2: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});

/** One key has all streams, and file descriptors may be used up: none is refused before the system itself refuses. */
const UNLIMITED = { inFlight: 100_000, inFlightPerKey: 100_000, fileDescriptors: 1 };

/** Starts what stands between the callers and the vendor at `upstream`. */
type Start = (port: number, upstream: number, ca?: string) => Promise<Running>;

const startUnlimited: Start = (port, upstream, ca) =>
  startGateway(port, upstream, {
    config: { limits: UNLIMITED },
    ...(ca !== undefined && { ca, http2: values.http2 }),
  });

const WAYS: readonly {
  readonly name: string;
  readonly model: string;
  readonly start: Start;
}[] = [
  { name: 'bare proxy', model: 'openai/gpt-4.1', start: startBareProxy },
  { name: 'native', model: 'openai/gpt-4.1', start: startUnlimited },
  { name: 'translated', model: 'anthropic/claude-sonnet-4-5', start: startUnlimited },
];

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Open {
  readonly answers: IncomingMessage[];
  /** Milliseconds from sending a word to its arrival, for the words since the last query. */
  readonly delays: number[];
}

async function open(port: number, count: number, model: string): Promise<Open> {
  const body = JSON.stringify({
    model,
    stream: true,
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'pace:1000' }],
  });
  const answers: IncomingMessage[] = [];
  const delays: number[] = [];
  let failed = 0;
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const sent = httpRequest(
        {
          host: '127.0.0.1',
          port,
          path: '/v1/chat/completions',
          method: 'POST',
          agent: false,
          headers: {
            authorization: `Bearer ${KEY}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (answer) => {
          if (answer.statusCode !== 200) {
            failed += 1;
            answer.destroy();
            resolve();
            return;
          }
          answers.push(answer);
          answer.setEncoding('latin1');
          answer.on('data', (text: string) => {
            for (const [, at] of text.matchAll(/at:(\d+):/g)) delays.push(Date.now() - Number(at));
          });
          answer.on('error', () => undefined);
          resolve();
        },
      );
      sent.on('error', () => {
        failed += 1;
        resolve();
      });
      sent.end(body);
    });
  // In groups: a thousand callers do not arrive in one millisecond.
  for (let sent = 0; sent < count; sent += 200) {
    await Promise.all(Array.from({ length: Math.min(200, count - sent) }, one));
  }
  if (failed > 0) throw new Error(`${failed} of ${count} streams were not opened.`);
  return { answers, delays };
}

async function measure(name: string, count: number, model: string, { port, pid }: Running): Promise<Row> {
  await wait(2000);
  const idle = memoryOf(pid).now;
  const opened = await open(port, count, model);
  await wait(3000);
  opened.delays.length = 0;
  const before = cpuOf(pid);
  await wait(Number(values.seconds) * 1000);
  const used = cpuOf(pid) - before;
  const { now } = memoryOf(pid);
  const { delays } = opened;
  for (const answer of opened.answers) answer.destroy();
  return {
    path: name,
    streams: opened.answers.length,
    'KB a stream': round((now - idle) / 1024 / Math.max(1, opened.answers.length), 1),
    'idle MB': round(idle / 2 ** 20, 0),
    'words/s': round(delays.length / Number(values.seconds), 0),
    'CPU µs/word': round(used / Math.max(1, delays.length), 0),
    'delay p50 ms': quantile(delays, 0.5),
    'delay p99 ms': quantile(delays, 0.99),
  };
}

stepAside();
const certificate = values.tls || values.http2 ? makeCertificate() : undefined;
const rows: Row[] = [];
let port = 9_700;
for (const { name, model, start } of WAYS) {
  for (const count of values.streams.map(Number)) {
    // A process of its own for each number: a process keeps memory that it has once used.
    const upstream = await startUpstream(port);
    const front = certificate && (await startTlsFront(port + 2, port, certificate, values.http2));
    const measured = await start(port + 1, front ? port + 2 : port, certificate?.cert);
    port += 3;
    try {
      rows.push(await measure(name, count, model, measured));
    } finally {
      measured.stop();
      front?.stop();
      upstream.stop();
    }
  }
}
report('streams', rows, values);
process.exit();
