/**
 * Contenders under load, in turns: as fast as each can, for its rate, CPU and memory, and then at the same
 * steady rate for all, for what each adds to the time of an answer.
 *
 * They take turns in short rounds, and each is restarted a few times, since a process can be lucky with its
 * heap. A figure is the middle of the best quarter of all rounds: other work on the machine makes rounds
 * worse, never better.
 */

import { quantile, quietest, type Row, round } from '../support/report.ts';
import type { Contender } from './contenders.ts';
import { closedLoad, type Load, openLoad } from './drive.ts';
import { cpuOf, forgetPeak, memoryOf } from './observe.ts';
import type { Measured } from './processes.ts';
import type { Request, Scenario } from './scenarios.ts';
import { EVENTS } from './voices.ts';

export interface LoadOptions {
  readonly starts: number;
  /** Rounds in total. */
  readonly rounds: number;
  readonly seconds: number;
  readonly upstream: Measured;
  /** Told what begins. */
  readonly progress?: (what: string) => void;
}

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

interface Standing {
  readonly contender: Contender;
  readonly process: Measured;
  readonly request: Request;
  readonly seen: Seen;
}

/**
 * Seconds of load before anything counts, after each start: for about as long V8 compiles what the load calls. They come
 * in turns of a second, as in `take-turns.ts`.
 */
const WARM_UP = 5;
/** Seconds and rounds of latency measurement in each start. */
const STEADY = { seconds: 1, rounds: 2 };

/** Whether it answers at all: one request alone, and then a second of load. */
async function answers({ contender, process, request }: Standing, scenario: Scenario): Promise<boolean> {
  await closedLoad(process, request, { ...scenario, connections: 1 }, 0);
  const { answers: given, refusedWith } = await closedLoad(process, request, scenario, 1);
  if (given === 0) {
    console.error(`${scenario.name}: ${contender.name} answers with ${refusedWith} only, and is left out.`);
  }
  return given > 0;
}

/** One more second of the warm-up. */
async function warm({ process, request }: Standing, scenario: Scenario): Promise<boolean> {
  await closedLoad(process, request, scenario, 1);
  return true;
}

async function pressed(
  { contender, process, request, seen }: Standing,
  scenario: Scenario,
  seconds: number,
): Promise<boolean> {
  const driven = contender.bare ? { ...scenario, format: scenario.spoken } : scenario;
  const { pid } = process;
  let before = 0;
  const load = await closedLoad(process, request, driven, seconds, () => {
    before = pid === undefined ? Number.NaN : cpuOf(pid);
  });
  seen.refused += load.refused;
  if (load.answers === 0) return true;
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
  return true;
}

/**
 * A peer may break off in the middle of the load: it is then left out of the scenario, and the others go on. A
 * failure of our own contenders is one of the bench.
 */
async function attempt(
  { contender, seen }: Standing,
  scenario: Scenario,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (contender.setup === undefined) throw error;
    console.error(`${scenario.name}: ${contender.name} is left out: ${error}`);
    seen.judged += 1;
    seen.broken += 1;
    seen.rules.add('connection');
    return false;
  }
}

function steadied(seen: Seen, { latencies, firstBytes }: Load): void {
  seen.p50.push(quantile(latencies, 0.5));
  seen.p99.push(quantile(latencies, 0.99));
  seen.first.push(quantile(firstBytes, 0.5));
}

/** Has each do the same, one after the other. Those that fail are left out from then on. */
async function inTurn(
  standing: Set<Standing>,
  scenario: Scenario,
  work: (one: Standing) => Promise<boolean>,
): Promise<void> {
  for (const one of standing) {
    if (!(await attempt(one, scenario, () => work(one)))) standing.delete(one);
  }
}

async function measure(
  scenario: Scenario,
  all: readonly Standing[],
  direct: Seen,
  { starts, rounds, seconds, upstream }: LoadOptions,
): Promise<void> {
  const standing = new Set(all);
  await inTurn(standing, scenario, (one) => answers(one, scenario));
  for (let second = 1; second < WARM_UP; second += 1)
    await inTurn(standing, scenario, (one) => warm(one, scenario));
  for (const { process } of standing) if (process.pid !== undefined) forgetPeak(process.pid);
  for (let turn = 0; turn < Math.ceil(rounds / starts); turn += 1)
    await inTurn(standing, scenario, (one) => pressed(one, scenario, seconds));
  // Half of what the slowest can do, and the same rate for all.
  const rate = Math.max(5, Math.min(...[...standing].map(({ seen }) => quietest(seen.rates, 'more'))) / 2);
  const steady = async (process: Measured, request: Request, seen: Seen): Promise<boolean> => {
    steadied(seen, await openLoad(process, request, scenario, STEADY.seconds, rate));
    return true;
  };
  for (let turn = 0; turn < STEADY.rounds; turn += 1) {
    await steady(upstream, scenario.direct, direct);
    await inTurn(standing, scenario, ({ process, request, seen }) => steady(process, request, seen));
  }
}

/** A row for each scenario and each contender that answers it. */
export async function underLoad(
  contenders: readonly Contender[],
  chosen: readonly Scenario[],
  options: LoadOptions,
): Promise<readonly Row[]> {
  const table = new Map<string, Map<string, Seen>>();
  const seenOf = (scenario: string, who: string): Seen => {
    const row = table.get(scenario) ?? new Map<string, Seen>();
    const seen = row.get(who) ?? nothingSeen();
    table.set(scenario, row.set(who, seen));
    return seen;
  };
  let port = options.upstream.port + 1;
  for (let started = 0; started < options.starts; started += 1) {
    const running: { readonly contender: Contender; readonly process: Measured }[] = [];
    try {
      for (const contender of contenders) {
        running.push({ contender, process: await contender.start(port) });
        port += 1;
      }
      for (const scenario of chosen) {
        options.progress?.(`under load, start ${started + 1} of ${options.starts}: ${scenario.name}`);
        const standing = running.flatMap(({ contender, process }) => {
          const request = contender.request(scenario);
          return request
            ? [{ contender, process, request, seen: seenOf(scenario.name, contender.name) }]
            : [];
        });
        await measure(scenario, standing, seenOf(scenario.name, 'direct'), options);
      }
    } finally {
      for (const { process } of running) process.stop();
    }
  }
  return chosen.flatMap((scenario) =>
    contenders.flatMap(({ name }) => {
      const seen = seenOf(scenario.name, name);
      if (seen.rates.length === 0) return [];
      const bare = seenOf(scenario.name, 'bare proxy');
      return [row(scenario, name, seen, bare, seenOf(scenario.name, 'direct'))];
    }),
  );
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
    'of the bare proxy': round(rate(seen) / rate(bare), 3),
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
    'broken answers': `${seen.broken} of ${seen.judged} ${[...seen.rules].join(' ')}`.trim(),
  };
}
