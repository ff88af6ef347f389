/**
 * The gateway beside other gateways, in one run: each is started with the same vendor behind it and takes its
 * turns on the measured core under the same load, read by the same validator.
 *   --peers LIST      which, NAME[@VERSION][=PATH] with commas between them (bench/load/peers/named.ts)
 *   --url URL         any other one, already running; bench/NOTES.md describes its setup
 *   --note NAME=TEXT  what a reader has to know of one, such as how it was built
 */

import { atPace } from './load/at-a-pace.ts';
import { ownContenders, versions } from './load/contenders.ts';
import { peerByUrl, urlOptions } from './load/peers/by-url.ts';
import { peersNamed } from './load/peers/named.ts';
import { startUpstream, stepAside } from './load/processes.ts';
import { scenarios, translatedWhole } from './load/scenarios.ts';
import { underLoad } from './load/under-load.ts';
import { argumentsOf, refuse } from './support/arguments.ts';
import { benchOptions, type Row, report } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 0.5, rounds: 8 }),
  starts: { type: 'string', default: '2' },
  /** Fewer streams, and further apart, than in bench/paced.ts: the slowest is not to have a queue. */
  streams: { type: 'string', default: '16' },
  pace: { type: 'string', default: '20' },
  apart: { type: 'string', default: '25' },
  'paced-rounds': { type: 'string', default: '3' },
  peers: { type: 'string', default: 'litellm,portkey' },
  note: { type: 'string', multiple: true },
  ...urlOptions,
});

const UPSTREAM = 9_450;
/** Seconds of load before streams at a pace: what is compared is a gateway that has run for a while. */
const BEFORE = 5;
/** It takes many minutes. */
const progress = (what: string): void => console.error(what);

const notes = (args.note ?? []).map((note): readonly [string, string] => {
  const at = note.indexOf('=');
  return at > 0 ? [note.slice(0, at), note.slice(at + 1)] : refuse(`--note: ${note} is not NAME=TEXT`);
});

const byUrl = peerByUrl(args);
const peers = [...peersNamed(args.peers, UPSTREAM), ...(byUrl ? [byUrl] : [])];
const unknown = notes.find(([name]) => !peers.some((peer) => peer.name === name));
if (unknown) refuse(`--note: ${unknown[0]} is not measured`);
const setups = Object.fromEntries(
  peers.map(({ name, setup }) => [
    name,
    [setup, ...notes.filter(([of]) => of === name).map(([, text]) => text)].join('; '),
  ]),
);

stepAside();
const contenders = [...ownContenders(UPSTREAM), ...peers];
const chosen = [...scenarios(), ...translatedWhole()].filter(({ name }) => name.includes(args.filter));
const upstream = await startUpstream(UPSTREAM);
let loaded: readonly Row[] = [];
let paced: readonly Row[] = [];
try {
  loaded = await underLoad(contenders, chosen, {
    starts: Number(args.starts),
    rounds: Number(args.rounds),
    seconds: Number(args.seconds),
    upstream,
    progress,
  });
  const streamed = chosen.filter((scenario) => scenario.streamed);
  if (streamed.length > 0) {
    paced = await atPace(contenders, streamed, {
      streams: Number(args.streams),
      pace: Number(args.pace),
      apart: Number(args.apart),
      seconds: 2,
      rounds: Number(args['paced-rounds']),
      before: BEFORE,
      upstream,
      progress,
    });
  }
} finally {
  upstream.stop();
}
const options = { json: args.json, filter: args.filter, versions: versions(contenders), setups };
report('peers', loaded, options);
if (paced.length > 0) report('peers-paced', paced, options);
process.exit();
