/**
 * What watching costs: the gateway with all of it on beside one that nobody watches, in the same run.
 *   unwatched        the same request path and nothing that looks at it (bench/load/plain-gateway.ts): what is kept,
 *                    counted and told of an exchange cannot all be turned off by configuration
 *   usage, metrics   as a start has it without an access log: SQLite store, metrics; no limits
 *   access log       with a line of JSON an exchange, into a file
 *   all              with limits on the caller's key too
 * The main thread has a core for itself; the store's thread and V8's own run beside the load, as they would on any
 * machine of more than one core. `CPU µs` is that of all threads.
 *
 * The load bench's vendor says its 200 events in bursts, to see what a gateway can do. Models say them one by one, of
 * which each is a read and a write: that is measured too. There the rate is the vendor's, and the CPU is what tells.
 */

import { parseArgs } from 'node:util';
import type { ConfigInput } from '../src/config/schema.ts';
import {
  KEY,
  type Running,
  type Settings,
  startGateway,
  startUpstream,
  stepAside,
} from './load/processes.ts';
import { type Scenario, scenarios } from './load/scenarios.ts';
import { type Turns, takeTurns } from './load/take-turns.ts';
import { benchOptions, quietest, type Row, report, round } from './support/report.ts';

const { values: args } = parseArgs({
  options: { ...benchOptions({ seconds: 0.5, rounds: 20 }), starts: { type: 'string', default: '4' } },
});

const UPSTREAM = 9_850;
/** So much that it is never reached. */
const PLENTY = 1_000_000_000;

const limited: ConfigInput['keys'] = [
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
];

const started =
  (settings: Settings) =>
  (port: number): Promise<Running> =>
    startGateway(port, UPSTREAM, { core: 'main', ...settings });
const ways = {
  unwatched: started({ program: [`${import.meta.dirname}/load/plain-gateway.ts`] }),
  'usage, metrics': started({ config: { log: 'none' } }),
  'access log': started({ config: { log: 'json' }, printing: true }),
  all: started({ config: { log: 'json', keys: limited }, printing: true }),
};

/** Words at the pace of a fast model's, for so many callers that the gateway is half busy. */
const PACED = { words: 'pace:2', connections: 64 };

const named = (all: readonly Scenario[], names: readonly string[]): readonly Scenario[] =>
  all.filter(({ name }) => names.includes(name) && name.includes(args.filter));
const atOnce = named(scenarios(UPSTREAM), [
  'native, 0.5 KB, whole',
  'native, 200 events',
  'chat-completions to anthropic, 200 events',
]);
const oneByOne = named(
  scenarios(UPSTREAM, PACED.words).map((scenario) => ({
    ...scenario,
    name: `${scenario.name}, one by one`,
    connections: PACED.connections,
  })),
  ['native, 200 events, one by one', 'chat-completions to anthropic, 200 events, one by one'],
);

stepAside();
const upstream = await startUpstream(UPSTREAM);
const starts = Number(args.starts);
const rounds = Number(args.rounds);
const seconds = Number(args.seconds);
try {
  const rows = [
    ...rowsOf(await takeTurns(ways, atOnce, { starts, rounds, seconds, firstPort: UPSTREAM + 1, steady: 1 })),
    // A round is long beside a stream, which takes 0.4 s.
    ...rowsOf(
      await takeTurns(ways, oneByOne, {
        starts,
        rounds: rounds / 2,
        seconds: 4 * seconds,
        firstPort: UPSTREAM + 51,
      }),
    ),
  ];
  report('watched', rows, args);
} finally {
  upstream.stop();
}
process.exit();

function rowsOf(seen: ReadonlyMap<string, ReadonlyMap<string, Turns>>): readonly Row[] {
  return [...seen].flatMap(([scenario, turns]) => {
    const base = turns.get('unwatched');
    return [...turns].map(([way, { rates, cpu, p50, p99, refused }]) => {
      const rate = quietest(rates, 'more');
      const spent = quietest(cpu, 'less');
      return {
        scenario,
        way,
        'answers/s': round(rate, 0),
        'of the unwatched': round(rate / quietest(base?.rates ?? [], 'more'), 3),
        'CPU µs': round(spent, 0),
        'CPU of the unwatched': round(spent / quietest(base?.cpu ?? [], 'less'), 3),
        ...(p50.length > 0 && {
          'p50 ms at half load': round(quietest(p50, 'less'), 3),
          'p99 ms at half load': round(quietest(p99, 'less'), 3),
        }),
        refused,
      };
    });
  });
}
