/**
 * The gateway under load, in one run with a bare proxy for comparison (node:http and undici and nothing
 * else): the measured process has a core to itself, the load and the upstream share another one.
 * `--starts N` sets how often each is started. bench/peers.ts measures other gateways the same way.
 */

import { ownContenders, versions } from './load/contenders.ts';
import { startUpstream, stepAside } from './load/processes.ts';
import { scenarios, translatedWhole } from './load/scenarios.ts';
import { underLoad } from './load/under-load.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, type Row, report } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 0.5, rounds: 15 }),
  starts: { type: 'string', default: '3' },
});

const UPSTREAM = 9_600;

stepAside();
const contenders = ownContenders(UPSTREAM);
const chosen = [...scenarios(), ...translatedWhole()].filter(({ name }) => name.includes(args.filter));
const upstream = await startUpstream(UPSTREAM);
let rows: readonly Row[] = [];
try {
  rows = await underLoad(contenders, chosen, {
    starts: Number(args.starts),
    rounds: Number(args.rounds),
    seconds: Number(args.seconds),
    upstream,
  });
} finally {
  upstream.stop();
}
report('load', rows, { json: args.json, filter: args.filter, versions: versions(contenders) });
process.exit();
