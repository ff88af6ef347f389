/** Callers who leave while no vendor works for them: between two attempts, and before there is a connection. */

import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { makeRecord } from '../../../src/accounting/usage/make-record.ts';
import { getPort } from '../../../src/upstream/net/bind.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { type Respond, startUpstream, type TestUpstream } from '../../support/upstream.ts';

const KEY = 'gw-test-key-with-limits';
/** 1,000 tokens. */
const WORDS = 'word '.repeat(800);
/** Refuses before any work, and names a wait. */
const BUSY = { 'content-type': 'application/json', 'retry-after': '3' };
const REFUSAL = JSON.stringify({ error: { message: WORDS, type: 'rate_limit_error' } });

const cases = [
  ['/v1/chat/completions', 'openai/gpt-4.1'],
  ['/v1/messages', 'anthropic/claude-sonnet-4-5'],
  ['/v1/messages', 'openai/gpt-4.1'],
] as const;

const records: ExchangeRecord[] = [];
let upstream: TestUpstream;
let gateway: TestGateway;
afterEach(async () => {
  records.length = 0;
  await gateway.close();
  await upstream.close();
});

async function open(respond: Respond, url?: string): Promise<void> {
  upstream = await startUpstream(respond);
  const config = {
    vendors: vendorsAtUrl(url ?? upstream.url),
    keys: [{ name: 'limited', key: KEY, limits: { tokensPerMinute: 800 } }],
  };
  gateway = await startGateway(config, undefined, (made) => ({
    ...made,
    record(closed, charged) {
      records.push(makeRecord(closed));
      made.record?.(closed, charged);
    },
  }));
}

/** Sends a request, and leaves a moment after the vendor has been asked so often. */
async function leaveAfter(attempts: number, path: string, model: string, content: string): Promise<void> {
  const leaving = new AbortController();
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content }] };
  const answer = postJson(`${gateway.url}${path}`, body, { key: KEY, signal: leaving.signal });
  const left = expect(answer).rejects.toThrow();
  await expect.poll(() => upstream.received.length, { timeout: 8_000 }).toBe(attempts);
  // The refusal arrives in the meantime; the wait after it is longer.
  await sleep(300);
  leaving.abort();
  await left;
  await expect.poll(() => records.length).toBe(1);
}

test.each(cases)('%s, %s: while the gateway waits to ask again', async (path, model) => {
  await open((_, response) => response.writeHead(429, BUSY).end(REFUSAL));
  await leaveAfter(1, path, model, WORDS);
  expect(records[0]).toMatchObject({ outcome: 'client-closed', attempts: 1, estimated: undefined });
});

test.each(cases)('%s, %s: a second attempt is charged for itself alone', async (path, model) => {
  await open((_, response) => {
    if (upstream.received.length === 1) response.writeHead(429, { ...BUSY, 'retry-after': '0' }).end(REFUSAL);
  });
  await leaveAfter(2, path, model, 'Go on.');
  expect(records[0]).toMatchObject({ outcome: 'client-closed', attempts: 2 });
  expect(records[0]?.estimated?.tokens).toBeGreaterThan(0);
  expect(records[0]?.estimated?.tokens).toBeLessThan(100);
});

test.each(cases)('%s, %s: before there is a connection to the vendor', async (path, model) => {
  // It accepts connections, and says nothing: no handshake of TLS is ever over.
  let connections = 0;
  const silent = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  await open(() => {}, `https://127.0.0.1:${getPort(silent)}`);
  try {
    await leaveAfter(0, path, model, WORDS);
    expect(connections).toBeGreaterThan(0);
    expect(records[0]).toMatchObject({ outcome: 'client-closed', attempts: 1, estimated: undefined });
  } finally {
    silent.close();
  }
});
