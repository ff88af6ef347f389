/** The load: closed (as fast as it goes) and open (so many a second, come what may). */

import { Pool } from 'undici';
import { decodeSse } from '../../src/streams/sse.ts';
import type { Sink } from '../../src/streams/step.ts';
import { validator } from '../../src/validate/validate.ts';
import type { Request, Scenario } from './scenarios.ts';

/** Every so many streams one is read by the protocol validator. */
const JUDGED = 50;

export interface Load {
  /** Answers. */
  readonly answers: number;
  readonly seconds: number;
  /** Streams that broke their protocol, of those judged. */
  readonly broken: number;
  readonly judged: number;
  /** Which rules were broken. */
  readonly rules: readonly string[];
  /** Milliseconds to the end of each answer, and to the first byte of its body. */
  readonly latencies: readonly number[];
  readonly firstBytes: readonly number[];
}

/** What is sent, and how the answer is judged. */
export type Driven = Pick<Scenario, 'name' | 'format' | 'streamed' | 'connections'>;

/** Sends as much as the other side takes, for so long. */
export async function closedLoad(
  port: number,
  request: Request,
  scenario: Driven,
  seconds: number,
): Promise<Load> {
  return load(port, scenario, async (one) => {
    const until = performance.now() + seconds * 1000;
    const worker = async (): Promise<void> => {
      while (performance.now() < until) await one(request);
    };
    await Promise.all(Array.from({ length: scenario.connections }, worker));
  });
}

/** Sends `rate` requests a second, whether the last one is answered or not. */
export async function openLoad(
  port: number,
  request: Request,
  scenario: Driven,
  seconds: number,
  rate: number,
): Promise<Load> {
  return load(port, scenario, async (one) => {
    const began = performance.now();
    const running: Promise<void>[] = [];
    const all = Math.floor(rate * seconds);
    for (let sent = 0; sent < all; sent += 1) {
      const due = began + (sent * 1000) / rate;
      const wait = due - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      running.push(one(request));
    }
    await Promise.all(running);
  });
}

async function load(
  port: number,
  scenario: Driven,
  drive: (one: (request: Request) => Promise<void>) => Promise<void>,
): Promise<Load> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 256, pipelining: 1 });
  const latencies: number[] = [];
  const firstBytes: number[] = [];
  const rules = new Set<string>();
  let broken = 0;
  let judged = 0;

  async function one({ path, headers, body }: Request): Promise<void> {
    const began = performance.now();
    const answer = await pool.request({ method: 'POST', path, headers, body });
    if (answer.statusCode !== 200) {
      throw new Error(
        `${scenario.name}: status ${answer.statusCode}: ${(await answer.body.text()).slice(0, 300)}`,
      );
    }
    const judge =
      scenario.streamed && latencies.length % JUDGED === 0 ? validator(scenario.format) : undefined;
    const decoder = decodeSse();
    const sink: Sink<{ readonly event?: string | undefined; readonly data: string }> = {
      enqueue: (event) => judge?.add(event),
    };
    let first = 0;
    for await (const chunk of answer.body) {
      if (first === 0) first = performance.now();
      if (judge && chunk instanceof Uint8Array) decoder.transform(chunk, sink);
    }
    latencies.push(performance.now() - began);
    firstBytes.push(first - began);
    if (judge === undefined) return;
    decoder.flush?.(sink);
    judged += 1;
    const violations = judge.end();
    if (violations.length > 0 || judge.failed) broken += 1;
    for (const { rule } of violations) rules.add(rule);
  }

  const began = performance.now();
  await drive(one);
  const seconds = (performance.now() - began) / 1000;
  await pool.destroy();
  return { answers: latencies.length, seconds, broken, judged, rules: [...rules], latencies, firstBytes };
}
