/**
 * Callers who leave in the middle of a stream, in every format, native and translated: the vendor's answer is aborted,
 * nothing is retried, and one record says who ended it. The test prints how long that takes; `LEAVINGS=2000 vitest run
 * test/faults/upstream-leaving.test.ts` holds it to 100 ms at p99.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formats } from '../../src/formats/formats.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { vendorsAtUrl } from '../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';
import { eventually, post, rawClient } from '../support/raw.ts';
import { eventTexts, streamedAnswer, ways } from './upstream-ways.ts';

const LEAVINGS = Number(process.env['LEAVINGS'] ?? 240);
const AT_ONCE = 10;

/** The bound at p99, in milliseconds from a caller's leaving to the close of the vendor's connection. */
const BOUND = 100;

let upstream: FaultUpstream;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = await startFaultUpstream();
  gateway = await spawnGateway({
    vendors: vendorsAtUrl(upstream.url),
    limits: { eventLoopDelay: 600_000 },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

test(`C-01, C-02 ${LEAVINGS} callers leave, by FIN and by RST, over all ways: each vendor's answer is aborted`, {
  timeout: 180_000 + 60 * LEAVINGS,
}, async () => {
  /** When the vendor's side of each caller was closed. */
  const gone = new Map<string, Promise<number>>();
  upstream.script(async (wire, { path, body }) => {
    const leaver = /leaver-\d+/.exec(body.toString())?.[0] ?? '';
    gone.set(leaver, wire.gone);
    const format = ways.find(({ spoken }) => path.includes(PATHS[spoken]))?.spoken ?? 'chat-completions';
    // Everything except the end of an answer; then keep-alives, for as long as the connection is open.
    const events = eventTexts(streamedAnswer(format));
    const { ending } = formats[format].outbound.marks;
    wire.stream(
      events.slice(
        0,
        events.findIndex((event) => ending.test(event)),
      ),
    );
    let there = true;
    void wire.gone.then(() => {
      there = false;
    });
    while (there) {
      wire.chunk(': still there\n\n');
      await sleep(10);
    }
  });

  const took: number[] = [];
  const leave = async (at: number): Promise<void> => {
    const way = ways[Math.floor(at / 2) % ways.length];
    if (way === undefined) throw new Error('There are no ways.');
    const leaver = `leaver-${at}`;
    const request = post(way.path(true), way.body(true).replace('Hello', `${leaver}.`), [
      `x-request-id: ${leaver}-left`,
    ]);
    const client = rawClient(gateway.port, request);
    await client.until((text) => text.includes('data: '));
    await sleep(at % 7);
    const left = performance.now();
    if (at % 2 === 0) client.socket.destroy();
    else client.socket.resetAndDestroy();
    took.push(((await gone.get(leaver)) ?? Number.POSITIVE_INFINITY) - left);
    await client.over;
  };
  for (let at = 0; at < LEAVINGS; at += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, LEAVINGS - at) }, (_, more) => leave(at + more)),
    );
  }

  expect(took).toHaveLength(LEAVINGS);
  expect(took.every(Number.isFinite)).toBe(true);
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0;
  console.info({ leavings: LEAVINGS, p50: at(0.5), p99: at(0.99), longest: at(1) });
  if (process.env['LEAVINGS'] !== undefined) expect(at(0.99)).toBeLessThan(BOUND);

  expect(upstream.requests).toHaveLength(LEAVINGS);
  await eventually(() => upstream.open() === 0, 'no connection to the vendor is left');
  const records = (): readonly string[] => gateway.lines().filter((line) => line.includes('-left"'));
  await eventually(() => records().length >= LEAVINGS, 'each of them is recorded');
  expect(records().filter((line) => JSON.parse(line).outcome !== 'client-closed')).toEqual([]);
  const ids = records().map((line) => JSON.parse(line).id);
  expect(new Set(ids).size).toBe(ids.length);
});

/** The part of the path by which a vendor recognizes the format of a request. */
const PATHS = {
  'chat-completions': '/chat/completions',
  responses: '/responses',
  messages: '/messages',
  'generate-content': '/models/',
} as const;
