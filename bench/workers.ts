/**
 * One serving process compared with several (`--workers 2`), each a whole gateway behind one port. No process
 * has a core to itself. The load and the vendor are one process with prepared answers, as cheap as possible;
 * on a machine with as many cores as workers they still share the workers' cores, so the ratio of answers a
 * second is a lower bound. The result on two free cores follows from the CPU: it scales as long as an answer
 * needs no more of it.
 */

import { cpus } from 'node:os';
import { startGateway } from './load/processes.ts';
import { listenQuickly } from './load/quick-server.ts';
import { scenarios } from './load/scenarios.ts';
import { takeTurns } from './load/take-turns.ts';
import { chat } from './load/voices.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, quietest, type Row, report, round } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 0.5, rounds: 15 }),
  starts: { type: 'string', default: '3' },
  workers: { type: 'string', default: '2' },
});
const workers = Number(args.workers);
const UPSTREAM = 9_900;

const HEAD = 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\n';
const whole = Buffer.from(
  `${HEAD}content-type: application/json\r\ncontent-length: ${chat.whole.length}\r\n\r\n${chat.whole}`,
);
const events = `${chat.head.join('')}${chat.delta.repeat(200)}${chat.tail.join('')}`;
const stream = Buffer.from(
  `${HEAD}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${events.length.toString(16)}\r\n${events}\r\n0\r\n\r\n`,
);
const upstream = listenQuickly(UPSTREAM, ({ body }, reply) =>
  reply.end(body.includes('"stream":true') ? stream : whole),
);

const serving = (count: number) => (port: number) =>
  startGateway(port, UPSTREAM, { config: { workers: count, log: 'none' }, core: 'any' });

const chosen = scenarios().filter(
  ({ name }) => ['native, 0.5 KB, whole', 'native, 200 events'].includes(name) && name.includes(args.filter),
);
const seen = await takeTurns({ 1: serving(1), [workers]: serving(workers) }, chosen, {
  starts: Number(args.starts),
  rounds: Number(args.rounds),
  seconds: Number(args.seconds),
  firstPort: UPSTREAM + 1,
});
const rows: Row[] = [];
for (const [scenario, turns] of seen) {
  const one = turns.get('1');
  const rateOfOne = quietest(one?.rates ?? [], 'more');
  const cpuOfOne = quietest(one?.cpu ?? [], 'less');
  for (const [count, { rates, cpu, ours, refused }] of turns) {
    const rate = quietest(rates, 'more');
    const spent = quietest(cpu, 'less');
    rows.push({
      scenario,
      workers: Number(count),
      'answers/s': round(rate, 0),
      'of one worker': round(rate / rateOfOne),
      'CPU µs': round(spent, 0),
      'CPU µs of the load': round(quietest(ours, 'less'), 0),
      'free cores would give': round((Number(count) * cpuOfOne) / spent),
      refused,
    });
  }
}
upstream.close();
report('workers', rows, args);
if (!args.json) {
  console.log(
    `The load and the vendor share the ${cpus().length} cores with the workers: the ratio is a lower bound.`,
  );
}
process.exit();
