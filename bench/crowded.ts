/**
 * What streams notice of heavy requests in the same process: while images of 30.8 MB come one after the other, or 600 KB
 * of a dialogue 20 times a second, 16 streams bring a word every 10 ms. Each word says when the vendor sent it; the
 * figures are the milliseconds until its caller had it. `alone` is the same without heavy requests.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, requestBytes } from './load/client.ts';
import { HEAVY } from './load/heavy.ts';
import { type Measured, startBareProxy, startGateway, startUpstream, stepAside } from './load/processes.ts';
import { type Request, scenarios } from './load/scenarios.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, quantile, type Row, report, round } from './support/report.ts';

const args = argumentsOf(benchOptions({ seconds: 8, rounds: 1 }));

const UPSTREAM = 9_680;
const STREAMS = 16;
/** Milliseconds between two words. A stream has 200 of them, so another one follows it. */
const PACE = 10;

/** Whom heavy requests are for: the path that they come by, and the model. */
const TARGETS = {
  native: ['/v1/chat/completions', 'gpt-4.1'],
  'to anthropic': ['/v1/chat/completions', 'anthropic/claude-sonnet-4-5'],
  'to google': ['/v1/chat/completions', 'google/gemini-2.5-flash'],
  'messages to openai': ['/v1/messages', 'openai/gpt-4.1'],
} as const;

/** Hears streams until `signal` aborts. @returns how late each word was, in milliseconds. */
async function hear(to: Measured, request: Request, signal: AbortSignal): Promise<readonly number[]> {
  const connection = await connect(to);
  const late: number[] = [];
  signal.addEventListener('abort', () => connection.leave());
  const listen = (bytes: Buffer): void => {
    const now = Date.now();
    for (const [, sent] of bytes.toString('latin1').matchAll(/ at:(\d+):/g)) late.push(now - Number(sent));
  };
  const aborted = once(signal, 'abort');
  while (!signal.aborted) await Promise.race([connection.ask(requestBytes(to, request), listen), aborted]);
  return late;
}

/** Lets streams run beside a crowd. @returns how late the words were, and how many heavy requests were answered. */
async function measure(
  to: Measured,
  request: Request,
  crowd: readonly string[] | undefined,
): Promise<{ readonly late: readonly number[]; readonly answered: number }> {
  const heavy =
    crowd &&
    spawn(process.execPath, [join(import.meta.dirname, 'load/crowd.ts'), String(to.port), ...crowd], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  let said = '';
  heavy?.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  // The heavy body is made first, and the first one meets code that was never run.
  await wait(heavy ? 2_500 : 500);
  const over = new AbortController();
  const heard = Array.from({ length: STREAMS }, () => hear(to, request, over.signal));
  await wait(Number(args.seconds) * 1000);
  over.abort();
  const late = (await Promise.all(heard)).flat();
  if (heavy) {
    if (heavy.exitCode !== null) throw new Error('The heavy requests failed.');
    heavy.kill('SIGTERM');
    await once(heavy, 'close');
  }
  return { late, answered: Number(said) };
}

stepAside();
const upstream = await startUpstream(UPSTREAM);
const [scenario] = scenarios(`pace:${PACE}`).filter(({ streamed }) => streamed);
if (scenario === undefined) throw new Error('There is no streamed scenario.');
const rows: Row[] = [];
try {
  const proxy = await startBareProxy(UPSTREAM + 1, UPSTREAM);
  const gateway = await startGateway(UPSTREAM + 2, UPSTREAM);
  const ways: readonly [string, Measured, Request][] = [
    ['bare proxy', proxy, scenario.direct],
    ['gateway', gateway, scenario.gateway],
  ];
  for (const kind of [undefined, ...Object.keys(HEAVY)]) {
    for (const [target, words] of Object.entries(TARGETS)) {
      const beside = kind === undefined ? 'alone' : `${HEAVY[kind]?.name}, ${target}`;
      if (!beside.includes(args.filter) || (kind === undefined && target !== 'native')) continue;
      for (const [way, to, request] of ways) {
        // The bare proxy has one vendor, and passes on what it gets.
        if (way === 'bare proxy' && target !== 'native') continue;
        const { late, answered } = await measure(
          to,
          request,
          kind === undefined ? undefined : [kind, ...words],
        );
        rows.push({
          beside,
          through: way,
          'heavy requests': kind === undefined ? 0 : answered,
          words: late.length,
          'late p50 ms': round(quantile(late, 0.5), 0),
          'late p99 ms': round(quantile(late, 0.99), 0),
          'latest ms': round(Math.max(...late), 0),
        });
      }
    }
  }
  gateway.stop();
  proxy.stop();
} finally {
  upstream.stop();
}
report('crowded', rows, { json: args.json, filter: args.filter });
process.exit();
