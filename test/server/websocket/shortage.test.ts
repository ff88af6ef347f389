/**
 * Sockets of a process that is short of memory or shutting down: none is opened, and unneeded memory is
 * freed.
 */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { asObject, asText, parseJson } from '../../../src/lib/json.ts';
import { fullHeap } from '../../support/full-heap.ts';
import { KEY, startGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { spawnGateway } from '../../support/process.ts';
import { eventually, rawClient, statusOf } from '../../support/raw.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { connect, say } from './stage.ts';

const create = { type: 'response.create', model: 'gpt-4.1', store: false, input: 'Hi' };

let vendor: TestUpstream;
beforeEach(async () => {
  vendor = await startUpstream(say('Hello'));
});
afterEach(() => vendor.close());

test('when memory is short no socket is opened, and dialogues are dropped', async () => {
  const config = { vendors: vendorsAtUrl(vendor.url), limits: { eventLoopDelay: 600_000 } };
  const gateway = await spawnGateway(config, fullHeap());
  const client = await connect(gateway.url);
  client.send(create);
  const answer = await client.answer();
  const previous_response_id = asText(asObject(answer.at(-1)?.['response'])?.['id']) ?? '';
  gateway.signal('SIGUSR2');
  await expect(
    (async () => {
      for (;;) (await connect(gateway.url)).socket.terminate();
    })(),
  ).rejects.toThrow('status 503');
  // It checks twice a second.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  gateway.signal('SIGUSR2');
  await expect.poll(async () => (await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
  client.send({ ...create, previous_response_id });
  await client.answer();
  // If the response were remembered, the vendor would receive the dialogue itself instead of the id.
  expect(parseJson(String(vendor.received.at(-1)?.body))).toMatchObject({
    input: 'Hi',
    previous_response_id,
  });
  client.socket.terminate();
  await gateway.close();
});

test('no socket is opened by a handshake that is still arriving when shutdown begins', async () => {
  const gateway = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
  const client = rawClient(Number(new URL(gateway.url).port), 'GET /v1/responses HTTP/1.1\r\nHost: x\r\n');
  await eventually(() => client.socket.readyState === 'open', 'it is connected');
  // Until the handshake has been read, its connection is idle.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const drained = gateway.server.drain(5_000);
  client.socket.write(
    `Authorization: Bearer ${KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  expect(statusOf(await client.over)).toBe(503);
  expect(await drained).toBe(0);
  await gateway.close();
});
