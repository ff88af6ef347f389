/**
 * Answers that end with an error after their beginning, because the gateway cuts them or the vendor gives up. They are
 * recorded as what they are, and what had been said by then is estimated.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { startRecorded, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';

const named = (event: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'claude-sonnet-4-5' };
const BEGINNING = [
  { type: 'message_start', message: { ...message, usage: { input_tokens: 7, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  // 4,000 bytes: 1,000 tokens.
  ...Array.from({ length: 200 }, () => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'word word word word ' },
  })),
]
  .map(named)
  .join('');
const REFUSAL = named({ type: 'error', error: { type: 'invalid_request_error', message: 'No.' } });

/** Ends the vendor's answer with these bytes. */
let end: (bytes: string) => void;
let upstream: TestUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;
beforeEach(async () => {
  upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(BEGINNING);
    end = (bytes) => response.end(bytes);
  });
  gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url) });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Asks for a stream, calls `begun` when its words have come, and reads the rest. */
async function ask(path: string, begun: () => void): Promise<void> {
  const body = {
    model: 'anthropic/claude-sonnet-4-5',
    stream: true,
    max_tokens: 5_000,
    messages: [{ role: 'user', content: 'Go on.' }],
  };
  const response = await postJson(`${gateway.url}${path}`, body);
  let text = '';
  for await (const chunk of response.body ?? []) {
    if (!text.includes('word') && `${text}${Buffer.from(chunk)}`.includes('word')) begun();
    text += Buffer.from(chunk).toString();
  }
  await expect.poll(() => gateway.records.length).toBe(1);
}

describe('an answer that a hook refuses', () => {
  const SECRET = named({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'a secret' },
  });
  const refusing: ConfigInput['hooks'] = {
    onReplyEvent(event, out, { refuse }) {
      if (event.type === 'part-delta' && event.text === 'a secret') refuse('No secrets.');
      out.enqueue(event);
    },
  };

  test('in its middle, of which the vendor has sent the beginning', async () => {
    await gateway.close();
    gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url), hooks: refusing });
    await ask('/v1/chat/completions', () => end(SECRET));
    const [record] = gateway.records;
    expect(record).toMatchObject({
      status: 200,
      fault: 'permission-denied',
      cause: 'REFUSED_BY_HOOK',
      outcome: 'refused',
    });
    expect(record?.estimated?.tokens).toBeGreaterThan(800);
  });

  test('before any of it has gone to the caller', async () => {
    await gateway.close();
    const onReplyEvent: NonNullable<ConfigInput['hooks']>['onReplyEvent'] = (_, __, { refuse }) =>
      refuse('Nothing.');
    gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url), hooks: { onReplyEvent } });
    await ask('/v1/chat/completions', () => undefined);
    expect(gateway.records[0]).toMatchObject({ status: 403, cause: 'REFUSED_BY_HOOK', outcome: 'refused' });
  });
});

describe.each(['/v1/messages', '/v1/chat/completions'])('%s', (path) => {
  test('an answer that the gateway ends, as it does when it shuts down or is short of memory', async () => {
    await ask(path, () => gateway.server.end());
    const [record] = gateway.records;
    expect(record).toMatchObject({ status: 200, fault: 'overloaded', outcome: 'failed' });
    expect(record?.estimated?.tokens).toBeGreaterThan(800);
  });

  test('an answer in which the vendor refuses to go on', async () => {
    await ask(path, () => end(REFUSAL));
    const [record] = gateway.records;
    expect(record).toMatchObject({ status: 200, fault: 'invalid-request' });
    expect(record?.estimated?.tokens).toBeGreaterThan(800);
  });
});
