/**
 * The gateway under load, beside the floor for any gateway on Node (a bare node:http and undici proxy) and beside
 * Portkey's gateway, in one run: the measured process has a core for itself, the load and the upstream another one.
 * `--url http://host:port --key KEY` measures any other gateway that speaks chat-completions in place of Portkey's.
 */

import { closedLoad, type Load, openLoad } from './load/drive.ts';
import {
  cpuOf,
  type Measured,
  memoryOf,
  startBareProxy,
  startGateway,
  startPortkey,
  startUpstream,
  stepAside,
} from './load/processes.ts';
import { type Request, type Scenario, scenarios } from './load/scenarios.ts';
import { benchArguments, median, quantile, type Row, report, round } from './support/report.ts';

const args = benchArguments({ seconds: 2, rounds: 5 });

interface Contender {
  readonly name: string;
  readonly process: Measured;
  request(scenario: Scenario): Request | undefined;
  /** Whether it gives what the vendor says as it is. */
  readonly bare?: boolean;
}

interface Round {
  readonly rate: number;
  /** CPU microseconds an answer. */
  readonly cpu: number;
}

stepAside();
const upstream = await startUpstream(9_600);
const contenders: Contender[] = [
  {
    name: 'bare proxy',
    process: await startBareProxy(9_601, 9_600),
    request: ({ direct }) => direct,
    bare: true,
  },
  { name: 'gateway', process: await startGateway(9_602, 9_600), request: ({ gateway }) => gateway },
];
const portkey = await startPortkey(9_603);
if (portkey) contenders.push({ name: 'portkey', process: portkey, request: (scenario) => scenario.portkey });

async function measure({ process: { port, pid }, bare }: Contender, request: Request, scenario: Scenario) {
  const before = cpuOf(pid);
  const driven = bare ? { ...scenario, format: scenario.spoken } : scenario;
  const result = await closedLoad(port, request, driven, args.seconds);
  const used = cpuOf(pid) - before;
  return { result, round: { rate: result.answers / result.seconds, cpu: used / result.answers } };
}

const added = (through: Load, direct: Load, part: number, of: 'latencies' | 'firstBytes'): number =>
  round(quantile(through[of], part) - quantile(direct[of], part));

const rows: Row[] = [];
try {
  for (const scenario of scenarios(upstream.port)) {
    if (!scenario.name.includes(args.filter)) continue;
    const rounds = new Map<string, Round[]>();
    const broken = new Map<string, { broken: number; judged: number; rules: readonly string[] }>();
    for (let turn = 0; turn <= args.rounds; turn += 1) {
      for (const contender of contenders) {
        const request = contender.request(scenario);
        if (request === undefined) continue;
        try {
          const { result, round: measured } = await measure(contender, request, scenario);
          // The first turn warms up.
          if (turn > 0) rounds.set(contender.name, [...(rounds.get(contender.name) ?? []), measured]);
          const sofar = broken.get(contender.name) ?? { broken: 0, judged: 0, rules: [] };
          broken.set(contender.name, {
            broken: sofar.broken + result.broken,
            judged: sofar.judged + result.judged,
            rules: [...new Set([...sofar.rules, ...result.rules])],
          });
        } catch (error) {
          if (turn === 0)
            console.error(`${contender.name}: ${error instanceof Error ? error.message : error}`);
        }
      }
    }
    const rateOf = (name: string): number => median((rounds.get(name) ?? []).map(({ rate }) => rate));
    const events = scenario.streamed ? 200 : 1;
    for (const contender of contenders) {
      const request = contender.request(scenario);
      const measured = rounds.get(contender.name);
      if (request === undefined || measured === undefined) continue;
      // Half of what the slowest can do, and the very same rate for everyone.
      const half = Math.max(5, Math.min(...contenders.map(({ name }) => rateOf(name) || Infinity)) / 2);
      const direct = await openLoad(upstream.port, scenario.direct, scenario, args.seconds, half);
      const through = await openLoad(contender.process.port, request, scenario, args.seconds, half);
      const cpu = median(measured.map((one) => one.cpu));
      const counts = broken.get(contender.name);
      rows.push({
        scenario: scenario.name,
        through: contender.name,
        'answers/s': round(rateOf(contender.name), 0),
        'of the bare proxy': round(rateOf(contender.name) / rateOf('bare proxy')),
        'CPU µs': round(cpu, 0),
        'CPU of the bare': round(cpu / median((rounds.get('bare proxy') ?? []).map((one) => one.cpu))),
        ...(scenario.streamed && { 'CPU µs/event': round(cpu / events) }),
        'added p50 ms': added(through, direct, 0.5, 'latencies'),
        'added p99 ms': added(through, direct, 0.99, 'latencies'),
        'added first byte p50': added(through, direct, 0.5, 'firstBytes'),
        'peak MB': round(memoryOf(contender.process.pid).peak / 2 ** 20, 0),
        'broken streams':
          counts && counts.judged > 0
            ? `${counts.broken} of ${counts.judged} ${counts.rules.join(' ')}`.trim()
            : '-',
      });
    }
  }
  report('load', rows, args);
} finally {
  for (const { process: running } of contenders) running.stop();
  upstream.stop();
}
process.exit();
