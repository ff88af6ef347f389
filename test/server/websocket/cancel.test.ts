/** Answers over a WebSocket that the client cancels, as a voice agent does when it is interrupted. */

import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { asObject, type Json, type JsonObject } from '../../../src/lib/json.ts';
import { soon } from '../../support/soon.ts';
import { type Client, connect, openStage, type Stage, say } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.respondWith(say('Hello')));
afterAll(() => stage.close());

const create = { type: 'response.create', model: 'gpt-4.1', input: 'Hi', store: false };
const idOf = (event: JsonObject): Json | undefined => asObject(event['response'])?.['id'];

/** The first events of an answer that would go on. */
const OPENAI = [
  {
    type: 'response.created',
    sequence_number: 0,
    response: { id: 'resp_x', status: 'in_progress', output: [] },
  },
  { type: 'response.output_text.delta', sequence_number: 1, delta: 'Once' },
];
const ANTHROPIC = [
  {
    type: 'message_start',
    message: { id: 'msg_x', type: 'message', role: 'assistant', content: [], usage: {} },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Once' } },
];

/** Has the vendor begin an answer with these events. @returns the answers that it has not been left with */
function holdAfter(events: readonly JsonObject[]): Set<ServerResponse> {
  const open = new Set<ServerResponse>();
  stage.respondWith((_, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    if (events.length === 0) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`);
  });
  return open;
}

/** Reads up to the first text of an answer. @returns the id of its response */
async function readText(client: Client): Promise<Json | undefined> {
  const id = idOf(await client.next());
  for (;;) {
    if ((await client.next())['type'] === 'response.output_text.delta') return id;
  }
}

/** Expects that the next event is the first of a usual answer. */
async function expectAnswer(client: Client, fields: JsonObject = {}): Promise<void> {
  stage.respondWith(say('Hello'));
  client.send({ ...create, ...fields });
  const events = await client.answer();
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.output_text.delta',
    'response.completed',
  ]);
}

test.each([
  ['of OpenAI', 'gpt-4.1', OPENAI],
  ['of Anthropic', 'anthropic/claude-sonnet-4-5', ANTHROPIC],
])('an answer %s ends when it is cancelled, and its vendor stops', async (_, model, events) => {
  const client = await connect(stage.gateway.url);
  const open = holdAfter(events);
  client.send({ ...create, model });
  const response_id = await readText(client);
  client.send({ type: 'response.cancel', response_id });
  const last = await client.next();
  expect(last).toMatchObject({
    type: 'response.incomplete',
    sequence_number: expect.any(Number),
    response: { id: response_id, status: 'cancelled' },
  });
  await soon(() => expect(open.size).toBe(0));
  await expectAnswer(client);
});

test('a cancelled answer does not end the conversation that it continued', async () => {
  const client = await connect(stage.gateway.url);
  client.send(create);
  const previous_response_id = idOf((await client.answer()).at(-1) ?? {});
  holdAfter(OPENAI);
  client.send({ ...create, previous_response_id, input: 'Tell me all.' });
  await readText(client);
  client.send({ type: 'response.cancel' });
  expect(await client.next()).toMatchObject({
    type: 'response.incomplete',
    sequence_number: 2,
    response: { previous_response_id },
  });
  await expectAnswer(client, { previous_response_id: previous_response_id ?? null, input: 'In short.' });
});

test('an answer that has not begun is cancelled with an error', async () => {
  const client = await connect(stage.gateway.url);
  const open = holdAfter([]);
  client.send(create);
  await soon(() => expect(open.size).toBe(1));
  client.send({ type: 'response.cancel' });
  expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'response_cancelled' } });
  await soon(() => expect(open.size).toBe(0));
  await expectAnswer(client);
});

test('only the answer of its lane, or with its id, is cancelled, and what has ended is not', async () => {
  const client = await connect(stage.gateway.url);
  client.send({ type: 'response.cancel' });
  client.send({ type: 'response.cancel', response_id: 'resp_unknown' });
  const open = holdAfter(OPENAI);
  client.send({ ...create, stream_id: 'a' });
  await readText(client);
  client.send({ type: 'response.cancel' });
  client.send({ type: 'response.cancel', stream_id: 'b' });
  client.send({ type: 'response.cancel', response_id: 'resp_unknown', stream_id: 'a' });
  client.send({ type: 'response.steer' });
  expect(await client.next()).toMatchObject({ type: 'response.steer.failed' });
  expect(open.size).toBe(1);
  client.send({ type: 'response.cancel', stream_id: 'a' });
  client.send({ type: 'response.cancel', stream_id: 'a' });
  expect(await client.next()).toMatchObject({ type: 'response.incomplete', stream_id: 'a' });
  await expectAnswer(client);
});
