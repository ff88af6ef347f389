/**
 * What watching costs: one gateway that is watched and not, in turns (bench/load/switched-gateway.ts).
 *   unwatched   the request path and nothing that looks at it: what is noted of an exchange cannot all be turned off by
 *               configuration
 *   watched     as a start has it: usage in SQLite, metrics, an access log as JSON into a file
 *   limited     with limits of every kind on the caller's key too
 * Each round of a way stands between two of the unwatched, and its share is of those two: what else the machine does
 * within a second, it does to all three. Told is the middle of all rounds.
 *
 * The main thread, which is the request path, has a core for itself; the threads of the books and the store run beside
 * the load, as they would on any machine of more than one core. `main thread` is its CPU time an answer, `CPU` that of
 * all threads.
 *
 * The load bench's vendor says its 200 events in bursts, to see what a gateway can do. Models say them one by one, of
 * which each is a read and a write: that is measured too. There the rate is the vendor's, and the CPU is what tells.
 */

import { parseArgs } from 'node:util';
import type { ConfigInput } from '../src/config/schema.ts';
import { closedLoad, openLoad } from './load/drive.ts';
import {
  cpuOf,
  KEY,
  mainCpuOf,
  type Running,
  startGateway,
  startUpstream,
  stepAside,
} from './load/processes.ts';
import { type Scenario, scenarios } from './load/scenarios.ts';
import type { Way } from './load/switched-gateway.ts';
import { benchOptions, median, quantile, type Row, report, round } from './support/report.ts';

const { values: args } = parseArgs({
  options: { ...benchOptions({ seconds: 0.4, rounds: 32 }), starts: { type: 'string', default: '4' } },
});

const UPSTREAM = 9_850;
/** So much that it is never reached. */
const PLENTY = 1_000_000_000;
/** Seconds of a load that nobody measures: before the first round of a way, and before each. */
const WARM_UP = 1.5;
const SETTLE = 0.15;
/** Seconds a start and a way in which latency is looked at, at half of what it can do. */
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

/** What was seen in a round: answers a second, and microseconds an answer. */
interface Seen {
  readonly rate: number;
  readonly main: number;
  readonly cpu: number;
}

/** Of a way in a scenario: what was seen, and as a share of the unwatched rounds before and after. */
interface Turns {
  readonly seen: Seen[];
  readonly shares: Seen[];
  /** Milliseconds to the end of an answer at half load: a value a start. */
  readonly p50: number[];
  readonly p99: number[];
}

/** So many at once that the main thread never waits for the load; words at a fast model's pace make it half busy. */
const AT_ONCE = { connections: 96 };
const ONE_BY_ONE = { words: 'pace:2', connections: 64 };

const named = (all: readonly Scenario[], names: readonly string[]): readonly Scenario[] =>
  all.filter(({ name }) => names.includes(name) && name.includes(args.filter));
const atOnce = named(
  scenarios(UPSTREAM).map((scenario) => ({ ...scenario, ...AT_ONCE })),
  ['native, 0.5 KB, whole', 'native, 200 events', 'chat-completions to anthropic, 200 events'],
);
const oneByOne = named(
  scenarios(UPSTREAM, ONE_BY_ONE.words).map((scenario) => ({
    ...scenario,
    name: `${scenario.name}, one by one`,
    connections: ONE_BY_ONE.connections,
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
const starts = Number(args.starts);
const seconds = Number(args.seconds);
const rounds = Math.ceil(Number(args.rounds) / starts);
try {
  for (let start = 0; start < starts; start += 1) {
    const program = [`${import.meta.dirname}/load/switched-gateway.ts`];
    const port = UPSTREAM + 1 + 2 * start;
    const gateway = await startGateway(port, UPSTREAM, { core: 'main', program, printing: true, config });
    try {
      for (const scenario of atOnce) {
        await takeTurns(gateway, scenario, seconds, rounds);
        await lookAtLatency(gateway, scenario);
      }
      // A round is long beside a stream, which takes 0.4 s.
      for (const scenario of oneByOne) await takeTurns(gateway, scenario, 4 * seconds, Math.ceil(rounds / 2));
    } finally {
      gateway.stop();
    }
  }
  report('watched', [...atOnce, ...oneByOne].flatMap(rowsOf), args);
} finally {
  upstream.stop();
}
process.exit();

async function takeTurns(gateway: Running, scenario: Scenario, long: number, times: number): Promise<void> {
  for (const way of WAYS) await load(gateway, scenario, way, WARM_UP);
  for (let time = 0; time < times; time += 1) {
    let before = await load(gateway, scenario, 'unwatched', long);
    turnsOf(scenario, 'unwatched').seen.push(before);
    for (const way of WATCHED) {
      const seen = await load(gateway, scenario, way, long);
      const after = await load(gateway, scenario, 'unwatched', long);
      const { seen: all, shares } = turnsOf(scenario, way);
      all.push(seen);
      shares.push(shareOf(seen, before, after));
      before = after;
    }
  }
}

async function load(gateway: Running, scenario: Scenario, way: Way, long: number): Promise<Seen> {
  await watch(gateway, way);
  await closedLoad(gateway, scenario.gateway, scenario, SETTLE);
  let main = 0;
  let cpu = 0;
  const { answers, refused, seconds } = await closedLoad(gateway, scenario.gateway, scenario, long, () => {
    main = mainCpuOf(gateway.pid);
    cpu = cpuOf(gateway.pid);
  });
  if (refused > 0 || answers === 0) throw new Error(`${way}: ${refused} were refused, ${answers} answered.`);
  return {
    rate: answers / seconds,
    main: (mainCpuOf(gateway.pid) - main) / answers,
    cpu: (cpuOf(gateway.pid) - cpu) / answers,
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

function rowsOf(scenario: Scenario): readonly Row[] {
  return WAYS.map((way) => {
    const { seen, shares, p50, p99 } = turnsOf(scenario, way);
    const share = (of: keyof Seen): number => (way === 'unwatched' ? 1 : round(middle(shares, of), 3));
    return {
      scenario: scenario.name,
      way,
      'answers/s': round(middle(seen, 'rate'), 0),
      'of the unwatched': share('rate'),
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
