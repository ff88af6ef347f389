/** The records of exchanges that fail, are retried, or break off. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Script } from '../support/fault-upstream.ts';
import { startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import { chat, dead, good, status, statuses, toOpenAI, usePlaces, waiting } from './upstream-places.ts';
import { ask, eventTexts, streamedAnswer, wholeAnswer } from './upstream-ways.ts';

const { open, upstreams } = usePlaces();

describe('the record of an exchange', () => {
  test('says how many requests it took, and whose answer it was', async () => {
    const [openai, anthropic] = await upstreams(2);
    if (!openai || !anthropic) throw new Error('There are no vendors.');
    const gateway = await startRecorded({
      vendors: {
        openai: { baseUrl: `${openai.url}/v1`, apiKey: 'x' },
        anthropic: { baseUrl: anthropic.url, apiKey: 'y' },
      },
      fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
      retries: { limit: 2, wait: 1 },
    });
    const { records } = gateway;
    open.push(gateway);
    anthropic.script((wire) => wire.answer(200, wholeAnswer('messages')));
    openai.script(good);
    await statuses(gateway, 1);
    openai.script(status(503));
    await statuses(gateway, 1);
    anthropic.script(status(529));
    await statuses(gateway, 1);
    await eventually(() => records.length === 3, 'all are recorded');
    expect(
      records.map(({ attempts, model, vendor, outcome, fault }) => [attempts, model, vendor, outcome, fault]),
    ).toEqual([
      [1, 'openai/gpt-4o', 'openai', 'complete', undefined],
      [2, 'anthropic/claude-sonnet-4-5', 'anthropic', 'complete', undefined],
      // One of the first model, two of the next, which is the last.
      [3, 'anthropic/claude-sonnet-4-5', 'anthropic', 'failed', 'upstream-overloaded'],
    ]);
    // The caller's error is that of the requested model.
    expect(records[2]?.status).toBe(503);
  });
});

/** A gateway in front of one vendor, and the records of its exchanges. */
async function recorded(settings: ConfigInput) {
  const [openai] = await upstreams(1);
  if (openai === undefined) throw new Error('There is no vendor.');
  const gateway = await startRecorded({ vendors: vendorsAtUrl(openai.url), ...settings });
  open.push(gateway);
  return { openai, gateway, records: gateway.records };
}

test.each([
  [503, 'failed', 'upstream-overloaded'],
  [500, 'failed', 'upstream-broken'],
  [401, 'failed', 'upstream-auth'],
  [429, 'complete', 'rate-limited'],
  [400, 'complete', 'invalid-request'],
] as const)('a vendor that answers %d itself: %s, of the fault %s', async (code, outcome, fault) => {
  const { openai, gateway, records } = await recorded({ retries: { limit: 0 } });
  // Passed unchanged, and translated.
  for (const to of [chat, toOpenAI]) {
    openai.script(status(code));
    await (await ask(gateway.url, to, true)).text();
  }
  await eventually(() => records.length === 2, 'both are recorded');
  for (const record of records) expect(record).toMatchObject({ outcome, fault });
});

test('the record of an exchange that failed after the beginning of its stream has the fault', async () => {
  const { openai, gateway, records } = await recorded({ timeouts: { hold: 20 }, retries: { limit: 0 } });
  const { script, begin } = waiting(status(503));
  openai.script(script);
  const response = await ask(gateway.url, toOpenAI, true);
  begin();
  await response.text();
  await eventually(() => records.length === 1, 'it is recorded');
  expect(records[0]).toMatchObject({ status: 200, fault: 'upstream-overloaded', outcome: 'failed' });
});

test.each([
  ['an error', status(503, { 'retry-after': '600' })],
  [
    'a stream that begins with an error',
    (wire) => {
      wire.stream(['data: {"error":{"message":"Busy."}}\n\n'], { 'retry-after': '600' });
      wire.lastChunk();
    },
  ],
] as const satisfies readonly (readonly [string, Script])[])(
  'the record of a caller who leaves in the wait after %s has no failure, and the status of a caller who left',
  async (_, script) => {
    const { openai, gateway, records } = await recorded({
      retries: { after: 'failed', retryAfter: 600_000 },
    });
    openai.script(script);
    const caller = new AbortController();
    const asked = ask(gateway.url, chat, true, { signal: caller.signal });
    asked.catch(() => undefined);
    await eventually(() => openai.requests.length === 1 && openai.open() > 0, 'it is asked');
    await sleep(200);
    caller.abort();
    await eventually(() => records.length === 1, 'it is recorded');
    expect(records[0]).toMatchObject({ status: 499, outcome: 'client-closed', fault: undefined });
  },
);

test('the record of an exchange whose stream breaks off has the fault, native or translated', async () => {
  const { openai, gateway, records } = await recorded({ retries: { limit: 0 } });
  openai.script((wire) => {
    wire.stream(eventTexts(streamedAnswer('chat-completions')).slice(0, 4));
    setTimeout(() => wire.reset(), 20);
  });
  for (const to of [chat, toOpenAI]) await (await ask(gateway.url, to, true)).text();
  await eventually(() => records.length === 2, 'both are recorded');
  for (const record of records)
    expect(record).toMatchObject({ status: 200, fault: 'upstream-broken', outcome: 'failed' });
});

test('the record of a successful exchange has no trace of an earlier beginning that broke off', async () => {
  const { openai, gateway, records } = await recorded({ retries: { after: 'failed', wait: 1 } });
  openai.script(
    (wire) => {
      wire.stream([': processing\n\n']);
      setTimeout(() => wire.reset(), 20);
    },
    (wire) => wire.wholeStream([streamedAnswer('chat-completions')]),
  );
  const response = await ask(gateway.url, chat, true);
  expect(await response.text()).toBe(streamedAnswer('chat-completions'));
  await eventually(() => records.length === 1, 'it is recorded');
  expect(records[0]).toMatchObject({ attempts: 2, outcome: 'complete', fault: undefined, cause: undefined });
});

test('the record of an exchange has the time of the first byte, if one came', async () => {
  const { openai, gateway, records } = await recorded({ retries: { limit: 0 } });
  const [first = '', ...rest] = eventTexts(streamedAnswer('chat-completions'));
  // The rest begins after the caller has the first event: the gateway has had it before.
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  openai.script(async (wire) => {
    await sleep(100);
    wire.stream([first]);
    await seen;
    await sleep(100);
    for (const event of rest) wire.chunk(event);
    wire.lastChunk();
  }, dead);
  const { body } = await ask(gateway.url, chat, true);
  for await (const _ of body ?? []) see();
  await (await ask(gateway.url, chat, false)).text();
  await eventually(() => records.length === 2, 'both are recorded');
  const [{ duration, firstByte = 0 } = { duration: 0 }, none] = records;
  // A timer may be early by less than one.
  expect(firstByte).toBeGreaterThanOrEqual(99);
  expect(duration - firstByte).toBeGreaterThanOrEqual(99);
  expect(none?.firstByte).toBeUndefined();
});

test('that is the first byte of the reported attempt, not of an earlier one', async () => {
  const { openai, gateway, records } = await recorded({ retries: { wait: 1 } });
  openai.script(status(503), async (wire, request) => {
    await sleep(100);
    await good(wire, request);
  });
  expect(await statuses(gateway, 1)).toEqual([200]);
  // After it, an attempt that could not connect has none.
  openai.script(status(503), dead);
  await statuses(gateway, 1);
  await eventually(() => records.length === 2, 'both are recorded');
  expect(records[0]?.firstByte).toBeGreaterThanOrEqual(99);
  expect(records[1]).toMatchObject({ attempts: 2, firstByte: undefined });
});
