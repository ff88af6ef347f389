/** The forced end of the process: every stream ends with an error in its own format. */

import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, call } from '../support/caller.ts';
import { preload } from '../support/preload.ts';
import { eventually, post, rawClient } from '../support/raw.ts';
import { chunk, openStage, requestOf, type Stage, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** A stream of each format that has begun and never ends, and the last event that its caller gets. */
const streams = [
  {
    name: 'chat-completions, native',
    path: '/v1/chat/completions',
    body: { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    said: 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word 0 "}}]}\n\n',
    last: /data: \{"error":\{[^\n]*shutting down[^\n]*\}\}\n\n$/,
  },
  {
    name: 'chat-completions, translated',
    path: '/v1/chat/completions',
    body: { model: 'anthropic/claude-sonnet-4-5', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    said: `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word 0 "}}\n\n`,
    last: /data: \{"error":\{[^\n]*shutting down[^\n]*\}\}\n\n$/,
  },
  {
    name: 'responses, translated',
    path: '/v1/responses',
    body: { model: 'mistral/mistral-large-latest', stream: true, input: 'Hi' },
    said: 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word 0 "}}]}\n\n',
    last: /event: response\.failed\ndata: \{[^\n]*shutting down[^\n]*\}\n\n$/,
  },
  {
    name: 'messages, native',
    path: '/v1/messages',
    body: {
      model: 'claude-sonnet-4-5',
      stream: true,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
    },
    said: `event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"word 0 "}}\n\n`,
    last: /event: error\ndata: \{"type":"error","error":\{[^\n]*shutting down[^\n]*\}\}\n\n$/,
  },
  {
    name: 'messages, translated',
    path: '/v1/messages',
    body: {
      model: 'openai/gpt-4o',
      stream: true,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
    },
    said: 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word 0 "}}]}\n\n',
    last: /event: error\ndata: \{"type":"error","error":\{[^\n]*shutting down[^\n]*\}[^\n]*\}\n\n$/,
  },
  {
    name: 'generate-content, native',
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    said: 'data: {"candidates":[{"content":{"parts":[{"text":"word 0 "}],"role":"model"},"index":0}]}\r\n\r\n',
    last: /data: \{"error":\{[^\n]*shutting down[^\n]*\}\}\s+$/,
  },
] as const;

async function openStreams(): Promise<Answer[]> {
  let at = 0;
  stage.respondWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(streams[at]?.said);
  });
  const answers: Answer[] = [];
  for (const [index, { path, body }] of streams.entries()) {
    at = index;
    const answer = await call(stage.gateway.url, path, JSON.stringify(body));
    await eventually(() => answer.text().includes('word 0'), 'the stream has begun');
    answers.push(answer);
  }
  return answers;
}

async function expectLastWords(answers: readonly Answer[]): Promise<void> {
  const texts = await Promise.all(answers.map(({ over }) => over));
  for (const [index, { name, last }] of streams.entries()) {
    expect(texts[index], name).toEqual({ text: expect.stringMatching(last), complete: true });
  }
  await eventually(() => stage.live() === 0, 'every answer of the vendor has been aborted');
}

describe('a forced end', () => {
  test("P-01 at the time limit, streams of every format end with the format's error, the process with 0", async () => {
    stage = await openStage({ timeouts: { drain: 500 } });
    const answers = await openStreams();
    stage.gateway.signal('SIGTERM');
    await expectLastWords(answers);
    expect(await stage.gateway.ended).toBe(0);
    await eventually(
      () => stage.gateway.output().includes(`Answers cut off before they were complete: ${streams.length}.`),
      'it is reported',
    );
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    "P-02 a second signal (%s): streams of every format end with the format's error, the process with 1",
    async (second) => {
      stage = await openStage();
      const answers = await openStreams();
      stage.gateway.signal('SIGTERM');
      await eventually(() => stage.gateway.output().includes('Shutting down once'), 'it has begun to end');
      expect(stage.live()).toBe(streams.length);
      stage.gateway.signal(second);
      await expectLastWords(answers);
      expect(await stage.gateway.ended).toBe(1);
    },
  );

  test('P-02 a caller without an answer yet gets a 503 in its format', async () => {
    stage = await openStage();
    stage.respondWith(() => undefined);
    const waiting = rawClient(stage.gateway.port, post('/v1/messages', requestOf(ways[1], true)));
    const sending = rawClient(
      stage.gateway.port,
      post('/v1/chat/completions', requestOf(ways[0], false)).slice(0, -9),
    );
    await eventually(() => stage.live() === 1, 'the vendor was asked');
    stage.gateway.signal('SIGTERM');
    await eventually(() => stage.gateway.output().includes('Shutting down once'), 'it has begun to end');
    stage.gateway.signal('SIGTERM');
    expect(await waiting.over).toMatch(/^HTTP\/1.1 503[\s\S]*retry-after: 1[\s\S]*"type":"error"/i);
    expect(await sending.over).toMatch(/^HTTP\/1.1 503[\s\S]*retry-after: 1[\s\S]*\{"error":/i);
    expect(await stage.gateway.ended).toBe(1);
  });

  test('P-02 an answer that cannot be ended does not hold up the end', async () => {
    stage = await openStage(
      {},
      preload(`
        import { ServerResponse } from 'node:http';
        process.on('SIGUSR2', () => { ServerResponse.prototype.end = function () { return this; }; });
      `),
    );
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('word'));
    });
    const client = rawClient(stage.gateway.port, post('/v1/chat/completions', requestOf(ways[0], true)));
    await client.until((text) => text.includes('word'));
    stage.gateway.signal('SIGUSR2');
    stage.gateway.signal('SIGTERM');
    await eventually(() => stage.gateway.output().includes('Shutting down once'), 'it has begun to end');
    stage.gateway.signal('SIGTERM');
    expect(await stage.gateway.ended).toBe(1);
  });

  test.each(ways)('P-02 a caller who has stopped reading does not hold up the end, $way', async (way) => {
    stage = await openStage();
    stage.respondWith((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const flood = (): void => {
        while (!response.destroyed && response.write(chunk('x'.repeat(65_536))));
        response.once('drain', flood);
      };
      flood();
    });
    const client = rawClient(stage.gateway.port, post(way.path, requestOf(way, true)));
    await client.until((text) => text.includes('xxx'));
    client.socket.pause();
    stage.gateway.signal('SIGTERM');
    await eventually(() => stage.gateway.output().includes('Shutting down once'), 'it has begun to end');
    stage.gateway.signal('SIGTERM');
    expect(await stage.gateway.ended).toBe(1);
    client.socket.destroy();
  });
});
