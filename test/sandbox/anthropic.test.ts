/** The Anthropic SDK against the simulated Anthropic, used like the real one. */

import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { get, post, useSandbox, WEATHER_SCHEMA } from './support.ts';

const sandbox = useSandbox();
const client = (key?: string): Anthropic => {
  const { baseUrl, apiKey } = sandbox().places.anthropic;
  return new Anthropic({ baseURL: baseUrl, apiKey: key ?? apiKey, maxRetries: 0 });
};
const model = 'claude-sonnet-4-6';
const ask = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }];
const WEATHER: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather in a city',
  input_schema: { ...WEATHER_SCHEMA, required: ['city', 'unit'] },
};
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

test('whole and streamed answers are the same', async () => {
  const whole = await client().messages.create({ model, max_tokens: 1000, messages: ask('Who are you?') });
  expect(textOf(whole)).toContain('> Who are you?');
  expect(whole.stop_reason).toBe('end_turn');
  const stream = client().messages.stream({ model, max_tokens: 1000, messages: ask('Who are you?') });
  let pieces = 0;
  stream.on('text', () => {
    pieces += 1;
  });
  const final = await stream.finalMessage();
  expect(textOf(final)).toBe(textOf(whole));
  expect(final.usage.output_tokens).toBe(whole.usage.output_tokens);
  expect(pieces).toBeGreaterThan(20);
});

test.each(['enabled', 'adaptive'] as const)(
  'a tool loop with %s thinking and its signature',
  async (type) => {
    const thinking: Anthropic.ThinkingConfigParam =
      type === 'enabled' ? { type, budget_tokens: 1024 } : { type };
    const request = { model, max_tokens: 4000, tools: [WEATHER], thinking };
    const messages = ask('The weather in Oslo, in celsius?');
    const first = await client().messages.create({ ...request, messages });
    expect(first.content.map((block) => block.type)).toEqual(['thinking', 'tool_use']);
    expect(first.stop_reason).toBe('tool_use');
    const [thought, call] = first.content;
    if (thought?.type !== 'thinking' || call?.type !== 'tool_use') throw new Error('no thought or no call');
    expect(thought.thinking).toContain('Oslo');
    expect(call.input).toMatchObject({ city: 'Oslo', unit: 'celsius' });
    const result: Anthropic.MessageParam = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call.id, content: 'rain, 7°C' }],
    };
    const second = await client()
      .messages.stream({
        ...request,
        messages: [...messages, { role: 'assistant', content: first.content }, result],
      })
      .finalMessage();
    expect(textOf(second)).toContain('> rain, 7°C');
    const withThought = (thinking: string): Anthropic.MessageParam => ({
      role: 'assistant',
      content: first.content.map((block) => (block.type === 'thinking' ? { ...block, thinking } : block)),
    });
    // As it comes with `display: omitted`, whose signature is no other.
    const unshown = await client().messages.create({
      ...request,
      messages: [...messages, withThought(''), result],
    });
    expect(textOf(unshown)).toContain('> rain, 7°C');
    await expect(
      client().messages.create({
        ...request,
        messages: [...messages, withThought(`${thought.thinking} or not`), result],
      }),
    ).rejects.toThrow('messages.1.content.0: Invalid `signature` in `thinking` block');
    await expect(
      client().messages.create({
        ...request,
        thinking: { type: 'disabled' },
        messages: [...messages, { role: 'assistant', content: first.content }, result],
      }),
    ).rejects.toThrow('messages.1.content.0: When thinking is disabled, an `assistant` message in the final');
  },
);

test('hidden thoughts are signed too', async () => {
  const answer = await client().messages.create({
    model,
    max_tokens: 2000,
    messages: ask('Think'),
    thinking: { type: 'adaptive', display: 'omitted' },
  });
  const [thought] = answer.content;
  if (thought?.type !== 'thinking') throw new Error('no thought');
  expect(thought.thinking).toBe('');
  expect(thought.signature.length).toBeGreaterThan(50);
  const next = await client().messages.create({
    model,
    max_tokens: 2000,
    messages: [...ask('Think'), { role: 'assistant', content: answer.content }, ...ask('Go on')],
  });
  expect(next.stop_reason).toBe('end_turn');
  await expect(
    client().messages.create({
      model,
      max_tokens: 2000,
      messages: [...ask('Think'), { role: 'assistant', content: [thought] }, ...ask('Go on')],
    }),
  ).rejects.toThrow('messages.1: The final block in an assistant message cannot be `thinking`.');
});

test('tools: forced, forbidden, without arguments, not in parallel', async () => {
  const time: Anthropic.Tool = { name: 'get_time', input_schema: { type: 'object', properties: {} } };
  const base = { model, max_tokens: 500, tools: [WEATHER, time] };
  const calls = async (more: Partial<Anthropic.MessageCreateParamsNonStreaming>, said = 'Hello') =>
    (await client().messages.create({ ...base, messages: ask(said), ...more })).content.flatMap((block) =>
      block.type === 'tool_use' ? [block] : [],
    );
  expect(await calls({})).toEqual([]);
  expect(await calls({ tool_choice: { type: 'tool', name: 'get_time' } })).toMatchObject([{ input: {} }]);
  expect(await calls({ tool_choice: { type: 'any' } })).toHaveLength(1);
  expect(await calls({}, 'get_time and get_weather')).toHaveLength(2);
  expect(
    await calls(
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      'get_time and get_weather',
    ),
  ).toHaveLength(1);
  expect(await calls({ tool_choice: { type: 'none' } }, 'get_time')).toEqual([]);
});

test('limit, stop sequence and JSON', async () => {
  const cut = await client().messages.create({ model, max_tokens: 8, messages: ask('Hi') });
  expect(cut).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 8 } });
  const stopped = await client().messages.create({
    model,
    max_tokens: 800,
    messages: ask('Hi'),
    stop_sequences: ['simulated'],
  });
  expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'simulated' });
  expect(textOf(stopped)).not.toContain('simulated');
  const json = await client().messages.create({
    model,
    max_tokens: 800,
    messages: ask('Who?'),
    output_config: {
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { email: { type: 'string', format: 'email' }, age: { type: 'integer' } },
          required: ['email', 'age'],
          additionalProperties: false,
        },
      },
    },
  });
  expect(JSON.parse(textOf(json))).toEqual({ email: 'ada@example.com', age: 1 });
});

test('a marked prefix is written to the cache once, and read from it afterwards', async () => {
  const system: Anthropic.TextBlockParam[] = [
    { type: 'text', text: 'a long instruction '.repeat(400), cache_control: { type: 'ephemeral' } },
  ];
  const request = { model, max_tokens: 100, system };
  const first = await client().messages.create({ ...request, messages: ask('one') });
  const second = await client().messages.create({ ...request, messages: ask('two') });
  const written = first.usage.cache_creation_input_tokens ?? 0;
  expect(written).toBe(1900);
  expect(first.usage.cache_read_input_tokens).toBe(0);
  expect(first.usage.cache_creation?.ephemeral_5m_input_tokens).toBe(written);
  expect(second.usage).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: written });
  expect(second.usage.input_tokens).toBe(1);
});

test('tokens are counted as they are billed', async () => {
  const counted = await client().messages.countTokens({ model, messages: ask('How long is this?') });
  const answer = await client().messages.create({
    model,
    max_tokens: 10,
    messages: ask('How long is this?'),
  });
  expect(counted.input_tokens).toBe(answer.usage.input_tokens);
});

test.each([true, false])('the SDK runs tools over a thread (streamed: %s)', async (stream) => {
  const runner = client().beta.messages.toolRunner({
    model,
    max_tokens: 1000,
    stream,
    messages: ask('The weather in Oslo?'),
    tools: [
      {
        ...WEATHER,
        type: 'custom',
        run: (input: unknown) => `rain for ${JSON.stringify(input)}`,
        parse: (input: unknown) => input,
      },
    ],
  });
  const final = await runner.runUntilDone();
  expect(final.content).toMatchObject([
    { type: 'text', text: expect.stringContaining('rain for {"city":"Oslo"') },
  ]);
});

describe('errors', () => {
  test('have the SDK’s own types', async () => {
    const request = { model, max_tokens: 10, messages: ask('Hi') };
    await expect(client('sk-ant-wrong').messages.create(request)).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    );
    await expect(client().messages.create({ ...request, model: 'claude-none' })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
    await expect(client().messages.create({ ...request, max_tokens: 0 })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
    const late = client().messages.stream({
      ...request,
      max_tokens: 500,
      messages: ask('play: error-in-stream'),
    });
    await expect(late.finalMessage()).rejects.toMatchObject({
      error: { error: { type: 'overloaded_error' } },
    });
  });

  test('have the request’s id in header and body', async () => {
    const refused = await post(sandbox(), 'anthropic', '/v1/messages', { model });
    expect(refused.status).toBe(400);
    expect(refused.json['request_id']).toBe(refused.headers.get('request-id'));
  });
});

test('the list of models is that of the catalog', async () => {
  const models = await client().models.list();
  expect(models.data.map(({ id }) => id)).toContain(model);
  expect((await client().models.retrieve(model)).type).toBe('model');
  expect((await get(sandbox(), 'anthropic', '/v1/nothing')).status).toBe(404);
  expect((await get(sandbox(), 'anthropic', '/v1/messages')).status).toBe(405);
});
