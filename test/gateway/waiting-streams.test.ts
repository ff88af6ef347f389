/** A stream that waits for its next word waits without a promise, which would be garbage of the old generation. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sseText } from '../../src/streams/sse.ts';
import { getPort } from '../../src/upstream/net/bind.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { recordedEvents } from '../support/recording.ts';

/** A vendor that opens a stream, and leaves it to the test to go on. */
let open: ServerResponse | undefined;
const vendor = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    open = response;
    vendor.emit('asked');
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

test.each([
  ['native', 'openai/gpt-4.1', 'chat-completions'],
  ['translated', 'anthropic/claude-sonnet-4-5', 'messages'],
] as const)('a %s stream is read without a promise for each word', async (_, model, format) => {
  const request = sendRequest(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  });
  const asked = once(vendor, 'asked');
  request.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }));
  await asked;
  const events = recordedEvents(format, 'long-text').map((event) => sseText(event));
  const beginning = events.slice(0, 6);
  const [last, ...words] = events.slice(6).reverse();
  // The head comes with the first word.
  const answered = once(request, 'response');
  for (const event of beginning) open?.write(event);
  const answer: IncomingMessage = (await answered)[0];
  let text = '';
  answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await once(answer, 'data');

  const read = vi.spyOn(ReadableStreamDefaultReader.prototype, 'read');
  try {
    for (const word of words.reverse()) {
      const next = once(answer, 'data');
      open?.write(word);
      // Some events of the vendor's are none of the caller's.
      await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    const ended = once(answer, 'end');
    open?.end(last);
    await ended;
    expect(read).not.toHaveBeenCalled();
    expect(text).toContain('[DONE]');
  } finally {
    read.mockRestore();
  }
});
