/**
 * Streams that send a word every so many milliseconds, as models do. Measured are the gaps between the words
 * at the caller, the delay that each contender adds to the first word (to the word itself, not to the opening
 * of the stream), and how long after a caller disconnects the vendor notices. The contenders take turns in
 * rounds.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { quantile, quietest, type Row, round } from '../support/report.ts';
import { connect, requestBytes } from './client.ts';
import { type Contender, vendor } from './contenders.ts';
import { closedLoad } from './drive.ts';
import type { Measured } from './processes.ts';
import { type Scenario, scenarios } from './scenarios.ts';
import { EVENTS } from './voices.ts';

export interface PaceOptions {
  /** Streams at a time. */
  readonly streams: number;
  /** Milliseconds between two words, and between the beginnings of two streams. */
  readonly pace: number;
  readonly apart: number;
  /** Seconds until a stream is abandoned. */
  readonly seconds: number;
  readonly rounds: number;
  /** Seconds of load that each contender has before; absent: it has answered one request, and is cold. */
  readonly before?: number;
  readonly upstream: Measured;
  /** Told what begins. */
  readonly progress?: (what: string) => void;
}

/** Milliseconds within which a vendor must notice that the caller has disconnected. */
const PATIENCE = 500;

interface Round {
  readonly gaps: readonly number[];
  readonly firsts: readonly number[];
  /** Milliseconds from the caller's disconnect until the vendor notices. */
  readonly cancels: readonly number[];
  readonly unseen: number;
}

interface Heard {
  readonly gaps: readonly number[];
  readonly first: number;
  /** When it was abandoned, on the machine's monotonic clock in nanoseconds. */
  readonly left: bigint;
}

/** One stream, abandoned halfway. */
async function hear(to: Measured, contender: Contender, scenario: Scenario, seconds: number): Promise<Heard> {
  const request = contender.request(scenario);
  if (request === undefined) throw new Error(`${contender.name} is not asked for ${scenario.name}.`);
  const connection = await connect(to);
  const asked = performance.now();
  /** When each word came: only the vendor's events contain the time at which they were sent. */
  const times: number[] = [];
  // It is abandoned before its end, so it never has one: only a failure ends it.
  const failed = connection
    .ask(requestBytes(to, request), (bytes) => {
      if (bytes.includes(' at:')) times.push(performance.now());
    })
    .then(({ status }) => Promise.reject(new Error(`a stream ended early, with the status ${status}`)));
  await Promise.race([wait(seconds * 1000), failed]);
  const left = process.hrtime.bigint();
  connection.leave();
  if (times.length === 0) throw new Error(`no word came within ${seconds} s`);
  return {
    gaps: times.slice(1).map((time, at) => time - (times[at] ?? time)),
    first: (times[0] ?? Number.NaN) - asked,
    left,
  };
}

/**
 * The streams begin and end one after the other, as real ones do.
 * @param first the number of the first stream. No two rounds have a number in common, since the vendor may
 * notice the end of a stream only in a later round.
 */
async function listen(
  to: Measured,
  contender: Contender,
  name: string,
  { streams, pace, apart, seconds, upstream }: PaceOptions,
  first: number,
): Promise<Round> {
  const numbers = Array.from({ length: streams }, (_, at) => first + at);
  await leavings(upstream);
  // All are waited for, so that nothing of them disturbs the next turn if one fails.
  const ended = await Promise.allSettled(
    numbers.map(async (number, at) => {
      await wait(at * apart);
      const scenario = scenarios(`pace:${pace} stream:${number}`).find((one) => one.name === name);
      if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
      return hear(to, contender, scenario, seconds);
    }),
  );
  const heard = ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  await wait(PATIENCE);
  const seen = new Map((await leavings(upstream)).map(({ stream, at }) => [stream, BigInt(at)]));
  const cancels = heard.flatMap(({ left }, at) => {
    const seenAt = seen.get(first + at);
    return seenAt === undefined ? [] : [Number(seenAt - left) / 1e6];
  });
  const unseen = streams - cancels.length;
  // Streams that nobody reads go on through the contender, which shares its core with the next one.
  if (unseen > 0) await wait(Math.max(0, (EVENTS * pace - seconds * 1000 - PATIENCE) * 1.1));
  return {
    gaps: heard.flatMap(({ gaps }) => gaps),
    firsts: heard.map((one) => one.first),
    cancels,
    unseen,
  };
}

/**
 * Asks once, alone: a first request may take a program seconds, since it loads what it needs only then. Then it is under
 * load for `before` seconds.
 */
async function prepare(
  to: Measured,
  contender: Contender,
  scenario: Scenario,
  before: number,
): Promise<void> {
  const request = contender.request(scenario);
  if (request === undefined) return;
  const asked = contender.bare ? { ...scenario, format: scenario.spoken } : scenario;
  await closedLoad(to, request, { ...asked, connections: 1 }, 0);
  if (before > 0) await closedLoad(to, request, asked, before);
}

async function leavings({ port }: Measured): Promise<readonly Leaving[]> {
  const answer = await fetch(`http://127.0.0.1:${port}/left`);
  const left: unknown = await answer.json();
  return Array.isArray(left) ? left : [];
}

interface Leaving {
  readonly stream: number;
  readonly at: string;
}

/** A contender that runs. */
interface Standing {
  readonly contender: Contender;
  readonly to: Measured;
}

/** A row for each scenario and each contender that answers it, and for the vendor itself, `direct`. */
export async function atPace(
  contenders: readonly Contender[],
  chosen: readonly Scenario[],
  options: PaceOptions,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const running: Standing[] = [];
  try {
    let port = options.upstream.port + 1;
    let number = 1;
    const nextNumber = (): number => {
      number += options.streams;
      return number;
    };
    for (const contender of [vendor(options.upstream), ...contenders])
      running.push({ contender, to: await contender.start(port++) });
    for (const scenario of chosen) {
      options.progress?.(`at a pace: ${scenario.name}`);
      const rounds = await measure(running, scenario, options, nextNumber);
      const direct = rounds.get('direct') ?? [];
      for (const [name, heard] of rounds) rows.push(row(scenario.name, name, heard, direct, options));
    }
  } finally {
    for (const { to } of running) to.stop();
  }
  return rows;
}

/**
 * The rounds of each contender that answers a scenario, by its name.
 * @param nextNumber the number of the first stream of the next round.
 */
async function measure(
  running: readonly Standing[],
  scenario: Scenario,
  options: PaceOptions,
  nextNumber: () => number,
): Promise<ReadonlyMap<string, readonly Round[]>> {
  const able = new Set(running.filter(({ contender }) => contender.request(scenario) !== undefined));
  const rounds = new Map([...able].map(({ contender }): [string, Round[]] => [contender.name, []]));
  for (let turn = 0; turn <= options.rounds; turn += 1) {
    for (const one of able) {
      const { contender, to } = one;
      try {
        if (turn === 0) await prepare(to, contender, scenario, options.before ?? 0);
        const heard = await listen(to, contender, scenario.name, options, nextNumber());
        // The first turn is the warm-up.
        if (turn > 0) rounds.get(contender.name)?.push(heard);
      } catch (error) {
        leaveOut(contender, scenario, error);
        able.delete(one);
        rounds.delete(contender.name);
      }
    }
  }
  return rounds;
}

/** A peer may fail, and the others go on. @throws Error for our own contenders, whose failure is one of the bench. */
function leaveOut({ name, setup }: Contender, scenario: Scenario, error: unknown): void {
  const place = `${scenario.name}: ${name}`;
  if (setup === undefined) throw new Error(place, { cause: error });
  console.error(`${place} is left out: ${error}`);
}

type Kind = 'gaps' | 'firsts' | 'cancels';

function best(rounds: readonly Round[], of: Kind, part: number): number {
  const heard = rounds.filter((one) => one[of].length > 0);
  return quietest(
    heard.map((one) => quantile(one[of], part)),
    'less',
  );
}

function row(
  scenario: string,
  name: string,
  rounds: readonly Round[],
  direct: readonly Round[],
  { streams, pace }: PaceOptions,
): Row {
  const unseen = rounds.reduce((sum, one) => sum + one.unseen, 0);
  const added = (part: number): number => round(best(rounds, 'firsts', part) - best(direct, 'firsts', part));
  const cancel = (part: number): number | string => {
    const milliseconds = best(rounds, 'cancels', part);
    return Number.isNaN(milliseconds) ? `> ${PATIENCE}` : round(milliseconds);
  };
  return {
    scenario: scenario.replace('200 events', `a word every ${pace} ms`),
    through: name,
    'first word p50 ms': round(best(rounds, 'firsts', 0.5)),
    'added first word p50': added(0.5),
    'added first word p99': added(0.99),
    'gap p50 ms': round(best(rounds, 'gaps', 0.5)),
    'gap p99 ms': round(best(rounds, 'gaps', 0.99)),
    'cancel p50 ms': cancel(0.5),
    'cancel p99 ms': cancel(0.99),
    'cancels unseen': `${unseen} of ${streams * rounds.length}`,
  };
}
