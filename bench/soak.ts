/** Minutes of mixed load, including abandoned streams: memory must not grow. `--seconds 300`. */

import { request as httpRequest } from 'node:http';
import { closedLoad } from './load/drive.ts';
import { memoryOf } from './load/observe.ts';
import { startGateway, startUpstream, stepAside } from './load/processes.ts';
import { type Request, scenarios } from './load/scenarios.ts';
import { benchArguments, median, report, round } from './support/report.ts';

const args = benchArguments({ seconds: 300, rounds: 1 });

/** Requests a stream and disconnects in the middle of it. */
function leave(port: number, { path, headers, body }: Request): Promise<void> {
  return new Promise((resolve) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      answer.once('data', () => {
        sent.destroy();
        resolve();
      });
      answer.once('end', resolve);
    });
    sent.on('error', () => resolve());
    sent.end(body);
  });
}

stepAside();
const upstream = await startUpstream(9_800);
const gateway = await startGateway(9_801, 9_800);
const all = scenarios();
const began = performance.now();
const memory: { readonly at: number; readonly bytes: number }[] = [];
let answers = 0;
let left = 0;
let broken = 0;
try {
  while (performance.now() - began < args.seconds * 1000) {
    for (const scenario of all) {
      const load = await closedLoad(gateway, scenario.gateway, { ...scenario, connections: 16 }, 1);
      answers += load.answers;
      broken += load.broken;
      if (!scenario.streamed) continue;
      await Promise.all(Array.from({ length: 50 }, () => leave(gateway.port, scenario.gateway)));
      left += 50;
    }
    memory.push({ at: (performance.now() - began) / 1000, bytes: memoryOf(gateway.pid).now });
  }
} finally {
  gateway.stop();
  upstream.stop();
}

/** The first third is the warm-up; after it, memory must stay where it is. */
const settled = memory.slice(Math.floor(memory.length / 3));
const half = Math.floor(settled.length / 2);
const early = median(settled.slice(0, half).map(({ bytes }) => bytes));
const late = median(settled.slice(half).map(({ bytes }) => bytes));
report(
  'soak',
  [
    {
      seconds: args.seconds,
      answers,
      'left in the middle': left,
      'broken answers': broken,
      'early MB': round(early / 2 ** 20, 1),
      'late MB': round(late / 2 ** 20, 1),
      growth: round(late / early),
    },
  ],
  args,
);
process.exit();
