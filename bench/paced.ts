/**
 * Streams that send a word every so many milliseconds, as models do. Measured are the gaps between the words
 * at the caller, the delay that each contender adds to the first word (to the word itself, not to the opening
 * of the stream), and how long after a caller disconnects the vendor notices. The contenders take turns in
 * rounds; `direct` is the vendor itself, which shows the machine's own share. Takes `--url` as bench/load
 * does.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { connect, requestBytes } from './load/client.ts';
import { type Contender, contendersBefore, versions } from './load/contenders.ts';
import { otherGateway, otherOptions } from './load/other.ts';
import { type Measured, startUpstream, stepAside } from './load/processes.ts';
import { type Scenario, scenarios } from './load/scenarios.ts';
import { argumentsOf } from './support/arguments.ts';
import { benchOptions, quantile, quietest, type Row, report, round } from './support/report.ts';

const args = argumentsOf({
  ...benchOptions({ seconds: 1, rounds: 8 }),
  streams: { type: 'string', default: '32' },
  /** Milliseconds between two words. */
  pace: { type: 'string', default: '10' },
  ...otherOptions,
});
const streams = Number(args.streams);

const UPSTREAM = 9_650;
/** Milliseconds between the beginnings of two streams. */
const APART = 6;
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
async function hear(to: Measured, contender: Contender, scenario: Scenario): Promise<Heard> {
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
    .then(({ status }) => Promise.reject(new Error(`${scenario.name}: a stream ended early (${status}).`)));
  await Promise.race([wait(Number(args.seconds) * 1000), failed]);
  const left = process.hrtime.bigint();
  connection.leave();
  return {
    gaps: times.slice(1).map((time, at) => time - (times[at] ?? time)),
    first: (times[0] ?? Number.NaN) - asked,
    left,
  };
}

/** The streams begin and end one after the other, as real ones do. */
async function listen(to: Measured, contender: Contender, name: string): Promise<Round> {
  const numbers = Array.from({ length: streams }, (_, at) => at + 1);
  await leavings();
  const heard = await Promise.all(
    numbers.map(async (number) => {
      await wait(number * APART);
      const scenario = scenarios(UPSTREAM, `pace:${args.pace} stream:${number}`).find(
        (one) => one.name === name,
      );
      if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
      return hear(to, contender, scenario);
    }),
  );
  await wait(PATIENCE);
  const seen = new Map((await leavings()).map(({ stream, at }) => [stream, BigInt(at)]));
  const cancels = heard.flatMap(({ left }, at) => {
    const seenAt = seen.get(at + 1);
    return seenAt === undefined ? [] : [Number(seenAt - left) / 1e6];
  });
  return {
    gaps: heard.flatMap(({ gaps }) => gaps),
    firsts: heard.map(({ first }) => first),
    cancels,
    unseen: streams - cancels.length,
  };
}

async function leavings(): Promise<readonly { readonly stream: number; readonly at: string }[]> {
  const answer = await fetch(`http://127.0.0.1:${UPSTREAM}/left`);
  const left: unknown = await answer.json();
  return Array.isArray(left) ? left : [];
}

const direct: Contender = {
  name: 'direct',
  start: async () => ({ ...upstream, stop: () => undefined }),
  request: (scenario) => scenario.direct,
};

stepAside();
const other = otherGateway(args);
const upstream = await startUpstream(UPSTREAM);
const contenders = [direct, ...contendersBefore(UPSTREAM, other)];
const running: { readonly contender: Contender; readonly to: Measured }[] = [];
const rows: Row[] = [];
try {
  let port = UPSTREAM + 1;
  for (const contender of contenders) running.push({ contender, to: await contender.start(port++) });
  for (const scenario of scenarios(UPSTREAM)) {
    if (!scenario.streamed || !scenario.name.includes(args.filter)) continue;
    const able = running.filter(({ contender }) => contender.request(scenario) !== undefined);
    const rounds = new Map(able.map(({ contender }): [string, Round[]] => [contender.name, []]));
    for (let turn = 0; turn <= Number(args.rounds); turn += 1) {
      for (const { contender, to } of able) {
        const heard = await listen(to, contender, scenario.name);
        // The first turn is the warm-up.
        if (turn > 0) rounds.get(contender.name)?.push(heard);
      }
    }
    const best = (name: string, of: 'gaps' | 'firsts' | 'cancels', part: number): number =>
      quietest(
        (rounds.get(name) ?? []).filter((one) => one[of].length > 0).map((one) => quantile(one[of], part)),
        'less',
      );
    for (const { contender } of able) {
      const { name } = contender;
      const unseen = (rounds.get(name) ?? []).reduce((sum, one) => sum + one.unseen, 0);
      const cancel = (part: number): number | string => {
        const milliseconds = best(name, 'cancels', part);
        return Number.isNaN(milliseconds) ? `> ${PATIENCE}` : round(milliseconds);
      };
      rows.push({
        scenario: scenario.name.replace('200 events', `a word every ${args.pace} ms`),
        through: name,
        'first word p50 ms': round(best(name, 'firsts', 0.5)),
        'added first word p50': round(best(name, 'firsts', 0.5) - best('direct', 'firsts', 0.5)),
        'added first word p99': round(best(name, 'firsts', 0.99) - best('direct', 'firsts', 0.99)),
        'gap p50 ms': round(best(name, 'gaps', 0.5)),
        'gap p99 ms': round(best(name, 'gaps', 0.99)),
        'cancel p50 ms': cancel(0.5),
        'cancel p99 ms': cancel(0.99),
        'cancels unseen': `${unseen} of ${streams * Number(args.rounds)}`,
      });
    }
  }
} finally {
  for (const { to } of running) to.stop();
  upstream.stop();
}
report(other ? 'paced-other' : 'paced', rows, {
  json: args.json,
  filter: args.filter,
  versions: versions(contenders),
});
process.exit();
