/** The AI SDK with its providers for all four formats: only base URL and key differ. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { KEY } from '../support/gateway.ts';
import { FIXTURES } from '../support/recording.ts';
import { CLIENTS, PAIRS } from './ai-sdk-clients.ts';
import { PNG, SUBJECTS, startOfStream, useGateway, useScripted } from './support.ts';

const gateway = useGateway();
const scripted = useScripted();

/** Otherwise the responses provider sends ids of what OpenAI has stored instead of earlier turns. */
const STATELESS = { openai: { store: false } };

const Person = z.object({
  name: z.string(),
  born: z.number().int(),
  fields: z.array(z.string()),
  address: z.object({ city: z.string(), note: z.string().nullable() }),
  mood: z.enum(['glad', 'sad']),
});

const city = z.object({ city: z.string().describe('Name of the city') });
const tools = {
  get_weather: tool({
    description: 'The weather in a city',
    inputSchema: city,
    execute: async ({ city }) => ({ city, sky: `clear over ${city}` }),
  }),
  get_time: tool({
    description: 'The time in a city',
    inputSchema: city,
    execute: async ({ city }) => `It is noon in ${city}.`,
  }),
};

describe.each(PAIRS)('$pair', ({ client, subject }) => {
  const open = (): LanguageModel => client.open(gateway().url, subject.model);

  test('whole and streamed answers are the same, with the same usage', async () => {
    const asked = { system: 'Be brief.', prompt: 'Say hello to Zoë 👋.', maxOutputTokens: 4000 };
    const whole = await generateText({ model: open(), ...asked });
    expect(whole.text).toContain('> Say hello to Zoë 👋.');
    expect(whole.finishReason).toBe('stop');
    expect(whole.usage.inputTokens).toBeGreaterThan(0);
    expect(whole.usage.outputTokens).toBeGreaterThan(0);
    const errors: unknown[] = [];
    const streamed = streamText({ model: open(), ...asked, onError: ({ error }) => void errors.push(error) });
    expect(await streamed.text).toBe(whole.text);
    expect(await streamed.finishReason).toBe('stop');
    expect((await streamed.usage).inputTokens).toBe(whole.usage.inputTokens);
    expect((await streamed.usage).outputTokens).toBe(whole.usage.outputTokens);
    expect(errors).toEqual([]);
  });

  test('a truncated answer says so', async () => {
    const { finishReason } = await generateText({
      model: open(),
      prompt: 'Tell me a lot.',
      maxOutputTokens: 16,
    });
    expect(finishReason).toBe('length');
  });

  test('tools over several steps, two of them at once', async () => {
    const asked = {
      model: open(),
      prompt: 'Call get_weather and get_time for Oslo, then get_weather for Oslo again.',
      tools,
      stopWhen: stepCountIs(5),
      providerOptions: STATELESS,
    };
    const whole = await generateText(asked);
    const called = (steps: readonly { toolCalls: readonly { toolName: string; input: unknown }[] }[]) =>
      steps.map(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input]));
    expect(called(whole.steps)).toEqual([
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { city: 'Oslo' }],
      ],
      [['get_weather', { city: 'Oslo' }]],
      [],
    ]);
    expect(whole.text).toContain('clear over Oslo');
    expect(whole.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop']);
    const streamed = streamText(asked);
    expect(await streamed.text).toBe(whole.text);
    expect(called(await streamed.steps)).toEqual(called(whole.steps));
  });

  test('a tool choice that requires, forbids or names a tool', async () => {
    const ask = (toolChoice: 'required' | 'none' | { type: 'tool'; toolName: 'get_time' }, prompt: string) =>
      generateText({ model: open(), prompt, tools, toolChoice });
    expect((await ask('required', 'Hello.')).toolCalls).toHaveLength(1);
    expect((await ask('none', 'Call get_weather for Oslo.')).toolCalls).toEqual([]);
    const named = await ask({ type: 'tool', toolName: 'get_time' }, 'Call get_weather for Oslo.');
    expect(named.toolCalls.map(({ toolName }) => toolName)).toEqual(['get_time']);
  });

  test('JSON by a schema, whole and streamed', async () => {
    const asked = { model: open(), schema: Person, prompt: 'Who is "Ada", born 1815 in London?' };
    const { object } = await generateObject(asked);
    expect(object.born).toBe(1815);
    const streamed = streamObject(asked);
    let partials = 0;
    for await (const _ of streamed.partialObjectStream) partials += 1;
    expect(partials).toBeGreaterThan(0);
    expect(await streamed.object).toEqual(object);
    const { output } = await generateText({ ...asked, output: Output.object({ schema: Person }) });
    expect(output).toEqual(object);
  });

  test('an image arrives', async () => {
    const { text } = await generateText({
      model: open(),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'file', data: PNG, mediaType: 'image/png' },
          ],
        },
      ],
    });
    expect(text).toContain('With it came: image.');
  });

  test('an error in the middle of a stream is an error, after the content before it', async () => {
    const isHeard = Promise.withResolvers<void>();
    scripted().answer(async ({ url }, response) => {
      const stream = readFileSync(join(FIXTURES, 'replies', spokenAt(url), 'error-in-stream.sse'), 'utf8');
      const frames = stream.trimEnd().split(/(?<=\n\r?\n)/);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const failure = frames.findIndex((frame) => /^event: error|"error":\{/m.test(frame));
      response.write(frames.slice(0, failure).join(''));
      // What comes in one read counts as one, and is no content if it fails.
      await isHeard.promise;
      response.end(`${frames.slice(failure).join('')}\n\n`);
    });
    const errors: unknown[] = [];
    const { fullStream } = streamText({
      model: client.open(scripted().gateway.url, subject.model),
      prompt: 'Hi',
      onError: ({ error }) => void errors.push(error),
    });
    let text = '';
    for await (const part of fullStream) {
      if (part.type === 'text-delta') text += part.text;
      if (text.includes('This answer begins well')) isHeard.resolve();
    }
    expect(text).toContain('This answer begins well');
    expect(errors).not.toEqual([]);
  });

  test('a caller that leaves a stream ends it at the vendor', async () => {
    scripted().answer(({ url }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(startOfStream(spokenAt(url)));
    });
    const closed = scripted().upstream.closed();
    const controller = new AbortController();
    const { fullStream } = streamText({
      model: client.open(scripted().gateway.url, subject.model),
      prompt: 'Hi',
      abortSignal: controller.signal,
    });
    const kinds: string[] = [];
    for await (const { type } of fullStream) {
      kinds.push(type);
      if (type === 'text-delta') controller.abort();
    }
    expect(kinds.at(-1)).toBe('abort');
    await closed;
  });

  test.each([
    ['rate-limited', [429], true],
    ['overloaded', [503, 529], true],
    ['server-error', [500, 502], true],
    ['invalid-request', [400], false],
    ['context-too-long', [400], false],
  ] as const)('%s is an APICallError of the right kind', async (name, statuses, isRetryable) => {
    scripted().answer(({ url }, response) => {
      const file = join(FIXTURES, 'errors', spokenAt(url), `${name}.json`);
      const { status, headers, body } = JSON.parse(readFileSync(file, 'utf8'));
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    const error = await failureOf(client.open(scripted().gateway.url, subject.model));
    expect(statuses).toContain(error.statusCode);
    expect(error.isRetryable).toBe(isRetryable);
    expect(error.message).not.toMatch(/^$|vendor-key/);
    // Google puts the time to wait into its body.
    if (name === 'rate-limited' && client.name !== '@ai-sdk/google')
      expect(Number(error.responseHeaders?.['retry-after'])).toBeGreaterThan(0);
  });
});

/**
 * Models whose answers the gateway translates into chat-completions; the vendors of the others use that
 * format themselves.
 */
const SAID_HERE = SUBJECTS.filter(({ spoken }) => spoken !== 'chat-completions');

test.each(SAID_HERE)(
  'a call of $model has no empty text before it in chat-completions',
  async ({ model }) => {
    const asked = {
      model: createOpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY }).chat(model),
      prompt: 'Call get_weather for Oslo.',
      tools,
    };
    for (const content of [await streamText(asked).content, (await generateText(asked)).content])
      expect(content.map(({ type }) => type)).toEqual(['tool-call', 'tool-result']);
  },
);

describe.each(PAIRS.filter(({ subject }) => subject.thinks))(
  'the thoughts of $pair',
  ({ client, subject }) => {
    test('are sent back with their proof over a tool loop and in the next turn', async () => {
      const settings = {
        model: client.open(gateway().url, subject.model),
        tools,
        providerOptions: client.thinking(subject),
        stopWhen: stepCountIs(5),
      };
      const prompt = 'Call get_weather for Oslo, then get_time for Oslo.';
      const whole = await generateText({ ...settings, prompt });
      expect(whole.steps.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 1, 0]);
      expect(Boolean(whole.steps[0]?.reasoningText)).toBe(client.shows.test(subject.model));
      const streamed = streamText({ ...settings, prompt });
      expect(await streamed.text).toBe(whole.text);
      expect((await streamed.steps).map(({ reasoningText }) => reasoningText)).toEqual(
        whole.steps.map(({ reasoningText }) => reasoningText),
      );
      // The next turn: the whole dialogue is sent back with its thoughts and their signatures.
      const messages: ModelMessage[] = [
        { role: 'user', content: prompt },
        ...whole.response.messages,
        { role: 'user', content: 'And now call get_time for Rome.' },
      ];
      const next = await generateText({ ...settings, messages });
      expect(next.steps[0]?.toolCalls).toMatchObject([{ toolName: 'get_time', input: { city: 'Rome' } }]);
      expect(next.text).toContain('noon in Rome');
    });
  },
);

/** A stream of chat-completions as open models write it: unsigned thoughts, then a call. */
const THOUGHTFUL = [
  { role: 'assistant', content: null, reasoning_content: 'Oslo it is.' },
  {
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '' } }],
  },
  { tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] },
].map((delta) => ({ index: 0, delta, finish_reason: null }));

test.each(CLIENTS.filter(({ name }) => /responses|anthropic/.test(name)))(
  'a chat-completions model’s thoughts before a call are sent back to it through $name',
  async (client) => {
    const answers = [
      [...THOUGHTFUL, { index: 0, delta: {}, finish_reason: 'tool_calls' }],
      [{ index: 0, delta: { role: 'assistant', content: 'Clear.' }, finish_reason: 'stop' }],
    ];
    scripted().answer((_, response) => {
      const chunks = (answers.shift() ?? []).map((choice) => ({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'kimi-k3',
        choices: [choice],
      }));
      const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => `data: ${event}\n\n`).join(''));
    });
    const subject = {
      model: 'moonshotai/kimi-k3',
      spoken: 'chat-completions',
      thinks: true,
      shows: true,
    } as const;
    const { text } = streamText({
      model: client.open(scripted().gateway.url, subject.model),
      prompt: 'How is the weather in Oslo?',
      tools,
      stopWhen: stepCountIs(2),
      providerOptions: client.thinking(subject),
    });
    expect(await text).toBe('Clear.');
    const again = JSON.parse(scripted().upstream.received[1]?.body.toString() ?? '');
    expect(again.messages[1]).toMatchObject({ role: 'assistant', reasoning_content: 'Oslo it is.' });
  },
);

describe.each(PAIRS.filter(({ subject }) => !subject.thinks))('$pair, a model without reasoning', (pair) => {
  const { client, subject } = pair;

  test('is rejected by its vendor if reasoning is requested natively, and answers without it if requested in another format', async () => {
    const model = client.open(gateway().url, subject.model);
    const asked = generateText({
      model,
      prompt: 'Hi',
      providerOptions: client.thinking(subject),
      maxRetries: 0,
    });
    if (client.name === '@ai-sdk/anthropic') expect((await asked).text).toContain('> Hi');
    else await expect(asked).rejects.toMatchObject({ statusCode: 400, isRetryable: false });
  });
});

describe.each(CLIENTS)('$name', (client) => {
  test('a wrong key is a 401, an unknown model a 404; neither is retried', async () => {
    const model = client.name === '@ai-sdk/google' ? 'gemini-2.5-flash' : 'anthropic/claude-sonnet-4-5';
    const unknown = await failureOf(client.open(gateway().url, model, 'gw-no-key-at-all'));
    expect(unknown).toMatchObject({ statusCode: 401, isRetryable: false });
    const none = client.name === '@ai-sdk/google' ? 'gemini-0' : 'acme/gpt-0';
    const missing = await failureOf(client.open(gateway().url, none));
    expect(missing).toMatchObject({
      statusCode: 404,
      isRetryable: false,
      message: expect.stringContaining('Model not supported'),
    });
  });
});

describe('the responses provider with default settings: OpenAI is to store the dialogue', () => {
  const dialogue = async (name: string) => {
    const model = createOpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY })(name);
    const first = await generateText({ model, prompt: 'One' });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'One' },
      ...first.response.messages,
      { role: 'user', content: 'Two' },
    ];
    return generateText({ model, messages });
  };

  test('which OpenAI does', async () => {
    expect((await dialogue('openai/gpt-4.1')).text).toContain('> Two');
  });

  test.each(['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'])(
    'and for %s the error says what to set',
    async (name) => {
      await expect(dialogue(name)).rejects.toMatchObject({
        statusCode: 400,
        isRetryable: false,
        message: expect.stringMatching(/nothing is stored.*'store' is false/i),
      });
    },
  );
});

/** The format in which a vendor was asked. */
function spokenAt(url: string): FormatName {
  if (url.includes('/v1beta/')) return 'generate-content';
  if (url.endsWith('/messages')) return 'messages';
  return url.endsWith('/responses') ? 'responses' : 'chat-completions';
}

async function failureOf(model: LanguageModel): Promise<APICallError> {
  try {
    await generateText({ model, prompt: 'Hi', maxRetries: 0 });
  } catch (error) {
    if (APICallError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}
