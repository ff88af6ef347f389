/**
 * The cost of recording: one gateway that alternates between recording and not recording, under a load that
 * never ends (bench/load/switched-gateway.ts).
 *   unwatched   the request path without any recording, which configuration alone cannot turn off completely
 *   watched     as a start has it: usage in SQLite, metrics, a JSON access log to a file
 *   limited     with limits of every kind on the caller's key too
 *
 * Each turn stands between two unwatched ones, and its share is relative to those two: other work on the
 * machine within half a second affects all three. Turns are short and many, since other work on the machine
 * differs more from second to second than the ways do: the result is the mean of the middle turns, with its
 * standard error (`±`).
 *
 * The main thread, which is the request path, has a core to itself; the threads of the accounting worker and
 * the store run beside the load, as they would on any machine with more than one core. `main thread` is its
 * CPU time an answer, `CPU` that of all threads.
 *
 * The vendor of the load bench sends its 200 events in bursts, to show what a gateway can do. Models send
 * them one by one, so that each event is a read and a write: that is measured too. There the vendor sets the
 * rate, so the CPU is what counts.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { ConfigInput } from '../src/config/schema.ts';
import { loadDuring, openLoad } from './load/drive.ts';
import { cpuOf, mainCpuOf } from './load/observe.ts';
import { KEY, type Running, startGateway, startUpstream, stepAside } from './load/processes.ts';
import { type Scenario, scenarios } from './load/scenarios.ts';
import type { Way } from './load/switched-gateway.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, median, quantile, type Row, report, round } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 0.1, rounds: 400 }),
  starts: { type: 'string', default: '4' },
});

const UPSTREAM = 9_850;
/** High enough that it is never reached. */
const PLENTY = 1_000_000_000;
/** Seconds of each way before the first turn that counts. */
const WARM_UP = 1.5;
/** Seconds of latency measurement for each start and way, at half of the maximum rate. */
const STEADY = 1;

const config: ConfigInput = {
  log: 'json',
  keys: [
    {
      name: 'bench',
      key: KEY,
      limits: {
        requestsPerMinute: PLENTY,
        tokensPerMinute: PLENTY,
        concurrentRequests: PLENTY,
        budgetDay: PLENTY,
        budgetMonth: PLENTY,
      },
    },
  ],
};

const WATCHED = ['watched', 'limited'] as const satisfies readonly Way[];
const WAYS = ['unwatched', ...WATCHED] as const;

/** Measurements of a turn: answers a second, and microseconds an answer. */
interface Seen {
  readonly rate: number;
  readonly main: number;
  readonly cpu: number;
}

/** Of a way in a scenario: the measurements, and their share of the unwatched turns before and after. */
interface Turns {
  readonly seen: Seen[];
  readonly shares: Seen[];
  /** Milliseconds to the end of an answer at half load: one value a start. */
  readonly p50: number[];
  readonly p99: number[];
}

/** Durations in seconds: requests in flight when the way changes have ended after `settle`. */
interface Turned extends Scenario {
  readonly settle: number;
  readonly turn: number;
  /** For each way and start. */
  readonly turns: number;
}

const starts = Number(args.starts);
const seconds = Number(args.seconds);
const rounds = Math.ceil(Number(args.rounds) / starts);

/**
 * Enough concurrent requests that the main thread never waits for the load; words at a fast model's pace keep
 * it half busy.
 */
const AT_ONCE = { connections: 48, settle: 0.04, turn: seconds, turns: rounds };
/** Each of its streams takes 0.4 s. */
const ONE_BY_ONE = { connections: 64, settle: 0.5, turn: 12 * seconds, turns: Math.ceil(rounds / 16) };

const named = (all: readonly Turned[], names: readonly string[]): readonly Turned[] =>
  all.filter(({ name }) => names.includes(name) && name.includes(args.filter));
const atOnce = named(
  scenarios().map((scenario) => ({ ...scenario, ...AT_ONCE })),
  ['native, 0.5 KB, whole', 'native, 200 events', 'chat-completions to anthropic, 200 events'],
);
const oneByOne = named(
  scenarios('pace:2').map((scenario) => ({
    ...scenario,
    ...ONE_BY_ONE,
    name: `${scenario.name}, one by one`,
  })),
  ['native, 200 events, one by one', 'chat-completions to anthropic, 200 events, one by one'],
);

const turns = new Map<string, Turns>();
const turnsOf = ({ name }: Scenario, way: Way): Turns => {
  const key = `${name}: ${way}`;
  const known = turns.get(key) ?? { seen: [], shares: [], p50: [], p99: [] };
  turns.set(key, known);
  return known;
};

stepAside();
const upstream = await startUpstream(UPSTREAM);
try {
  for (let start = 0; start < starts; start += 1) {
    const program = [`${import.meta.dirname}/load/switched-gateway.ts`];
    const port = UPSTREAM + 1 + 2 * start;
    const gateway = await startGateway(port, UPSTREAM, { core: 'main', program, printing: true, config });
    try {
      for (const scenario of atOnce) {
        await takeTurns(gateway, scenario);
        await lookAtLatency(gateway, scenario);
      }
      for (const scenario of oneByOne) await takeTurns(gateway, scenario);
    } finally {
      gateway.stop();
    }
  }
  report('watched', [...atOnce, ...oneByOne].flatMap(rowsOf), args);
} finally {
  upstream.stop();
}
process.exit();

async function takeTurns(gateway: Running, scenario: Turned): Promise<void> {
  const { refused } = await loadDuring(gateway, scenario.gateway, scenario, async (answers) => {
    for (const way of WAYS) {
      await watch(gateway, way);
      await wait(WARM_UP * 1000);
    }
    let before = await turn(gateway, scenario, 'unwatched', answers);
    for (let count = 0; count < scenario.turns; count += 1) {
      for (const way of WATCHED) {
        const seen = await turn(gateway, scenario, way, answers);
        const after = await turn(gateway, scenario, 'unwatched', answers);
        turnsOf(scenario, 'unwatched').seen.push(after);
        const { seen: all, shares } = turnsOf(scenario, way);
        all.push(seen);
        shares.push(shareOf(seen, before, after));
        before = after;
      }
    }
  });
  if (refused > 0) throw new Error(`${scenario.name}: ${refused} were refused.`);
}

async function turn(
  gateway: Running,
  { settle, turn: long }: Turned,
  way: Way,
  answers: () => number,
): Promise<Seen> {
  await watch(gateway, way);
  await wait(settle * 1000);
  const before = { main: mainCpuOf(gateway.pid), cpu: cpuOf(gateway.pid), answers: answers() };
  const began = performance.now();
  await wait(long * 1000);
  const answered = answers() - before.answers;
  if (answered === 0) throw new Error(`${way}: nothing was answered in ${long} s.`);
  return {
    rate: (1000 * answered) / (performance.now() - began),
    main: (mainCpuOf(gateway.pid) - before.main) / answered,
    cpu: (cpuOf(gateway.pid) - before.cpu) / answered,
  };
}

async function watch({ port }: Running, way: Way): Promise<void> {
  const { ok } = await fetch(`http://127.0.0.1:${port + 1}/${way}`);
  if (!ok) throw new Error(`The gateway cannot be ${way}.`);
}

function shareOf(seen: Seen, before: Seen, after: Seen): Seen {
  const share = (of: keyof Seen): number => (2 * seen[of]) / (before[of] + after[of]);
  return { rate: share('rate'), main: share('main'), cpu: share('cpu') };
}

async function lookAtLatency(gateway: Running, scenario: Scenario): Promise<void> {
  const least = Math.min(...WAYS.map((way) => middle(turnsOf(scenario, way).seen, 'rate')));
  for (const way of WAYS) {
    await watch(gateway, way);
    const { latencies } = await openLoad(gateway, scenario.gateway, scenario, STEADY, least / 2);
    const { p50, p99 } = turnsOf(scenario, way);
    p50.push(quantile(latencies, 0.5));
    p99.push(quantile(latencies, 0.99));
  }
}

function middle(seen: readonly Seen[], of: keyof Seen): number {
  return median(seen.map((one) => one[of]));
}

/** The middle four fifths: this leaves out rare disturbances of a turn. */
function middlePart(values: readonly number[]): readonly number[] {
  const cut = Math.floor(values.length / 10);
  return values.toSorted((one, other) => one - other).slice(cut, values.length - cut);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The error of the mean of the middle: a standard error, including the effect of the trimmed ends. */
function errorOf(values: readonly number[]): number {
  const part = middlePart(values);
  const mean = meanOf(part);
  return 1.3 * Math.sqrt(meanOf(part.map((value) => (value - mean) ** 2)) / part.length);
}

function rowsOf(scenario: Scenario): readonly Row[] {
  return WAYS.map((way) => {
    const { seen, shares, p50, p99 } = turnsOf(scenario, way);
    const all = (of: keyof Seen): readonly number[] => shares.map((one) => one[of]);
    const share = (of: keyof Seen): number =>
      way === 'unwatched' ? 1 : round(meanOf(middlePart(all(of))), 3);
    return {
      scenario: scenario.name,
      way,
      'answers/s': round(middle(seen, 'rate'), 0),
      'of the unwatched': share('rate'),
      '±': way === 'unwatched' ? 0 : round(errorOf(all('rate')), 3),
      'main thread µs': round(middle(seen, 'main'), 0),
      'main thread of the unwatched': share('main'),
      'CPU µs': round(middle(seen, 'cpu'), 0),
      'CPU of the unwatched': share('cpu'),
      ...(p50.length > 0 && {
        'p50 ms at half load': round(median(p50), 3),
        'p99 ms at half load': round(median(p99), 3),
      }),
    };
  });
}
