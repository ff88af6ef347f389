/** A stream takes minutes to arrive, and a dialogue may have megabytes: the first does not hold the second. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sseText } from '../../src/streams/sse.ts';
import { getPort } from '../../src/upstream/net/bind.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { arrayBuffersHeld, held } from '../support/held.ts';
import { recordedEvents } from '../support/recording.ts';

/** The beginning of an answer, after which the vendor says nothing more. */
const BEGINNINGS = {
  '/v1/chat/completions': recordedEvents('chat-completions', 'long-text').slice(0, 3),
  '/v1/messages': recordedEvents('messages', 'long-text').slice(0, 3),
} as const;

const WORDS = 'word '.repeat(100);
const TURNS = Array.from({ length: 1_600 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: WORDS,
}));
const STREAMS = 10;

const SMALL = TURNS.slice(0, 1);

/** A vendor that keeps nothing of a request, as it runs in the process whose memory is measured. */
const vendor = createServer((request, response) => {
  request.resume().once('end', () => {
    const [, beginning] = Object.entries(BEGINNINGS).find(([path]) => request.url === path) ?? [];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of beginning ?? []) response.write(sseText(event));
  });
});

let gateway: TestGateway;

beforeAll(async () => {
  await once(vendor.listen(0, '127.0.0.1'), 'listening');
  gateway = await startGateway({ vendors: vendorsAtUrl(`http://127.0.0.1:${getPort(vendor)}`) });
});
afterAll(async () => {
  await gateway.close();
  vendor.close();
  vendor.closeAllConnections();
});

/** Opens a stream, and waits for its first bytes. */
async function open(model: string, messages: readonly object[] = TURNS): Promise<IncomingMessage> {
  const request = sendRequest(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  });
  request.end(JSON.stringify({ model, stream: true, messages }));
  const [response] = await once(request, 'response');
  if (!isResponse(response)) throw new TypeError('no response');
  expect(response.statusCode).toBe(200);
  await once(response, 'data');
  return response;
}

function isResponse(value: unknown): value is IncomingMessage {
  return typeof value === 'object' && value !== null && 'statusCode' in value;
}

describe.each([
  ['native', 'openai/gpt-4.1'],
  ['translated', 'anthropic/claude-sonnet-4-5'],
])('%s', (_, model) => {
  test('an open stream does not hold its request', async () => {
    const first = await open(model);
    const before = await held();
    const opened = await Promise.all(Array.from({ length: STREAMS }, () => open(model)));
    // Half of the requests is for both ends of the connections, which are in this process, and all that streams take.
    expect((await held()) - before).toBeLessThan((STREAMS * JSON.stringify(TURNS).length) / 2);
    for (const response of [first, ...opened]) response.destroy();
  });

  test('nor the memory that Node gives to small Buffers together', async () => {
    const opened = [await open(model, SMALL)];
    const before = await arrayBuffersHeld();
    for (let at = 0; at < 40; at += 1) {
      opened.push(await open(model, SMALL));
      // As the requests between two streams do.
      for (let block = 0; block < 2 * Buffer.poolSize; block += 8_192) Buffer.allocUnsafe(8_192);
    }
    expect((await arrayBuffersHeld()) - before).toBeLessThan((40 * Buffer.poolSize) / 2);
    for (const response of opened) response.destroy();
  });
});
