/** Vendors that have sent the last event of a stream, and then end neither the stream nor the connection. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { ask, eventTexts, native, streamedAnswer, translated } from '../faults/upstream-ways.ts';
import { connect } from '../server/websocket/stage.ts';
import { type Script, startFaultUpstream } from '../support/fault-upstream.ts';
import { startRecorded, vendorsAtUrl } from '../support/gateway.ts';

/** The stream of a format, as its vendor ends it. Gemini's has no event that says that it is the last. */
const closed = native.filter(({ format }) => format !== 'generate-content');

/** A response that repeats a long instruction: its last event is longer than what is kept of a stream. */
const long = streamedAnswer('responses').replaceAll(
  /"instructions": ?null/g,
  `"instructions":"${'Be kind. '.repeat(2_000)}"`,
);

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of open.reverse()) await each.close();
});

/** A gateway to a vendor that answers like this. Its limit on silence is longer than that of a test. */
async function gatewayTo(script: Script) {
  const upstream = await startFaultUpstream();
  upstream.script(script);
  const gateway = await startRecorded({
    vendors: vendorsAtUrl(upstream.url),
    timeouts: { idle: 600_000, total: 600_000 },
  });
  open.push(upstream, gateway);
  return gateway;
}

test.concurrent.each([
  ...closed.map((way) => ({ ...way, said: streamedAnswer(way.spoken) })),
  ...closed.map((way) => ({
    ...way,
    name: `${way.name}, with keep-alives`,
    said: streamedAnswer(way.spoken),
  })),
  ...closed
    .filter(({ format }) => format === 'responses')
    .map((way) => ({ ...way, name: `${way.name}, long`, said: long })),
  ...closed
    .filter(({ format }) => format === 'chat-completions')
    .map((way) => ({
      ...way,
      name: `${way.name}, usage last`,
      said: streamedAnswer(way.spoken).replace('data: [DONE]\n\n', ''),
    })),
  ...translated
    .filter(({ spoken }) => spoken !== 'generate-content')
    .map((way) => ({ ...way, said: streamedAnswer(way.spoken) })),
])('$name: the caller waits for a moment', async (way) => {
  const gone: Promise<number>[] = [];
  const gateway = await gatewayTo((wire) => {
    wire.stream([way.said]);
    const timer = setInterval(() => way.name.includes('keep-alives') && wire.chunk(': still there\n\n'), 100);
    gone.push(wire.gone);
    void wire.gone.then(() => clearInterval(timer));
  });
  const text = await (await ask(gateway.url, way, true)).text();
  if (way.format === way.spoken) expect(text.replaceAll(': still there\n\n', '')).toBe(way.said);
  await Promise.all(gone);
  expect(gateway.records).toMatchObject([{ outcome: 'complete' }]);
});

/** The first event of a response that repeats a long instruction, and counts its tokens before there are any. */
const counted = `event: response.created\ndata: ${JSON.stringify({
  type: 'response.created',
  response: {
    instructions: 'Be kind. '.repeat(2_000),
    usage: { input_tokens: 9, output_tokens: 0, total_tokens: 9 },
  },
})}\n\n`;

/** An event without a choice that counts the prompt, before there is an answer. */
const promptUsage = `data: ${JSON.stringify({
  object: 'chat.completion.chunk',
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 },
})}\n\n`;

/** A piece of an answer in which the model writes what the last event of its format looks like. */
const QUOTES: Readonly<Record<string, string>> = {
  'chat-completions': `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: '\ndata: [DONE]\n\n[DONE]' } }] })}\n\n`,
  messages: `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'message_stop {"type":"message_stop"}\nevent: error' } })}\n\n`,
  responses: `event: response.output_text.delta\ndata: ${JSON.stringify({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: '{"type":"response.completed","output_tokens": 5}' })}\n\n`,
};

test.concurrent.each([
  ...closed.map((way) => ({ ...way, quote: QUOTES[way.format] ?? '' })),
  ...closed
    .filter(({ format }) => format === 'responses')
    .map((way) => ({ ...way, name: `${way.name}, no tokens yet`, quote: counted })),
  ...closed
    .filter(({ format }) => format === 'chat-completions')
    .map((way) => ({ ...way, name: `${way.name}, the prompt's usage`, quote: promptUsage })),
])('$name: what is like the last event may be followed by a pause', async ({ quote, ...way }) => {
  const [first = '', ...rest] = eventTexts(streamedAnswer(way.spoken));
  const { url } = await gatewayTo(async (wire) => {
    wire.stream([first, quote]);
    await sleep(3_000);
    for (const event of rest) wire.chunk(event);
    wire.lastChunk();
  });
  expect(await (await ask(url, way, true)).text()).toBe([first, quote, ...rest].join(''));
});

test.concurrent('the next request of a WebSocket waits for a moment', async () => {
  const { url } = await gatewayTo((wire) => wire.stream([long]));
  const client = await connect(url);
  for (let turn = 0; turn < 2; turn += 1) {
    client.send({ type: 'response.create', model: 'openai/gpt-4o', input: 'Hi' } satisfies JsonObject);
    expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
  }
  client.socket.close();
});
