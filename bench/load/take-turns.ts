/** Gateways side by side under the same load, in short rounds and several starts, as in bench/load. */

import { closedLoad, type Load } from './drive.ts';
import { cpuOf } from './observe.ts';
import type { Running } from './processes.ts';
import type { Scenario } from './scenarios.ts';

/** Measurements of one contender in one scenario, one value a round. */
export interface Turns {
  readonly rates: number[];
  /** CPU microseconds an answer: of the measured process, and of this one, which makes the load. */
  readonly cpu: number[];
  readonly ours: number[];
  refused: number;
  /** Streams that broke their protocol. */
  broken: number;
}

export interface TurnOptions {
  /** How often each is started. */
  readonly starts: number;
  /** Rounds in total. */
  readonly rounds: number;
  readonly seconds: number;
  readonly firstPort: number;
}

/** A contender that runs. */
export interface Contending extends Running {
  /** Whether it passes the vendor's own format on, and is sent what the vendor would receive. */
  readonly bare?: boolean;
}

interface Way {
  readonly way: string;
  readonly process: Contending;
}

/**
 * Seconds of load before anything counts: for about as long V8 compiles what the load calls. They come in turns of a
 * second. With all of them at once, the first contender idles while the others have theirs, and takes a quarter more CPU
 * in all of its rounds than the last one (measured with one program as both).
 */
const WARM_UP = 6;

/** The measurements, by scenario and then by name. */
export async function takeTurns(
  ways: Readonly<Record<string, (port: number) => Promise<Contending>>>,
  chosen: readonly Scenario[],
  { starts, rounds, seconds, firstPort }: TurnOptions,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Turns>>> {
  const names = Object.keys(ways);
  const seen = new Map(chosen.map(({ name }) => [name, new Map(names.map((way) => [way, noTurns()]))]));
  let port = firstPort;
  for (let start = 0; start < starts; start += 1) {
    const running: Way[] = [];
    try {
      for (const [way, begin] of Object.entries(ways)) running.push({ way, process: await begin(port++) });
      for (const scenario of chosen) {
        const turns = seen.get(scenario.name) ?? new Map<string, Turns>();
        await measure(running, scenario, turns, { rounds: Math.ceil(rounds / starts), seconds });
      }
    } finally {
      for (const { process: one } of running) one.stop();
    }
  }
  return seen;
}

const noTurns = (): Turns => ({ rates: [], cpu: [], ours: [], refused: 0, broken: 0 });

/** Warms up all that run, and measures them in turns. */
async function measure(
  running: readonly Way[],
  scenario: Scenario,
  seen: ReadonlyMap<string, Turns>,
  { rounds, seconds }: Pick<TurnOptions, 'rounds' | 'seconds'>,
): Promise<void> {
  for (let second = 0; second < WARM_UP; second += 1)
    for (const { process: to } of running) await loaded(to, scenario, 1);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const { way, process: to } of running) {
      const turns = seen.get(way);
      if (turns) await round(to, scenario, seconds, turns);
    }
  }
}

/** One load of a scenario, as this contender is asked for it. */
function loaded(to: Contending, scenario: Scenario, seconds: number, onBegin?: () => void): Promise<Load> {
  const { format, spoken, gateway, direct } = scenario;
  const driven = { ...scenario, format: to.bare ? spoken : format };
  return closedLoad(to, to.bare ? direct : gateway, driven, seconds, onBegin);
}

async function round(to: Contending, scenario: Scenario, seconds: number, turns: Turns): Promise<void> {
  let before = 0;
  let ours = process.cpuUsage();
  const load = await loaded(to, scenario, seconds, () => {
    before = cpuOf(to.pid);
    ours = process.cpuUsage();
  });
  const used = cpuOf(to.pid) - before;
  const { user, system } = process.cpuUsage(ours);
  turns.refused += load.refused;
  turns.broken += load.broken;
  if (load.answers === 0) return;
  turns.rates.push(load.answers / load.seconds);
  turns.cpu.push(used / load.answers);
  turns.ours.push((user + system) / load.answers);
}
