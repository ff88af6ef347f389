/** Compressed request bodies are refused by their header, before they are read. */

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const send = (encoding: string, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body,
  });

const body = JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] });

test.each(['gzip', 'br', 'zstd', 'deflate', 'gzip, gzip'])('%s: 415, and why', async (encoding) => {
  const response = await send(encoding, new Uint8Array(gzipSync(body)));
  expect(response.status).toBe(415);
  expect(response.headers.get('accept-encoding')).toBe('identity');
  expect(await response.json()).toMatchObject({
    error: { type: 'invalid_request_error', message: expect.stringContaining('compressed') },
  });
});

test('identity is no encoding', async () => {
  expect((await send('identity', body)).status).toBe(200);
});
