/**
 * What watching costs: the gateway with all of it on beside one that nobody watches, in the same run.
 *   unwatched        the same request path and nothing that looks at it (bench/load/plain-gateway.ts): what is kept,
 *                    counted and told of an exchange cannot all be turned off by configuration
 *   usage, metrics   as a start has it without an access log: SQLite store, metrics; no limits
 *   access log       with a line of JSON an exchange, into a file
 *   all              with limits on the caller's key too
 * Its one core has to do for the thread of the store as well, which on most machines finds another one.
 */

import { parseArgs } from 'node:util';
import type { ConfigInput } from '../src/config/schema.ts';
import { KEY, startGateway, startUpstream, stepAside } from './load/processes.ts';
import { scenarios } from './load/scenarios.ts';
import { takeTurns } from './load/take-turns.ts';
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

const plain = { program: [`${import.meta.dirname}/load/plain-gateway.ts`] };
const ways = {
  unwatched: (port: number) => startGateway(port, UPSTREAM, plain),
  'usage, metrics': (port: number) => startGateway(port, UPSTREAM, { config: { log: 'none' } }),
  'access log': (port: number) => startGateway(port, UPSTREAM, { config: { log: 'json' }, printing: true }),
  all: (port: number) =>
    startGateway(port, UPSTREAM, { config: { log: 'json', keys: limited }, printing: true }),
};

stepAside();
const upstream = await startUpstream(UPSTREAM);
const chosen = scenarios(UPSTREAM).filter(
  ({ name }) => ['native, 0.5 KB, whole', 'native, 200 events'].includes(name) && name.includes(args.filter),
);
try {
  const seen = await takeTurns(ways, chosen, {
    starts: Number(args.starts),
    rounds: Number(args.rounds),
    seconds: Number(args.seconds),
    firstPort: UPSTREAM + 1,
  });
  const rows: Row[] = [];
  for (const [scenario, turns] of seen) {
    const base = turns.get('unwatched');
    for (const [way, { rates, cpu, refused }] of turns) {
      const rate = quietest(rates, 'more');
      const spent = quietest(cpu, 'less');
      rows.push({
        scenario,
        way,
        'answers/s': round(rate, 0),
        'of the unwatched': round(rate / quietest(base?.rates ?? [], 'more'), 3),
        'CPU µs': round(spent, 0),
        'CPU of the unwatched': round(spent / quietest(base?.cpu ?? [], 'less'), 3),
        refused,
      });
    }
  }
  report('watched', rows, args);
} finally {
  upstream.stop();
}
process.exit();
