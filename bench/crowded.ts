/**
 * What streams notice of heavy requests in the same process: while images of 30.8 MB come one after the other, or 600 KB
 * of a dialogue 20 times a second, 16 streams bring a word every 10 ms. The figures are the milliseconds between two words
 * of a stream at its caller; for how long the gateway's main thread did not return to its event loop; and its memory at its
 * highest. `alone` is the same without heavy requests. Other work on the machine makes all but the memory worse.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, requestBytes } from './load/client.ts';
import { HEAVY } from './load/heavy.ts';
import { forgetPeak, memoryOf } from './load/observe.ts';
import {
  BUILT,
  type Running,
  startBareProxy,
  startGateway,
  startUpstream,
  stepAside,
} from './load/processes.ts';
import { type Request, scenarios } from './load/scenarios.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, quantile, type Row, report, round } from './support/report.ts';

const args = argumentsOf(benchOptions({ seconds: 8, rounds: 1 }));

const UPSTREAM = 9_680;
/** Where the gateway is asked how long its longest piece of work was. */
const WATCH = UPSTREAM + 9;
const STREAMS = 16;
/** Milliseconds between two words. A stream has 200 of them, so another one follows it. */
const PACE = 10;

/** Whom heavy requests are for: the path that they come by, and the model. */
const TARGETS = {
  native: ['/v1/chat/completions', 'gpt-4.1'],
  'to anthropic': ['/v1/chat/completions', 'anthropic/claude-sonnet-4-5'],
  'to google': ['/v1/chat/completions', 'google/gemini-2.5-flash'],
  'messages to openai': ['/v1/messages', 'openai/gpt-4.1'],
  'messages to responses': ['/v1/messages', 'openai/gpt-5.5'],
} as const;

/** Hears streams until `signal` aborts. @returns the milliseconds between the words of each. */
async function hear(to: Running, request: Request, signal: AbortSignal): Promise<readonly number[]> {
  const connection = await connect(to);
  const gaps: number[] = [];
  let last: number | undefined;
  signal.addEventListener('abort', () => connection.leave());
  const listen = (bytes: Buffer): void => {
    const now = performance.now();
    for (const _ of bytes.toString('latin1').matchAll(/ at:\d+:/g)) {
      if (last !== undefined) gaps.push(now - last);
      last = now;
    }
  };
  const aborted = once(signal, 'abort');
  while (!signal.aborted) {
    last = undefined;
    await Promise.race([connection.ask(requestBytes(to, request), listen), aborted]);
  }
  return gaps;
}

interface Noticed {
  readonly gaps: readonly number[];
  /** Heavy requests that were answered. */
  readonly answered: number;
  /** The longest piece of work, in milliseconds; undefined if nothing watches the process. */
  readonly longest: number | undefined;
  /** The memory at its highest, in bytes. */
  readonly memory: number;
}

/** Lets streams run beside a crowd. @param watched whether the process reports its longest piece of work. */
async function measure(
  to: Running,
  request: Request,
  crowd: readonly string[] | undefined,
  watched: boolean,
): Promise<Noticed> {
  const heavy =
    crowd &&
    spawn(process.execPath, [join(import.meta.dirname, 'load/crowd.ts'), String(to.port), ...crowd], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  let said = '';
  heavy?.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  // The heavy body is made first, and the first ones meet code that was never run.
  await wait(heavy ? 3_500 : 500);
  const over = new AbortController();
  const heard = Array.from({ length: STREAMS }, () => hear(to, request, over.signal));
  // New connections are no part of what is measured.
  await wait(500);
  forgetPeak(to.pid);
  if (watched) await takeLongest();
  await wait(Number(args.seconds) * 1000);
  const longest = watched ? await takeLongest() : undefined;
  const memory = memoryOf(to.pid).peak;
  over.abort();
  const gaps = (await Promise.all(heard)).flat();
  if (heavy) {
    if (heavy.exitCode !== null) throw new Error('The heavy requests failed.');
    heavy.kill('SIGTERM');
    await once(heavy, 'close');
  }
  return { gaps, answered: Number(said), longest, memory };
}

/** The longest piece of work since the last call. */
async function takeLongest(): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${WATCH}/`);
  const told: unknown = await answer.json();
  return Number(told instanceof Object && 'longest' in told ? told.longest : Number.NaN);
}

stepAside();
const upstream = await startUpstream(UPSTREAM);
const [scenario] = scenarios(`pace:${PACE}`).filter(({ streamed }) => streamed);
if (scenario === undefined) throw new Error('There is no streamed scenario.');
const rows: Row[] = [];
try {
  const proxy = await startBareProxy(UPSTREAM + 1, UPSTREAM);
  const watch = join(import.meta.dirname, 'load/watch-work.ts');
  const gateway = await startGateway(UPSTREAM + 2, UPSTREAM, {
    program: ['--import', watch, BUILT, 'start'],
    env: { WATCH_WORK: String(WATCH) },
  });
  const ways: readonly [string, Running, Request][] = [
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
        const crowd = kind === undefined ? undefined : [kind, ...words];
        const { gaps, answered, longest, memory } = await measure(to, request, crowd, to === gateway);
        rows.push({
          beside,
          through: way,
          'heavy requests': kind === undefined ? 0 : answered,
          words: gaps.length,
          'gap p50 ms': round(quantile(gaps, 0.5), 1),
          'gap p99 ms': round(quantile(gaps, 0.99), 1),
          'gap longest ms': round(Math.max(...gaps), 1),
          'longest work ms': longest === undefined ? '–' : round(longest, 1),
          'memory MB': round(memory / 1e6, 0),
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
