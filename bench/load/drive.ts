/** The load: closed (as fast as the other side allows) and open (a fixed rate, whatever happens). */

import { setTimeout as wait } from 'node:timers/promises';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isObject, tryParseJson } from '../../src/lib/json.ts';
import { RULEBOOKS, validateStream } from '../../src/protocol/validate.ts';
import type { Result } from '../../src/protocol/validator.ts';
import {
  type Address,
  type Answer,
  type Connection,
  connect,
  requestBytes,
  withoutChunks,
} from './client.ts';
import type { Request, Scenario } from './scenarios.ts';

/** One in this many answers is read by the protocol validator. */
const JUDGED = 50;

export interface Load {
  /** Answers with status 200, and others, which are only counted. */
  readonly answers: number;
  readonly refused: number;
  /** The status of the last of those; 0: there were none. */
  readonly refusedWith: number;
  readonly seconds: number;
  /** Answers that broke their protocol or lost a part of their text, of those validated. */
  readonly broken: number;
  readonly judged: number;
  /** The rules that were broken. */
  readonly rules: readonly string[];
  /** Milliseconds to the end of each answer, and to the first byte of its body. */
  readonly latencies: readonly number[];
  readonly firstBytes: readonly number[];
}

/** How the answers are validated, and how many requests are open at a time. */
export type Driven = Pick<Scenario, 'format' | 'streamed' | 'connections' | 'expected'>;

/**
 * Sends as much as the other side takes, for the given time.
 * @param onBegin called when the connections are open and nothing has been sent yet.
 */
export function closedLoad(
  address: Address,
  request: Request,
  scenario: Driven,
  seconds: number,
  onBegin?: () => void,
): Promise<Load> {
  return loadDuring(address, request, scenario, () => {
    onBegin?.();
    return wait(seconds * 1000);
  });
}

/**
 * Sends as much as the other side takes, until `course` ends.
 * @param course starts when the connections are open and nothing has been sent yet; receives the number of
 * answers.
 */
export function loadDuring(
  address: Address,
  request: Request,
  scenario: Driven,
  course: (answers: () => number) => Promise<void>,
): Promise<Load> {
  return load(address, request, scenario, async (one, answers) => {
    let over = false;
    const worker = async (): Promise<void> => {
      while (!over) await one();
    };
    const end = course(answers).finally(() => {
      over = true;
    });
    await Promise.all([end, ...Array.from({ length: scenario.connections }, worker)]);
  });
}

/** Sends `rate` requests a second, whether the last one is answered or not. */
export async function openLoad(
  address: Address,
  request: Request,
  scenario: Driven,
  seconds: number,
  rate: number,
): Promise<Load> {
  return load(address, request, scenario, async (one) => {
    const began = performance.now();
    const running: Promise<void>[] = [];
    const all = Math.floor(rate * seconds);
    for (let sent = 0; sent < all; sent += 1) {
      const early = began + (sent * 1000) / rate - performance.now();
      if (early > 0) await wait(early);
      running.push(one());
    }
    await Promise.all(running);
  });
}

async function load(
  address: Address,
  request: Request,
  driven: Driven,
  drive: (one: () => Promise<void>, answers: () => number) => Promise<void>,
): Promise<Load> {
  const bytes = requestBytes(address, request);
  const all: Connection[] = await Promise.all(
    Array.from({ length: driven.connections }, () => connect(address)),
  );
  const idle = [...all];
  const latencies: number[] = [];
  const firstBytes: number[] = [];
  const rules = new Set<string>();
  let asked = 0;
  let refused = 0;
  let refusedWith = 0;
  let broken = 0;
  let judged = 0;

  async function take(): Promise<Connection> {
    for (let one = idle.pop(); one !== undefined; one = idle.pop()) if (one.usable()) return one;
    const made = await connect(address);
    all.push(made);
    return made;
  }

  async function one(): Promise<void> {
    const began = performance.now();
    const kept: Buffer[] | undefined = asked % JUDGED === 0 ? [] : undefined;
    asked += 1;
    const connection = await take();
    const answer = await connection.ask(bytes, kept && ((body) => kept.push(body)));
    idle.push(connection);
    if (answer.status !== 200) {
      refused += 1;
      refusedWith = answer.status;
      return;
    }
    latencies.push(answer.ended - began);
    firstBytes.push(answer.first - began);
    if (kept === undefined) return;
    judged += 1;
    const violations = judge(driven, answer, kept);
    if (violations.length > 0) broken += 1;
    for (const rule of violations) rules.add(rule);
  }

  const began = performance.now();
  try {
    await drive(one, () => latencies.length);
  } finally {
    for (const connection of all) connection.leave();
  }
  const seconds = (performance.now() - began) / 1000;
  return {
    answers: latencies.length,
    refused,
    refusedWith,
    seconds,
    broken,
    judged,
    rules: [...rules],
    latencies,
    firstBytes,
  };
}

/**
 * The rules that an answer breaks; `failed` if it is an error, or ends in one, and `text` if what the vendor
 * said did not come through, or came more than once.
 */
function judge(
  { format, streamed, expected }: Driven,
  { chunked }: Answer,
  pieces: readonly Buffer[],
): readonly string[] {
  const received = Buffer.concat(pieces);
  const body = chunked ? withoutChunks(received) : received;
  const { violations, failed } = streamed ? validateStream(format, [body]) : judgeWhole(format, body);
  const rules = violations.map(({ rule }) => rule);
  if (failed && rules.length === 0) rules.push('failed');
  const complete =
    expected === undefined || body.toString().split(expected.text).length === expected.times + 1;
  return complete ? rules : [...rules, 'text'];
}

function judgeWhole(format: FormatName, body: Buffer): Result {
  const answer = tryParseJson(body.toString());
  return isObject(answer) ? RULEBOOKS[format].whole(answer) : { violations: [], failed: true };
}
