/** The OpenAI SDK against the simulated OpenAI, used like the real one. */

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { asList, asObjects } from '../../src/lib/json.ts';
import { codexLite } from '../clients/agents/codex-lite.ts';
import { get, post, useSandbox, WEATHER_SCHEMA } from './support.ts';

const sandbox = useSandbox();
const client = (key?: string): OpenAI => {
  const { baseUrl, apiKey } = sandbox().places.openai;
  return new OpenAI({ baseURL: baseUrl, apiKey: key ?? apiKey, maxRetries: 0 });
};
const ask = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }];
const WEATHER: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather in a city', parameters: { ...WEATHER_SCHEMA } },
};

describe('chat completions', () => {
  test('an answer says that it is from the sandbox, and repeats the request', async () => {
    const answer = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('Is anybody there?'),
    });
    const text = answer.choices[0]?.message.content ?? '';
    expect(text).toContain('sandbox');
    expect(text).toContain('> Is anybody there?');
    expect(text.length).toBeGreaterThan(300);
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.model).toBe('gpt-4.1');
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
    );
  });

  test('a stream says the same, in pieces, with usage at its end', async () => {
    const whole = await client().chat.completions.create({ model: 'gpt-4.1', messages: ask('Say it again') });
    const stream = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('Say it again'),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let chunks = 0;
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage;
      chunks += 1;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(chunks).toBeGreaterThan(20);
    expect(usage).toEqual(whole.usage);
  });

  test('a tool is called, answered and quoted', async () => {
    const messages = ask('What is the weather in São Paulo for the next 3 days, in fahrenheit?');
    const first = await client().chat.completions.create({ model: 'gpt-4.1', messages, tools: [WEATHER] });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const call = choice?.message.tool_calls?.[0];
    if (choice === undefined || call?.type !== 'function') throw new Error('no call');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'São Paulo', unit: 'fahrenheit', days: 3 });
    messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: '72°F and sunny' });
    const second = await client().chat.completions.create({ model: 'gpt-4.1', messages, tools: [WEATHER] });
    expect(second.choices[0]?.finish_reason).toBe('stop');
    expect(second.choices[0]?.message.content).toContain('> 72°F and sunny');
    expect(second.choices[0]?.message.content).toContain('get_weather');
  });

  test('a named tool is called whatever the prompt is, and a forbidden one never', async () => {
    const forced = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('Hello'),
      tools: [WEATHER],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    });
    expect(forced.choices[0]?.message.tool_calls).toHaveLength(1);
    expect(forced.choices[0]?.finish_reason).toBe('stop');
    const none = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('Use get_weather'),
      tools: [WEATHER],
      tool_choice: 'none',
    });
    expect(none.choices[0]?.message.tool_calls).toBeUndefined();
  });

  test('two tools that the prompt names are called in parallel, unless that is forbidden', async () => {
    const time: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'get_time' } };
    const request = {
      model: 'gpt-4.1',
      messages: ask('Use get_weather and get_time'),
      tools: [WEATHER, time],
    } satisfies OpenAI.ChatCompletionCreateParamsNonStreaming;
    const both = await client().chat.completions.create(request);
    expect(both.choices[0]?.message.tool_calls).toHaveLength(2);
    const one = await client().chat.completions.create({ ...request, parallel_tool_calls: false });
    expect(one.choices[0]?.message.tool_calls).toHaveLength(1);
  });

  test('a custom tool receives plain text', async () => {
    const answer = await client().chat.completions.create({
      model: 'gpt-5',
      messages: ask('Run print(1)'),
      tools: [{ type: 'custom', custom: { name: 'python' } }],
      tool_choice: 'required',
    });
    const call = answer.choices[0]?.message.tool_calls?.[0];
    expect(call?.type === 'custom' ? call.custom : undefined).toEqual({
      name: 'python',
      input: 'Run print(1)',
    });
  });

  test('JSON by a schema, streamed through the helper that parses it', async () => {
    const runner = client().chat.completions.stream({
      model: 'gpt-4.1',
      messages: ask('Plan a trip to Oslo'),
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'trip',
          strict: true,
          schema: {
            type: 'object',
            properties: {
              city: { type: 'string' },
              stops: { type: 'array', items: { $ref: '#/$defs/stop' } },
              kind: { enum: ['train', 'plane'] },
            },
            required: ['city', 'stops', 'kind'],
            additionalProperties: false,
            $defs: {
              stop: {
                type: 'object',
                properties: { name: { type: 'string' }, nights: { type: ['integer', 'null'] } },
                required: ['name', 'nights'],
                additionalProperties: false,
              },
            },
          },
        },
      },
    });
    const answer = await runner.finalChatCompletion();
    const trip = JSON.parse(answer.choices[0]?.message.content ?? '');
    expect(trip).toMatchObject({ city: 'Oslo', kind: 'train' });
    expect(trip.stops[0]).toEqual({ name: expect.any(String), nights: expect.any(Number) });
  });

  test('limit, stop sequence and several choices', async () => {
    const short = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('Hi'),
      max_tokens: 10,
    });
    expect(short.choices[0]?.finish_reason).toBe('length');
    expect(short.usage?.completion_tokens).toBe(10);
    const stopped = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('Hi'),
      stop: ['sandbox', 'never said'],
    });
    expect(stopped.choices[0]?.message.content).toBe('**This is the ');
    expect(stopped.choices[0]?.finish_reason).toBe('stop');
    const three = await client().chat.completions.create({ model: 'gpt-4.1', messages: ask('Hi'), n: 3 });
    expect(three.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test('reasoning is counted and hidden; a service that shows it does', async () => {
    const hidden = await client().chat.completions.create({
      model: 'gpt-5',
      messages: ask('Think'),
      reasoning_effort: 'high',
    });
    expect(hidden.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    expect(hidden.choices[0]?.message).not.toHaveProperty('reasoning_content');
    const { baseUrl, apiKey } = sandbox().places.compatible;
    const open = new OpenAI({ baseURL: baseUrl, apiKey });
    const models = await open.models.list();
    const deepseek = models.data.find(({ id }) => id.startsWith('deepseek/'));
    const shown = await open.chat.completions.create({
      model: deepseek?.id ?? '',
      messages: ask('Think'),
      reasoning_effort: 'high',
    });
    expect(shown.choices[0]?.message).toHaveProperty('reasoning_content', expect.stringContaining('Think'));
  });

  test('a repeated long prompt is read from the cache', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: `Be brief. ${'a long instruction '.repeat(400)}` },
      { role: 'user', content: 'Hi' },
    ];
    const first = await client().chat.completions.create({ model: 'gpt-4.1', messages });
    const again = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: [...messages.slice(0, 1), { role: 'user', content: 'Hello' }],
    });
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(again.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(1024);
    expect(again.usage?.prompt_tokens).toBeGreaterThan(
      again.usage?.prompt_tokens_details?.cached_tokens ?? 0,
    );
  });

  test('errors have the SDK’s own types', async () => {
    const messages = ask('Hi');
    await expect(client('sk-wrong').models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(client().chat.completions.create({ model: 'gpt-none', messages })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    const late = await client().chat.completions.create({
      model: 'gpt-4.1',
      messages: ask('play: error-in-stream'),
      stream: true,
    });
    await expect(
      (async () => {
        for await (const _ of late);
      })(),
    ).rejects.toBeInstanceOf(OpenAI.APIError);
  });
});

describe('responses', () => {
  test('whole and streamed answers are the same', async () => {
    const whole = await client().responses.create({ model: 'gpt-5', input: 'Who are you?' });
    expect(whole.output_text).toContain('> Who are you?');
    const stream = client().responses.stream({ model: 'gpt-5', input: 'Who are you?' });
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(whole.output_text);
    expect(final.status).toBe('completed');
  });

  test('the response repeats tools and the schema of the answer with all their fields', async () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } };
    const closed = { ...open, required: ['a'], additionalProperties: false };
    const tools = [
      { type: 'function', name: 'f', parameters: open },
      { type: 'function', name: 'g', parameters: closed },
    ];
    const format = { type: 'json_schema', name: 'a', schema: closed };
    const body = { model: 'gpt-4.1', input: 'Answer in JSON.', tools, text: { format }, tool_choice: 'none' };
    const response = await client().post<Record<string, unknown>>('/responses', { body });
    expect(response).toMatchObject({
      tools: [
        { name: 'f', description: null, strict: false },
        { name: 'g', description: null, strict: true },
      ],
      text: { format: { ...format, description: null, strict: false }, verbosity: 'medium' },
    });
  });

  test('a tool loop with encrypted reasoning, nothing stored', async () => {
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'get_weather', parameters: { ...WEATHER_SCHEMA }, strict: false },
    ];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'The weather in Oslo?' }];
    const settings = {
      model: 'gpt-5',
      tools,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low', summary: 'auto' },
    } satisfies OpenAI.Responses.ResponseCreateParamsNonStreaming;
    const first = await client().responses.create({ ...settings, input });
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const call = first.output.find((item) => item.type === 'function_call');
    expect(JSON.parse(call?.arguments ?? '')).toMatchObject({ city: 'Oslo' });
    const answered: OpenAI.Responses.ResponseInput = [
      ...input,
      ...first.output.filter((item) => item.type === 'reasoning' || item.type === 'function_call'),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rain' },
    ];
    const second = await client().responses.create({ ...settings, input: answered });
    expect(second.output_text).toContain('> rain');
    const forged = answered.map((item) =>
      item.type === 'reasoning' ? { ...item, encrypted_content: 'gAAAforged' } : item,
    );
    await expect(client().responses.create({ ...settings, input: forged })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_encrypted_content',
    });
    const bare = answered.map((item) =>
      item.type === 'reasoning' ? { ...item, encrypted_content: null } : item,
    );
    await expect(client().responses.create({ ...settings, input: bare })).rejects.toMatchObject({
      status: 404,
    });
  });

  test('a stored response can be continued; an unknown one cannot', async () => {
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'get_weather', parameters: { ...WEATHER_SCHEMA }, strict: false },
    ];
    const first = await client().responses.create({ model: 'gpt-5', tools, input: 'Call get_weather' });
    const call = first.output.find((item) => item.type === 'function_call');
    const second = await client().responses.create({
      model: 'gpt-5',
      tools,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'snow' }],
    });
    expect(second.output_text).toContain('> snow');
    // An item may refer to a stored one, and need not say that it does.
    const pointed = await client().responses.create({
      model: 'gpt-5',
      tools,
      input: [
        { role: 'user', content: 'Call get_weather' },
        ...first.output.map(({ id = '' }) => ({ id })),
        { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rain' },
      ],
    });
    expect(pointed.output_text).toContain('> rain');
    await expect(
      client().responses.create({ model: 'gpt-5', previous_response_id: 'resp_none', input: 'x' }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  test('tools in namespaces, and tools that an item adds, are called by their names there', async () => {
    const { json } = await post(sandbox(), 'openai', '/responses', {
      ...codexLite('gpt-6.1-sol'),
      stream: false,
      parallel_tool_calls: true,
      input: [
        ...asList(codexLite('gpt-6.1-sol')['input'] ?? null).slice(0, 2),
        { role: 'user', content: 'Call exec and collaboration__list_agents.' },
      ],
    });
    const calls = asObjects(json['output']).filter(({ call_id }) => call_id !== undefined);
    expect(calls).toMatchObject([
      { type: 'custom_tool_call', name: 'exec' },
      { type: 'function_call', namespace: 'collaboration', name: 'list_agents' },
    ]);
    expect(calls[0]).not.toHaveProperty('namespace');
  });

  test('JSON, a limit and a refusal', async () => {
    const json = await client().responses.create({
      model: 'gpt-4.1',
      input: 'A name please',
      text: {
        format: {
          type: 'json_schema',
          name: 'who',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' } },
            required: ['name'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(JSON.parse(json.output_text)).toEqual({ name: 'Ada Lovelace' });
    const cut = await client().responses.create({ model: 'gpt-4.1', input: 'Hi', max_output_tokens: 16 });
    expect(cut.incomplete_details?.reason).toBe('max_output_tokens');
    expect(cut.usage?.output_tokens).toBe(16);
  });
});

describe('a stored response', () => {
  const make = (more: Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {}) =>
    client().responses.create({ model: 'gpt-5', input: 'Hi', ...more });

  test('is known by its id, unless it was not stored', async () => {
    const { responses } = client();
    const kept = await make();
    expect(await responses.retrieve(kept.id)).toMatchObject({ id: kept.id, output_text: kept.output_text });
    const notKept = await make({ store: false });
    for (const ask of [
      responses.retrieve(notKept.id),
      responses.cancel(notKept.id),
      responses.delete(notKept.id),
      responses.inputItems.list(notKept.id),
    ])
      await expect(ask).rejects.toMatchObject({ status: 404, message: expect.stringContaining('not found') });
  });

  test('is forgotten before those that came later take too much memory', async () => {
    const { responses } = client();
    const url = `data:image/png;base64,${'A'.repeat(4 * 1024 * 1024)}`;
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: [{ type: 'input_image', image_url: url, detail: 'auto' }] },
    ];
    const first = await make({ input });
    // What continues it holds its picture, too.
    let last = await make({ previous_response_id: first.id });
    for (let at = 0; at < 20; at += 1) last = await make({ input });
    await expect(responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    expect(await responses.retrieve(last.id)).toMatchObject({ id: last.id });
  });

  test('in the background must be stored, and is not there at once', async () => {
    await expect(make({ background: true, store: false })).rejects.toMatchObject({ status: 400 });
    const made = await make({ background: true });
    expect([made.status, made.output, made.usage]).toEqual(['queued', [], null]);
    expect((await client().responses.retrieve(made.id)).status).toBe('in_progress');
    expect((await client().responses.cancel(made.id)).status).toBe('cancelled');
    expect((await client().responses.cancel(made.id)).status).toBe('cancelled');
  });

  test('lists its own input, in pages of a valid size', async () => {
    const { responses } = client();
    const first = await make({ input: 'One' });
    const second = await make({ input: 'Two', previous_response_id: first.id });
    const page = await responses.inputItems.list(second.id);
    expect(page.data).toMatchObject([{ type: 'message', content: [{ type: 'input_text', text: 'Two' }] }]);
    const [item] = page.data;
    expect((await responses.inputItems.list(second.id, { after: item?.id ?? '' })).data).toEqual([]);
    await expect(responses.inputItems.list(second.id, { limit: 101 })).rejects.toMatchObject({ status: 400 });
  });

  test('has no other methods', async () => {
    expect((await post(sandbox(), 'openai', '/responses/resp_1', {})).status).toBe(405);
    expect((await get(sandbox(), 'openai', '/responses/resp_1/cancel')).status).toBe(405);
  });
});

test('a prompt that is only to be cached gets no answer', async () => {
  const { output, status, usage } = await client().responses.create({
    model: 'gpt-5.4',
    input: 'Hi',
    prompt_cache_options: { prewarm: true },
  });
  expect({ output, status }).toEqual({ output: [], status: 'completed' });
  expect(usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 0 });
});

test('every tier that the SDK knows is accepted', async () => {
  for (const service_tier of ['auto', 'default', 'flex', 'scale', 'priority', 'fast'] as const) {
    await client().chat.completions.create({ model: 'gpt-4.1', messages: ask('Hi'), service_tier });
    await client().responses.create({ model: 'gpt-4.1', input: 'Hi', service_tier });
  }
  await client().responses.create({ model: 'gpt-4.1', input: 'Hi', service_tier: 'ultrafast' });
});

test('the lists of models are those of the catalog, and other paths are unknown', async () => {
  const models = await client().models.list();
  expect(models.data.map(({ id }) => id)).toContain('gpt-5');
  expect(await client().models.retrieve('gpt-5')).toMatchObject({ id: 'gpt-5', object: 'model' });
  expect((await post(sandbox(), 'openai', '/embeddings', {})).status).toBe(404);
  expect((await get(sandbox(), 'openai', '/chat/completions')).status).toBe(405);
});
