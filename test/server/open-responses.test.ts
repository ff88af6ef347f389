/**
 * The compliance cases of Open Responses (openresponses.org, `compliance-tests.ts` of its repository, by their names
 * there) with models of all four vendors, judged by its schemas.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject, asObjects, asText, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { openResponses, publishedSchema } from '../support/published-schemas.ts';
import { type Client, connect } from './websocket/stage.ts';

const NATIVE = 'openai/gpt-5.4';
const MODELS = [
  NATIVE,
  'anthropic/claude-sonnet-4-5',
  'google/gemini-3-flash-preview',
  // Speaks chat-completions alone.
  'moonshotai/kimi-k3',
] as const;

const schema = publishedSchema('responses');
const openSchema = openResponses();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const message = (role: string, content: Json, more: JsonObject = {}): JsonObject => ({
  type: 'message',
  role,
  content,
  ...more,
});

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string', description: 'The city, e.g. Bergen' } },
    required: ['location'],
  },
};

/** A red pixel. */
const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The requests of the cases, whose answers are to be completed. */
const REQUESTS: Readonly<Record<string, JsonObject>> = {
  'basic-response': { input: [message('user', 'Say hello in exactly 3 words.')] },
  'assistant-phase': {
    input: [
      message('assistant', 'I should answer with the saved number.', { phase: 'commentary' }),
      message('assistant', 'The number is four.', { phase: 'final_answer' }),
      message('user', 'Repeat only the number.'),
    ],
  },
  'system-prompt': {
    input: [message('system', 'You are a pirate. Always speak so.'), message('user', 'Say hello.')],
  },
  'tool-calling': {
    input: [message('user', "What's the weather like in San Francisco?")],
    tools: [WEATHER],
  },
  'image-input': {
    input: [
      message('user', [
        { type: 'input_text', text: 'What do you see in this image? Answer in one sentence.' },
        { type: 'input_image', image_url: IMAGE },
      ]),
    ],
  },
  'multi-turn': {
    input: [
      message('user', 'My name is Alice.'),
      message('assistant', 'Hello Alice! How can I help you today?'),
      message('user', 'What is my name?'),
    ],
  },
};

const SEED = [
  message('user', 'We agreed to launch on Tuesday and notify support first.'),
  message('assistant', 'Understood. The launch is Tuesday, with support notified beforehand.'),
];

const post = (path: string, body: JsonObject): Promise<Response> => postJson(gateway.url + path, body);

async function jsonOf(response: Response): Promise<JsonObject> {
  return asObject(parseJson(await response.text())) ?? {};
}

const typesIn = (response: Json | undefined): readonly unknown[] =>
  asObjects(asObject(response)?.['output']).map(({ type }) => type);

/** The response that the events end with. All of them follow the schemas. */
function completed(events: readonly JsonObject[]): JsonObject {
  for (const event of events) expect(schema.event({ data: JSON.stringify(event) })).toEqual([]);
  const last = asObject(events.at(-1)?.['response']) ?? {};
  expect(last['status']).toBe('completed');
  return last;
}

describe.each(MODELS)('%s', (model) => {
  test.each(Object.entries(REQUESTS))('%s', async (name, body) => {
    const response = await post('/v1/responses', { model, ...body });
    expect(response.status).toBe(200);
    const answer = await jsonOf(response);
    expect(schema.whole(answer)).toEqual([]);
    expect(answer['status']).toBe('completed');
    expect(typesIn(answer)).toContain(name === 'tool-calling' ? 'function_call' : 'message');
  });

  test('streaming-response, also with a call', async () => {
    for (const name of ['basic-response', 'tool-calling']) {
      const response = await post('/v1/responses', { model, ...REQUESTS[name], stream: true });
      const text = await response.text();
      const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(
        ([, data = '']) => asObject(parseJson(data)) ?? {},
      );
      expect(typesIn(completed(events))).not.toEqual([]);
    }
  });

  test('compact-response: 404 where the vendor has no compaction', async () => {
    const response = await post('/v1/responses/compact', {
      model,
      prompt_cache_key: 'openresponses-compact-test',
      input: SEED,
    });
    const answer = await jsonOf(response);
    if (model === NATIVE) {
      expect(response.status).toBe(200);
      expect(openSchema('CompactResource', answer)).toEqual([]);
      expect(typesIn(answer)).toContain('compaction');
    } else {
      expect(response.status).toBe(404);
      expect(asObject(answer['error'])).toMatchObject({ param: 'model', code: 'endpoint_not_available' });
    }
  });

  const create = (input: Json, more: JsonObject = {}): JsonObject => ({
    type: 'response.create',
    model,
    store: false,
    input,
    ...more,
  });

  /** The error that an answer consists of. */
  const errorOf = (events: readonly JsonObject[]): JsonObject => {
    const [event = {}] = events;
    expect(openSchema('WebSocketErrorEvent', event)).toEqual([]);
    return asObject(event['error']) ?? {};
  };

  test('websocket-response, -sequential-responses and -continuation', async () => {
    const client = await connect(gateway.url);
    client.send(create([message('user', 'Count from 1 to 3.')]));
    completed(await client.answer());
    client.send(create('Remember the code word: cobalt. Reply with OK.'));
    const first = completed(await client.answer());
    client.send(create('What is the code word?', { previous_response_id: first['id'] ?? null }));
    expect(completed(await client.answer())['previous_response_id']).toBe(first['id']);
    client.socket.close();
  });

  test('websocket-generate-false, and an answer that continues it', async () => {
    const client = await connect(gateway.url);
    client.send(create('Prepare.', { generate: false }));
    const first = completed(await client.answer());
    expect(typesIn(first)).toEqual([]);
    client.send(create('Now answer.', { previous_response_id: first['id'] ?? null }));
    expect(typesIn(completed(await client.answer()))).not.toEqual([]);
    client.socket.close();
  });

  test('websocket-previous-response-not-found and -reconnect-store-false-recovery', async () => {
    const before = await connect(gateway.url);
    before.send(create('Remember the code word: copper. Reply with OK.'));
    const { id = null } = completed(await before.answer());
    before.socket.close();
    const client = await connect(gateway.url);
    for (const previous_response_id of ['resp_openresponses_missing_1', id]) {
      client.send(create('Continue.', { previous_response_id }));
      expect(errorOf(await client.answer())['code']).toBe('previous_response_not_found');
    }
    client.send(create('Start again.'));
    completed(await client.answer());
    client.socket.close();
  });

  test('websocket-failed-continuation-evicts-cache', async () => {
    const client = await connect(gateway.url);
    client.send(create('Remember the code word: ember. Reply with OK.'));
    const { id = null } = completed(await client.answer());
    const output = {
      type: 'function_call_output',
      call_id: 'call_openresponses_missing',
      output: 'Nothing.',
    };
    client.send(create([output], { previous_response_id: id }));
    const failure = await client.answer();
    expect(asText(failure[0]?.['type'])).toBe('error');
    expect(asText(errorOf(failure)['code'])).toBeDefined();
    client.send(create('Reply with exactly: stale', { previous_response_id: id }));
    expect(errorOf(await client.answer())['code']).toBe('previous_response_not_found');
    client.socket.close();
  });
});

/** Ways to choose a tool, of the specification's own example and of callers who come from chat-completions. */
const CHOICES: readonly [choice: JsonObject, repeated: JsonObject][] = [
  [
    { type: 'allowed_tools', tools: [{ type: 'function', name: 'get_weather' }] },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] },
  ],
  [
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_weather' } }] },
    },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_weather' }] },
  ],
  [
    { type: 'function', function: { name: 'get_weather' } },
    { type: 'function', name: 'get_weather' },
  ],
];

test.each(MODELS.filter((model) => model !== NATIVE))(
  '%s repeats a choice of tools by the schema',
  async (model) => {
    for (const [tool_choice, repeated] of CHOICES) {
      const response = await post('/v1/responses', { model, ...REQUESTS['tool-calling'], tool_choice });
      const answer = await jsonOf(response);
      expect(schema.whole(answer)).toEqual([]);
      expect(answer['tool_choice']).toEqual(repeated);
    }
  },
);

test.each(MODELS.filter((model) => model !== NATIVE))(
  '%s is asked with penalties, which are repeated',
  async (model) => {
    const penalties = { frequency_penalty: 0.5, presence_penalty: -0.5 };
    const response = await post('/v1/responses', { model, ...REQUESTS['basic-response'], ...penalties });
    const answer = await jsonOf(response);
    expect(schema.whole(answer)).toEqual([]);
    expect(answer).toMatchObject(penalties);
  },
);

test('a video reaches the models that see it, and is refused for the others', async () => {
  const video = { type: 'input_video', video_url: 'data:video/mp4;base64,AAAA' };
  const input = [message('user', [{ type: 'input_text', text: 'What happens?' }, video])];
  for (const model of MODELS) {
    const response = await post('/v1/responses', { model, input });
    const seesVideo = model.startsWith('google/') || model.startsWith('moonshotai/');
    expect(response.status, model).toBe(seesVideo ? 200 : 400);
    expect(await response.text()).toContain(seesVideo ? 'With it came: video' : 'video');
  }
});

test('compact-missing-model', async () => {
  const response = await post('/v1/responses/compact', { input: [message('user', 'Compact this.')] });
  expect(response.status).toBe(400);
});

test('websocket-compact-new-chain', async () => {
  const compacted = await jsonOf(await post('/v1/responses/compact', { model: NATIVE, input: SEED }));
  const client: Client = await connect(gateway.url);
  const output = asObjects(compacted['output']);
  client.send({
    type: 'response.create',
    model: NATIVE,
    store: false,
    input: [...output, message('user', 'Continue from here.')],
    tools: [],
  });
  expect(completed(await client.answer())['previous_response_id']).toBeNull();
  client.socket.close();
});
