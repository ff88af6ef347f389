/** Dialogues over one WebSocket: each request sends only the new part, and the vendor receives all of it. */

import { OpenAI } from 'openai';
import type { ResponsesServerEvent } from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '../../../src/lib/json.ts';
import { KEY, startGateway } from '../../support/gateway.ts';
import { type Client, connect, openStage, type Stage, say } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ limits: { bodyBytes: 100_000 } });
});
afterAll(() => stage.close());

const user = (content: string): JsonObject => ({ type: 'message', role: 'user', content });
const create = (fields: JsonObject): JsonObject => ({
  type: 'response.create',
  model: 'gpt-4.1',
  store: false,
  ...fields,
});
const idOf = (events: readonly JsonObject[]): string => String(asObject(events.at(-1)?.['response'])?.['id']);

async function ask(client: Client, fields: JsonObject): Promise<JsonObject[]> {
  client.send(create(fields));
  return client.answer();
}

const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'Done.' });

test('a request is the same as by POST, its values byte for byte, and the answer is its events', async () => {
  const client = await connect(stage.gateway.url);
  client.socket.send(
    '{"type":"response.create","model":"gpt-4.1","input":"Hi","temperature":1.0,"metadata":{"a":"\\u00e4"},"stream":false,"background":false,"stream_id":null}',
  );
  const events = await client.answer();
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.output_text.delta',
    'response.completed',
  ]);
  expect(events[0]).not.toHaveProperty('stream_id');
  expect(stage.upstream.received.at(-1)?.body.toString()).toBe(
    '{"stream":true,"model":"gpt-4.1","input":"Hi","temperature":1.0,"metadata":{"a":"\\u00e4"}}',
  );
  stage.bodies();
});

test('the events of an answer are the vendor’s, byte for byte', async () => {
  const data =
    '{ "type":"response.completed","response":{"id":"resp_a","temperature":1.0,"odd":12345678901234567890,"output":[]} }';
  stage.respondWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`event: response.completed\ndata: ${data}\n\n`),
  );
  const client = await connect(stage.gateway.url);
  const message = new Promise((resolve) => client.socket.once('message', (bytes) => resolve(String(bytes))));
  client.send(create({ input: 'Hi' }));
  expect(await message).toBe(data);
  stage.bodies();
  stage.respondWith(say('Hello'));
});

test('a request that continues a response sends the vendor the whole dialogue, and the events name that response', async () => {
  const client = await connect(stage.gateway.url);
  const first = await ask(client, { input: 'One' });
  const second = await ask(client, { input: [user('Two')], previous_response_id: idOf(first) });
  const third = await ask(client, { input: 'Three', previous_response_id: idOf(second) });
  expect(asObject(second[0]?.['response'])?.['previous_response_id']).toBe(idOf(first));
  expect(asObject(third.at(-1)?.['response'])?.['previous_response_id']).toBe(idOf(second));
  const bodies = stage.bodies();
  expect(bodies.map(({ previous_response_id: id }) => id)).toEqual([undefined, undefined, undefined]);
  const said = expect.objectContaining({
    role: 'assistant',
    content: [expect.objectContaining({ text: 'Hello' })],
  });
  expect(bodies[2]?.['input']).toEqual([user('One'), said, user('Two'), said, user('Three')]);
});

test('reasoning is sent along: with its proof, which is requested from a reasoning model, or if the vendor stores it', async () => {
  const bare = { type: 'reasoning', id: 'rs_1', summary: [] };
  const proven = { ...bare, id: 'rs_2', encrypted_content: 'sealed' };
  const told = { ...bare, id: 'rs_3', summary: [{ type: 'summary_text', text: 'Hm.' }] };
  stage.respondWith(say('Hello', [bare, proven, told]));
  const client = await connect(stage.gateway.url);
  for (const store of [false, true]) {
    const first = await ask(client, { model: 'gpt-5.4', store, input: [] });
    await ask(client, { model: 'gpt-5.4', store, input: [], previous_response_id: idOf(first) });
  }
  const [first, unkept, second, kept] = stage.bodies();
  const message = expect.objectContaining({ type: 'message' });
  expect(first?.['include']).toEqual(['reasoning.encrypted_content']);
  expect(unkept?.['input']).toEqual([proven, told, message]);
  expect(second).not.toHaveProperty('include');
  expect(kept?.['input']).toEqual([bare, proven, told, message]);

  await ask(client, { model: 'gpt-5.4', include: ['message.output_text.logprobs'], input: 'x' });
  await ask(client, { model: 'gpt-4.1', input: 'x' });
  await ask(client, { model: 'gpt-5.4', include: 'all', input: 'x' });
  const [also, thoughtless, mistaken] = stage.bodies();
  // The vendor reports what is wrong with it.
  expect(mistaken?.['include']).toBe('all');
  expect(also?.['include']).toEqual(['message.output_text.logprobs', 'reasoning.encrypted_content']);
  expect(thoughtless).not.toHaveProperty('include');
  stage.respondWith(say('Hello'));
});

test('reasoning in plain text is sent along too: models of chat-completions expect their previous reasoning', async () => {
  const chunk = (delta: JsonObject, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  stage.respondWith((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(
        `${chunk({ role: 'assistant', reasoning_content: 'Hm.' }, null)}${chunk({ content: 'Hello' }, 'stop')}data: [DONE]\n\n`,
      ),
  );
  const client = await connect(stage.gateway.url);
  const first = await ask(client, { model: 'z-ai/glm-5.2', input: 'One' });
  await ask(client, { model: 'z-ai/glm-5.2', input: 'Two', previous_response_id: idOf(first) });
  expect(stage.bodies()[1]?.['messages']).toMatchObject([
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'Hello', reasoning_content: 'Hm.' },
    { role: 'user', content: 'Two' },
  ]);
  stage.respondWith(say('Hello'));
});

test('a request may continue without any input of its own', async () => {
  const client = await connect(stage.gateway.url);
  const first = idOf(await ask(client, { input: [user('One')] }));
  const second = idOf(await ask(client, { previous_response_id: first }));
  const third = idOf(await ask(client, { input: null, previous_response_id: second }));
  const empty = JSON.stringify(create({ input: [], previous_response_id: third }));
  client.socket.send(empty.replace('[]', '[ ]'));
  await client.answer();
  const said = expect.objectContaining({ role: 'assistant' });
  expect(stage.bodies().map(({ input }) => input)).toEqual([
    [user('One')],
    [user('One'), said],
    [user('One'), said, said],
    [user('One'), said, said, said],
  ]);
});

test.each([
  [
    'by a status',
    { type: 'error', status: 500 },
    { status: 500, type: 'application/json', body: '{"error":{"message":"Sorry."}}' },
  ],
  [
    'in its stream',
    { type: 'response.failed' },
    {
      status: 200,
      type: 'text/event-stream',
      body: 'event: response.failed\ndata: {"type":"response.failed","response":{"id":"resp_failed","status":"failed","output":[]}}\n\n',
    },
  ],
])(
  'the response that a failed request continued is forgotten, and left to the vendor: %s',
  async (_, end, failure) => {
    const client = await connect(stage.gateway.url);
    const first = await ask(client, { input: [user('One')] });
    const again = { input: [user('Two')], previous_response_id: idOf(first) };
    stage.respondWith((_request, response) =>
      response.writeHead(failure.status, { 'content-type': failure.type }).end(failure.body),
    );
    expect((await ask(client, again)).at(-1)).toMatchObject(end);
    stage.respondWith(say('Hello'));
    await ask(client, again);
    const [, whole, alone] = stage.bodies();
    expect(whole?.['input']).toEqual([
      user('One'),
      expect.objectContaining({ role: 'assistant' }),
      user('Two'),
    ]);
    expect(alone).toMatchObject(again);
  },
);

test.each([
  ['alone', [output('call_x')], 'call_x'],
  ['beside one that answers a call', [output('call_1'), output('call_y')], 'call_y'],
])('an output that answers no call of the dialogue is refused: %s', async (_, input, stray) => {
  const client = await connect(stage.gateway.url);
  const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
  const first = idOf(await ask(client, { input: [user('One'), call, output('call_1')] }));
  const second = idOf(await ask(client, { input: [output('call_1')], previous_response_id: first }));
  expect(await ask(client, { input, previous_response_id: second })).toMatchObject([
    {
      type: 'error',
      status: 400,
      error: {
        message: `No tool call found for function call output with call_id ${stray}.`,
        param: 'input',
      },
    },
  ]);
  expect(stage.bodies()).toHaveLength(2);
});

test('a response of another connection is left to the vendor', async () => {
  const one = await connect(stage.gateway.url);
  const id = idOf(await ask(one, { input: 'One' }));
  const other = await connect(stage.gateway.url);
  await ask(other, { input: 'Two', previous_response_id: id });
  const unknown = idOf(await ask(other, { input: 'Three', previous_response_id: 'resp_elsewhere' }));
  await ask(other, { input: 'Four', previous_response_id: unknown });
  expect(stage.bodies().map(({ previous_response_id: from }) => from)).toEqual([
    undefined,
    id,
    'resp_elsewhere',
    // The part before it is not known here.
    unknown,
  ]);
});

test('the content of a conversation is left to the vendor, and so are its responses', async () => {
  const client = await connect(stage.gateway.url);
  const id = idOf(await ask(client, { input: 'One', conversation: 'conv_1' }));
  await ask(client, { input: 'Two', previous_response_id: id });
  const known = idOf(await ask(client, { input: 'Three' }));
  await ask(client, { input: 'Four', previous_response_id: known, conversation: 'conv_1' });
  const bodies = stage.bodies();
  expect(bodies[1]).toMatchObject({ input: 'Two', previous_response_id: id });
  // The vendor accepts only one of the two, and says so.
  expect(bodies[3]).toMatchObject({ previous_response_id: known, conversation: 'conv_1' });
});

test('reasoning after which an answer broke off is not sent along: OpenAI requires the item that follows it', async () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
  const message = { type: 'message', id: 'msg_a', role: 'assistant', content: [] };
  const client = await connect(stage.gateway.url);
  for (const [output, expected] of [
    [[thought], []],
    [
      [thought, message, thought],
      [thought, message],
    ],
  ]) {
    const response = { id: `resp_cut_${expected?.length}`, status: 'incomplete', output };
    stage.respondWith((_, answer) =>
      answer
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(
          `event: response.incomplete\ndata: ${JSON.stringify({ type: 'response.incomplete', response })}\n\n`,
        ),
    );
    await ask(client, { model: 'gpt-5.4', input: [user('One')] });
    stage.respondWith(say('Hello'));
    await ask(client, { model: 'gpt-5.4', input: [user('Two')], previous_response_id: response.id });
    expect(stage.bodies()[1]?.['input']).toEqual([user('One'), ...(expected ?? []), user('Two')]);
  }
});

test('when memory is short, dialogues are dropped, and the client sends all of it again', async () => {
  const client = await connect(stage.gateway.url);
  const id = idOf(await ask(client, { input: 'One' }));
  stage.gateway.server.releaseMemory();
  await ask(client, { input: 'Two', previous_response_id: id });
  expect(stage.bodies()[1]).toMatchObject({ input: 'Two', previous_response_id: id });
});

test('the remembered dialogues may be as long as a body, all lanes together', async () => {
  const client = await connect(stage.gateway.url);
  const long = 'x'.repeat(60_000);
  const first = idOf(await ask(client, { stream_id: 'a', input: long }));
  const second = idOf(await ask(client, { stream_id: 'b', input: long }));
  await ask(client, { input: 'Two', previous_response_id: second });
  await ask(client, { input: 'Two', previous_response_id: first });
  expect(stage.bodies().map(({ previous_response_id: from }) => from)).toEqual([
    undefined,
    undefined,
    undefined,
    first,
  ]);
});

test('for a model of another vendor, a response of another connection is unknown', async () => {
  const client = await connect(stage.gateway.url);
  const [error] = await ask(client, {
    model: 'anthropic/claude-sonnet-4-5',
    input: 'x',
    previous_response_id: 'resp_x',
  });
  expect(error).toMatchObject({
    type: 'error',
    status: 400,
    error: { code: 'previous_response_not_found', param: 'previous_response_id' },
  });
  expect(stage.bodies()).toEqual([]);
});

describe('a request that wants no output yet', () => {
  test('is answered at once, and can be continued', async () => {
    const client = await connect(stage.gateway.url);
    const warm = await ask(client, { generate: false, input: [user('One')], instructions: 'Be brief.' });
    expect(warm.map(({ type }) => type)).toEqual(['response.created', 'response.completed']);
    expect(warm[0]).toMatchObject({
      sequence_number: 0,
      response: { id: idOf(warm), status: 'in_progress', model: 'gpt-4.1', usage: null },
    });
    expect(warm[1]).toMatchObject({
      sequence_number: 1,
      response: {
        status: 'completed',
        output: [],
        model: 'gpt-4.1',
        instructions: 'Be brief.',
        usage: { total_tokens: 0 },
      },
    });
    expect(stage.bodies()).toEqual([]);
    const said = await ask(client, { input: [user('Two')], previous_response_id: idOf(warm) });
    expect(stage.bodies()[0]?.['input']).toEqual([user('One'), user('Two')]);
    const again = await ask(client, { generate: false, input: [], previous_response_id: idOf(said) });
    for (const { response } of again) expect(response).toMatchObject({ previous_response_id: idOf(said) });
  });

  test('is rejected if it continues an unknown response', async () => {
    const client = await connect(stage.gateway.url);
    const [error] = await ask(client, { generate: false, input: [], previous_response_id: 'resp_elsewhere' });
    expect(error).toMatchObject({
      type: 'error',
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
  });

  test('is rejected if the model could not be asked', async () => {
    const client = await connect(stage.gateway.url);
    const [error] = await ask(client, { generate: false, model: 'nobodys-model', input: [] });
    expect(error).toMatchObject({ type: 'error', status: 404, error: { code: 'model_not_found' } });
  });
});

describe('lanes', () => {
  test('are answered in parallel, and each in order', async () => {
    const waiting: (() => void)[] = [];
    stage.respondWith((received, response) => void waiting.push(() => say('Hello')(received, response)));
    const client = await connect(stage.gateway.url);
    client.send(create({ stream_id: 'a', input: 'a1' }));
    client.send(create({ stream_id: 'a', input: 'a2' }));
    client.send(create({ stream_id: 'b', input: 'b1' }));
    client.send(create({ input: 'c1' }));
    await expect.poll(() => waiting.length).toBe(3);
    expect(stage.bodies().map(({ input }) => input)).toEqual(['a1', 'b1', 'c1']);
    waiting[1]?.();
    expect((await client.answer()).map(({ stream_id: lane }) => lane)).toEqual(['b', 'b', 'b']);
    waiting[0]?.();
    expect((await client.answer()).map(({ stream_id: lane }) => lane)).toEqual(['a', 'a', 'a']);
    await expect.poll(() => waiting.length).toBe(4);
    expect(stage.bodies().map(({ input }) => input)).toEqual(['a2']);
    for (const go of waiting.slice(2)) go();
    const rest = [...(await client.answer()), ...(await client.answer())];
    expect(rest.filter(({ stream_id: lane }) => lane === undefined)).toHaveLength(3);
    stage.respondWith(say('Hello'));
  });

  test('a service that gives all responses one id mixes no dialogues', async () => {
    const fails = { isWanted: false };
    stage.respondWith((_, response) => {
      if (fails.isWanted) {
        response.writeHead(500).end();
        return;
      }
      const event = { type: 'response.completed', response: { id: 'resp_same', output: [] } };
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`event: response.completed\ndata: ${JSON.stringify(event)}\n\n`);
    });
    const client = await connect(stage.gateway.url);
    stage.bodies();
    const goesOn = { previous_response_id: 'resp_same' };
    for (const stream_id of ['a', 'b']) await ask(client, { stream_id, input: [user(`in ${stream_id}`)] });
    for (const stream_id of ['a', 'b']) await ask(client, { stream_id, input: [user('more')], ...goesOn });
    expect(stage.bodies().slice(2)).toMatchObject([
      { input: [user('in a'), user('more')] },
      { input: [user('in b'), user('more')] },
    ]);
    fails.isWanted = true;
    await ask(client, { stream_id: 'a', input: [], ...goesOn });
    fails.isWanted = false;
    await ask(client, { stream_id: 'b', input: [user('a new start in b')] });
    stage.bodies();
    // Both lanes' dialogues are forgotten, and that of the other lane is never taken for one's own, nor guessed.
    await ask(client, { stream_id: 'a', input: [user('lost')], ...goesOn });
    await ask(client, { stream_id: 'b', input: [user('kept')], ...goesOn });
    await ask(client, { stream_id: 'a', input: [user('a new start in a')] });
    await ask(client, { stream_id: 'c', input: [user('guessed')], ...goesOn });
    expect(stage.bodies()).toMatchObject([
      { input: [user('lost')], ...goesOn },
      { input: [user('a new start in b'), user('kept')] },
      { input: [user('a new start in a')] },
      { input: [user('guessed')], ...goesOn },
    ]);
    client.socket.terminate();
    stage.respondWith(say('Hello'));
  });

  test('a lane may fork from another one, whose last response stays known', async () => {
    const client = await connect(stage.gateway.url);
    const root = idOf(await ask(client, { stream_id: 'a', input: [user('One')] }));
    const fork = idOf(
      await ask(client, { stream_id: 'b', input: [user('Two')], previous_response_id: root }),
    );
    await ask(client, { stream_id: 'a', input: [user('Three')], previous_response_id: root });
    await ask(client, { stream_id: 'b', input: [user('Four')], previous_response_id: fork });
    const users = (body: JsonObject | undefined): unknown[] =>
      [body?.['input'] ?? []]
        .flat()
        .flatMap((item) => (asObject(item)?.['role'] === 'user' ? asObject(item)?.['content'] : []));
    const bodies = stage.bodies();
    expect(users(bodies[2])).toEqual(['One', 'Three']);
    expect(users(bodies[3])).toEqual(['One', 'Two', 'Four']);
  });

  test('there are at most 32, in addition to the unnamed one', async () => {
    const client = await connect(stage.gateway.url);
    const warm = async (fields: JsonObject): Promise<JsonObject | undefined> =>
      (await ask(client, { generate: false, input: [], ...fields })).at(-1);
    const completed = { type: 'response.completed' };
    for (const isFirst of [true, false]) {
      for (let lane = 0; lane < 32; lane += 1) {
        expect(await warm({ stream_id: `lane_${lane}` })).toMatchObject(completed);
        if (lane === 30 || !isFirst) expect(await warm({})).toMatchObject(completed);
      }
      expect(await warm({ stream_id: 'lane_32' })).toMatchObject({
        error: { code: 'websocket_stream_limit_reached', param: 'stream_id' },
      });
    }
    const other = await connect(stage.gateway.url);
    for (let lane = 0; lane < 32; lane += 1) {
      other.send(create({ generate: false, input: [], stream_id: `lane_${lane}` }));
      expect((await other.answer()).at(-1)).toMatchObject(completed);
    }
    other.send(create({ generate: false, input: [] }));
    expect((await other.answer()).at(-1)).toMatchObject(completed);
  });
});

describe("OpenAI's SDK", () => {
  test.each([
    'gpt-5.4',
    'anthropic/claude-sonnet-4-5',
    'google/gemini-2.5-pro',
    'deepseek/deepseek-v4-flash',
  ])('calls a tool and continues from it, with %s', async (model) => {
    const gateway = await startGateway();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: KEY });
    const socket = new ResponsesWS(client);
    const tools = [
      {
        type: 'function' as const,
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        strict: false,
      },
    ];
    const completed = (): Promise<ResponsesServerEvent.ResponseWsCompleted> =>
      new Promise((resolve, reject) => {
        socket.once('response.completed', resolve);
        socket.once('error', reject);
      });
    socket.send({
      type: 'response.create',
      model,
      store: false,
      tools,
      input: 'What is the weather in Paris?',
    });
    const { response } = await completed();
    const call = response.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'get_weather' });
    socket.send({
      type: 'response.create',
      model,
      store: false,
      tools,
      previous_response_id: response.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'Sunny and warm.' }],
    });
    const answer = await completed();
    expect(JSON.stringify(answer.response.output)).toContain('Sunny and warm.');
    expect(answer.response.previous_response_id).toBe(response.id);
    socket.close();
    await gateway.close();
  });
});
