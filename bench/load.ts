/**
 * The gateway under load, in one run with a bare proxy for comparison (node:http and undici
 * proxy) and with Portkey's gateway: the measured process has a core to itself, the load and the upstream
 * share another one.
 *
 * The contenders take turns in short rounds, and each is restarted a few times, since a process can be lucky
 * with its heap. The figures for answers a second, CPU and latency are the middle of the best quarter of all
 * rounds: other work on the machine makes rounds worse, never better.
 *
 * `--url http://host:port/v1 --key KEY` measures any other gateway that supports chat-completions instead of
 * Portkey's; bench/NOTES.md describes its setup. `--starts N` sets how often each is started.
 */

import { type Contender, contendersBefore, versions } from './load/contenders.ts';
import { closedLoad, type Load, openLoad } from './load/drive.ts';
import { otherGateway, otherOptions } from './load/other.ts';
import { cpuOf, forgetPeak, type Measured, memoryOf, startUpstream, stepAside } from './load/processes.ts';
import { type Request, type Scenario, scenarios, translatedWhole } from './load/scenarios.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, quantile, quietest, type Row, report, round } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 0.5, rounds: 15 }),
  starts: { type: 'string', default: '3' },
  ...otherOptions,
});
const starts = Number(args.starts);
const roundsEach = Math.ceil(Number(args.rounds) / starts);
const seconds = Number(args.seconds);

/** Seconds of load before anything counts, after each start. */
const WARM_UP = 1;
/** Seconds and rounds of latency measurement in each start. */
const STEADY = { seconds: 1, rounds: 2 };

const UPSTREAM = 9_600;
const EVENTS = 200;

/** The measurements of one contender in one scenario. */
interface Seen {
  readonly rates: number[];
  /** CPU microseconds an answer, and the share of its core that it had. */
  readonly cpu: number[];
  readonly busy: number[];
  readonly p50: number[];
  readonly p99: number[];
  readonly first: number[];
  peak: number;
  refused: number;
  broken: number;
  judged: number;
  readonly rules: Set<string>;
}

const nothingSeen = (): Seen => ({
  rates: [],
  cpu: [],
  busy: [],
  p50: [],
  p99: [],
  first: [],
  peak: 0,
  refused: 0,
  broken: 0,
  judged: 0,
  rules: new Set(),
});

async function pressed(
  contender: Contender,
  process: Measured,
  request: Request,
  scenario: Scenario,
  seen: Seen,
): Promise<void> {
  const driven = contender.bare ? { ...scenario, format: scenario.spoken } : scenario;
  const { pid } = process;
  let before = 0;
  const load = await closedLoad(process, request, driven, seconds, () => {
    before = pid === undefined ? Number.NaN : cpuOf(pid);
  });
  seen.refused += load.refused;
  if (load.answers === 0) return;
  seen.rates.push(load.answers / load.seconds);
  if (pid !== undefined) {
    const used = cpuOf(pid) - before;
    seen.cpu.push(used / load.answers);
    seen.busy.push(used / 1e6 / load.seconds);
    seen.peak = Math.max(seen.peak, memoryOf(pid).peak);
  }
  seen.broken += load.broken;
  seen.judged += load.judged;
  for (const rule of load.rules) seen.rules.add(rule);
}

function steadied(seen: Seen, { latencies, firstBytes }: Load): void {
  seen.p50.push(quantile(latencies, 0.5));
  seen.p99.push(quantile(latencies, 0.99));
  seen.first.push(quantile(firstBytes, 0.5));
}

interface Standing {
  readonly contender: Contender;
  readonly process: Measured;
  readonly request: Request;
  readonly seen: Seen;
}

/** Whether it answers at all, once it is warm. */
async function warm({ contender, process, request }: Standing, scenario: Scenario): Promise<boolean> {
  const { answers, refusedWith } = await closedLoad(process, request, scenario, WARM_UP);
  if (answers === 0) {
    console.error(`${scenario.name}: ${contender.name} answers with ${refusedWith} only, and is left out.`);
    return false;
  }
  if (process.pid !== undefined) forgetPeak(process.pid);
  return true;
}

async function measure(scenario: Scenario, all: readonly Standing[], direct: Seen): Promise<void> {
  const standing: Standing[] = [];
  for (const one of all) if (await warm(one, scenario)) standing.push(one);
  for (let turn = 0; turn < roundsEach; turn += 1) {
    for (const { contender, process, request, seen } of standing)
      await pressed(contender, process, request, scenario, seen);
  }
  // Half of what the slowest can do, and the same rate for all.
  const rate = Math.max(5, Math.min(...standing.map(({ seen }) => quietest(seen.rates, 'more'))) / 2);
  const steady = [{ process: upstream, request: scenario.direct, seen: direct }, ...standing];
  for (let turn = 0; turn < STEADY.rounds; turn += 1) {
    for (const { process, request, seen } of steady)
      steadied(seen, await openLoad(process, request, scenario, STEADY.seconds, rate));
  }
}

function row(scenario: Scenario, name: string, seen: Seen, bare: Seen, direct: Seen): Row {
  const rate = (of: Seen): number => quietest(of.rates, 'more');
  const cpu = quietest(seen.cpu, 'less');
  const added = (what: 'p50' | 'p99' | 'first'): number =>
    round(quietest(seen[what], 'less') - quietest(direct[what], 'less'));
  return {
    scenario: scenario.name,
    through: name,
    'answers/s': round(rate(seen), 0),
    'of the bare proxy': round(rate(seen) / rate(bare)),
    ...(seen.cpu.length > 0 && {
      'CPU µs': round(cpu, 0),
      'CPU of the bare': round(cpu / quietest(bare.cpu, 'less')),
      ...(scenario.streamed && { 'CPU µs/event': round(cpu / EVENTS) }),
      busy: round(quietest(seen.busy, 'more')),
    }),
    'added p50 ms': added('p50'),
    'added p99 ms': added('p99'),
    'added first byte p50': added('first'),
    ...(seen.peak > 0 && { 'peak MB': round(seen.peak / 2 ** 20, 0) }),
    refused: seen.refused,
    'broken streams':
      seen.judged > 0 ? `${seen.broken} of ${seen.judged} ${[...seen.rules].join(' ')}`.trim() : '-',
  };
}

stepAside();
const other = otherGateway(args);
const contenders = contendersBefore(UPSTREAM, other);
const upstream = await startUpstream(UPSTREAM);
const chosen = [...scenarios(UPSTREAM), ...translatedWhole(UPSTREAM)].filter(({ name }) =>
  name.includes(args.filter),
);
const table = new Map<string, Map<string, Seen>>();
const seenOf = (scenario: string, who: string): Seen => {
  const row = table.get(scenario) ?? new Map<string, Seen>();
  const seen = row.get(who) ?? nothingSeen();
  table.set(scenario, row.set(who, seen));
  return seen;
};
let port = UPSTREAM + 1;
try {
  for (let started = 0; started < starts; started += 1) {
    const running: { readonly contender: Contender; readonly process: Measured }[] = [];
    try {
      for (const contender of contenders) {
        running.push({ contender, process: await contender.start(port) });
        port += 1;
      }
      for (const scenario of chosen) {
        const standing = running.flatMap(({ contender, process }) => {
          const request = contender.request(scenario);
          return request
            ? [{ contender, process, request, seen: seenOf(scenario.name, contender.name) }]
            : [];
        });
        await measure(scenario, standing, seenOf(scenario.name, 'direct'));
      }
    } finally {
      for (const { process } of running) process.stop();
    }
  }
} finally {
  upstream.stop();
}

const rows = chosen.flatMap((scenario) =>
  contenders.flatMap((contender) => {
    const seen = seenOf(scenario.name, contender.name);
    if (seen.rates.length === 0) return [];
    const bare = seenOf(scenario.name, 'bare proxy');
    return [row(scenario, contender.name, seen, bare, seenOf(scenario.name, 'direct'))];
  }),
);
// The README shows the comparison with Portkey's.
report(other ? 'load-other' : 'load', rows, {
  json: args.json,
  filter: args.filter,
  versions: versions(contenders),
});
process.exit();
