/**
 * Streams at the pace of models, through the gateway, the bare proxy, and without either; bench/peers.ts
 * measures other gateways the same way.
 */

import { atPace } from './load/at-a-pace.ts';
import { ownContenders, versions } from './load/contenders.ts';
import { startUpstream, stepAside } from './load/processes.ts';
import { scenarios } from './load/scenarios.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, type Row, report } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 1, rounds: 8 }),
  streams: { type: 'string', default: '32' },
  /** Milliseconds between two words. */
  pace: { type: 'string', default: '10' },
  /** Milliseconds between the beginnings of two streams. */
  apart: { type: 'string', default: '6' },
  /** Seconds of load before. */
  before: { type: 'string', default: '0' },
});

const UPSTREAM = 9_650;

stepAside();
const contenders = ownContenders(UPSTREAM);
const chosen = scenarios().filter(({ name, streamed }) => streamed && name.includes(args.filter));
const upstream = await startUpstream(UPSTREAM);
let rows: readonly Row[] = [];
try {
  rows = await atPace(contenders, chosen, {
    streams: Number(args.streams),
    pace: Number(args.pace),
    apart: Number(args.apart),
    before: Number(args.before),
    seconds: Number(args.seconds),
    rounds: Number(args.rounds),
    upstream,
  });
} finally {
  upstream.stop();
}
report('paced', rows, { json: args.json, filter: args.filter, versions: versions(contenders) });
process.exit();
