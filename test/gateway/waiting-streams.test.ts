/** A stream that waits for its next word waits without a promise, which would be garbage of the old generation. */

import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { expect, test, vi } from 'vitest';
import { sseText } from '../../src/streams/sse.ts';
import { KEY, startGateway, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import { recordedEvents } from '../support/recording.ts';
import { startUpstream } from '../support/upstream.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

/** The streams that the vendor has opened. The test says how they go on. */
const opened: ServerResponse[] = [];
const vendor = whileTestsRun(() =>
  startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    opened.push(response);
  }),
);
const gateway = whileTestsRun(() => startGateway({ vendors: vendorsAtUrl(vendor().url) }));

test.each([
  ['native', 'openai/gpt-4.1', 'chat-completions'],
  ['translated', 'anthropic/claude-sonnet-4-5', 'messages'],
] as const)('a %s stream is read without a promise for each word', async (_, model, format) => {
  const before = opened.length;
  const request = sendRequest(`${gateway().url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  });
  request.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }));
  await eventually(() => opened.length > before, 'the vendor is asked');
  const stream = opened.at(-1);
  const events = recordedEvents(format, 'long-text').map((event) => sseText(event));
  const beginning = events.slice(0, 6);
  const [last, ...words] = events.slice(6).reverse();
  // The head comes with the first word.
  const answered = once(request, 'response');
  for (const event of beginning) stream?.write(event);
  const answer: IncomingMessage = (await answered)[0];
  let text = '';
  answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await once(answer, 'data');

  const read = vi.spyOn(ReadableStreamDefaultReader.prototype, 'read');
  try {
    for (const word of words.reverse()) {
      const next = once(answer, 'data');
      stream?.write(word);
      // Some of the vendor's events give the caller nothing.
      await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    const ended = once(answer, 'end');
    stream?.end(last);
    await ended;
    expect(read).not.toHaveBeenCalled();
    expect(text).toContain('[DONE]');
  } finally {
    read.mockRestore();
  }
});
