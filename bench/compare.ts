/**
 * Two versions of the gateway in one run, beside the bare proxy and the gateway with a stream for each stage
 * (`GATEWAY_CHAIN=streams`): `--against DIR` is a checkout of the other version, built there by `npm run build`.
 *
 * They take turns in short rounds. Each turn's CPU per answer is divided by that of the first one in the same
 * turn, so other work on the machine weighs on both sides, and the figure is the median of these ratios. Next to
 * it is the ratio of their best quarters, as in the other benches: other work only ever makes a turn worse.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { startBareProxy, startGateway, startUpstream, stepAside } from './load/processes.ts';
import { scenarios, translatedWhole } from './load/scenarios.ts';
import { type Contending, takeTurns } from './load/take-turns.ts';
import { argumentsOf, refuse } from './support/arguments.ts';
import { benchOptions, median, quantile, quietest, type Row, report, round } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 0.3, rounds: 60 }),
  starts: { type: 'string', default: '3' },
  against: { type: 'string', multiple: true },
});

const UPSTREAM = 9_960;

type Start = (port: number) => Promise<Contending>;

/** The program of a checkout: the command of its package, as it was built there. */
function programOf(folder: string): readonly string[] {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) refuse(`--against: ${folder} is not a checkout of the gateway`);
  const { bin } = JSON.parse(readFileSync(file, 'utf8'));
  const program = resolve(folder, String(bin.gateway));
  if (!existsSync(program)) refuse(`--against: ${program} is missing: npm run build in that checkout`);
  return [program, 'start'];
}

const others = (args.against ?? []).map((folder): [string, Start] => {
  const program = programOf(folder);
  return [basename(resolve(folder)), (port) => startGateway(port, UPSTREAM, { program })];
});
const ways: Readonly<Record<string, Start>> = {
  ...Object.fromEntries(others),
  gateway: (port) => startGateway(port, UPSTREAM),
  'with streams': (port) => startGateway(port, UPSTREAM, { env: { GATEWAY_CHAIN: 'streams' } }),
  'bare proxy': async (port) => ({ ...(await startBareProxy(port, UPSTREAM)), bare: true }),
};
const [first = ''] = Object.keys(ways);

const chosen = [
  ...scenarios().filter((scenario) => !scenario.streamed),
  ...translatedWhole(),
  ...scenarios().filter((scenario) => scenario.streamed),
  // Words one by one: each is a read and a write.
  ...scenarios('pace:2')
    .filter((scenario) => scenario.streamed)
    .map((scenario) => ({ ...scenario, name: `${scenario.name}, one by one`, connections: 64 })),
].filter(({ name }) => name.includes(args.filter));

stepAside();
const upstream = await startUpstream(UPSTREAM);
const rows: Row[] = [];
try {
  const seen = await takeTurns(ways, chosen, {
    starts: Number(args.starts),
    rounds: Number(args.rounds),
    seconds: Number(args.seconds),
    firstPort: UPSTREAM + 1,
  });
  for (const [scenario, turns] of seen) {
    const base = turns.get(first)?.cpu ?? [];
    for (const [way, { cpu, refused, broken }] of turns) {
      if (cpu.length !== base.length) throw new Error(`${way} did not answer in every turn of ${scenario}.`);
      const ratios = cpu.map((used, turn) => used / (base[turn] ?? Number.NaN));
      rows.push({
        scenario,
        through: way,
        'CPU µs': round(median(cpu), 0),
        [`of ${first}`]: round(median(ratios), 3),
        'of its best': round(quietest(cpu, 'less') / quietest(base, 'less'), 3),
        'middle half': `${round(quantile(ratios, 0.25), 3)} to ${round(quantile(ratios, 0.75), 3)}`,
        refused,
        broken,
      });
    }
  }
} finally {
  upstream.stop();
}
report('compare', rows, args);
process.exit();
