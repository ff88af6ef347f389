/** LangChain with its chat models for all four formats: only base URL and key differ. */

import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KEY } from '../support/gateway.ts';
import { PNG, SUBJECTS, type Subject, useGateway } from './support.ts';

const gateway = useGateway({ generateContent: { models: 'all' } });

interface Client {
  readonly name: string;
  open(model: string, apiKey?: string): BaseChatModel;
  /** A model with reasoning; LangChain's own `reasoning` only works for names that begin like OpenAI's. */
  thinking(subject: Subject): BaseChatModel;
}

const openai = (model: string, more: object, apiKey = KEY): BaseChatModel =>
  new ChatOpenAI({
    model,
    apiKey,
    maxRetries: 0,
    configuration: { baseURL: `${gateway().url}/v1` },
    ...more,
  });
const anthropic = (model: string, more: object, apiKey = KEY): BaseChatModel =>
  new ChatAnthropic({
    model,
    apiKey,
    maxRetries: 0,
    maxTokens: 8000,
    anthropicApiUrl: gateway().url,
    ...more,
  });
const google = (model: string, more: object, apiKey = KEY): BaseChatModel =>
  new ChatGoogleGenerativeAI({
    model: model.replace('google/', ''),
    // For a name with a slash, the client leaves `models` out of the path.
    ...(!model.startsWith('google/') && { apiVersion: 'v1beta/models' }),
    apiKey,
    maxRetries: 0,
    baseUrl: gateway().url,
    ...more,
  });

const CLIENTS: readonly Client[] = [
  {
    name: 'ChatOpenAI',
    open: (model, apiKey) => openai(model, {}, apiKey),
    thinking: ({ model }) => openai(model, { modelKwargs: { reasoning_effort: 'medium' } }),
  },
  {
    name: 'ChatOpenAI over responses',
    open: (model, apiKey) => openai(model, { useResponsesApi: true, zdrEnabled: true }, apiKey),
    thinking: ({ model }) =>
      openai(model, {
        useResponsesApi: true,
        zdrEnabled: true,
        modelKwargs: {
          reasoning: { effort: 'medium', summary: 'auto' },
          include: ['reasoning.encrypted_content'],
        },
      }),
  },
  {
    name: 'ChatAnthropic',
    open: (model, apiKey) => anthropic(model, {}, apiKey),
    thinking: ({ model }) =>
      anthropic(model, {
        thinking: model.includes('opus-4-8')
          ? { type: 'adaptive' }
          : { type: 'enabled', budget_tokens: 2048 },
      }),
  },
  {
    name: 'ChatGoogleGenerativeAI',
    open: (model, apiKey) => google(model, {}, apiKey),
    thinking: ({ model }) =>
      google(model, { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } }),
  },
];

/** Every client with every model. */
const PAIRS = CLIENTS.flatMap((client) =>
  SUBJECTS.map((subject) => ({ client, subject, pair: `${client.name} with ${subject.model}` })),
);

const city = z.object({ city: z.string().describe('Name of the city') });
const getWeather = tool(async ({ city }) => `It is clear over ${city}.`, {
  name: 'get_weather',
  description: 'The weather in a city',
  schema: city,
});
const getTime = tool(async ({ city }) => `It is noon in ${city}.`, {
  name: 'get_time',
  description: 'The time in a city',
  schema: city,
});
const TOOLS = { get_weather: getWeather, get_time: getTime };

const CALLED = 'functionCalling';

const Person = z.object({
  name: z.string(),
  born: z.number().int(),
  fields: z.array(z.string()),
});

/** Asks until no tool is called any more; returns every answer. */
async function loop(
  ask: (messages: BaseMessage[]) => Promise<AIMessage | AIMessageChunk>,
  prompt: string,
): Promise<(AIMessage | AIMessageChunk)[]> {
  const messages: BaseMessage[] = [new HumanMessage(prompt)];
  const answers: (AIMessage | AIMessageChunk)[] = [];
  for (let step = 0; step < 5; step++) {
    const answer = await ask(messages);
    answers.push(answer);
    messages.push(answer);
    const calls = answer.tool_calls ?? [];
    if (calls.length === 0) break;
    for (const { id = '', name, args } of calls) {
      const result = await TOOLS[name === 'get_time' ? 'get_time' : 'get_weather'].invoke(city.parse(args));
      messages.push(new ToolMessage({ content: String(result), tool_call_id: id, name }));
    }
  }
  return answers;
}

async function streamed(
  model: { stream(messages: BaseMessage[]): Promise<AsyncIterable<AIMessageChunk>> },
  messages: BaseMessage[],
): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  if (whole === undefined) throw new Error('nothing came');
  return whole;
}

function usageOf(answer: { usage_metadata?: UsageMetadata | undefined } | undefined): UsageMetadata {
  if (answer?.usage_metadata === undefined) throw new Error('It does not say what was used.');
  return answer.usage_metadata;
}

const calls = (answers: readonly { tool_calls?: readonly { name: string; args: unknown }[] }[]) =>
  answers.map(({ tool_calls = [] }) => tool_calls.map(({ name, args }) => [name, args]));

describe.each(PAIRS)('$pair', ({ client, subject }) => {
  const open = (): BaseChatModel => client.open(subject.model);

  test('invoke and stream give the same, with the same usage', async () => {
    const messages = [new SystemMessage('Be brief.'), new HumanMessage('Say hello to Zoë 👋.')];
    const whole = await open().invoke(messages);
    expect(whole.text).toContain('> Say hello to Zoë 👋.');
    const usage = usageOf(whole);
    expect(usage.input_tokens).toBeGreaterThan(0);
    expect(usage.output_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    const piecewise = await streamed(open(), messages);
    expect(piecewise.text).toBe(whole.text);
    if (client.name === 'ChatAnthropic') {
      // It reads the input from the start of the stream alone, where other vendors report none, and adds both
      // outputs up.
      expect(usageOf(piecewise).output_tokens).toBeGreaterThanOrEqual(usage.output_tokens);
    } else {
      const { input_tokens, output_tokens, total_tokens } = usage;
      expect(piecewise.usage_metadata).toMatchObject({ input_tokens, output_tokens, total_tokens });
    }
  });

  test('a tool loop, two of them at once, whole and streamed', async () => {
    const prompt = 'Call get_weather and get_time for Oslo, then get_weather for Oslo again.';
    const bound = open().bindTools?.([getWeather, getTime]);
    if (bound === undefined) throw new Error('takes no tools');
    const whole = await loop((messages) => bound.invoke(messages), prompt);
    expect(calls(whole)).toEqual([
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { city: 'Oslo' }],
      ],
      [['get_weather', { city: 'Oslo' }]],
      [],
    ]);
    expect(whole.at(-1)?.text).toContain('clear over Oslo');
    const piecewise = await loop((messages) => streamed(bound, messages), prompt);
    expect(calls(piecewise)).toEqual(calls(whole));
    expect(piecewise.at(-1)?.text).toBe(whole.at(-1)?.text);
  });

  test('a required tool call', async () => {
    const bound = open().bindTools?.([getWeather, getTime], { tool_choice: 'get_time' });
    expect(calls([(await bound?.invoke('Call get_weather for Oslo.')) ?? new AIMessage('')])).toEqual([
      [['get_time', { city: 'Oslo' }]],
    ]);
  });

  test('structured output, in every way that the client has', async () => {
    // For a vendor that enforces no schema it is put into the prompt, which the sandbox does not read.
    const inWords = client.name === 'ChatAnthropic' && subject.model.startsWith('deepseek/');
    for (const method of inWords ? [CALLED] : [CALLED, 'jsonSchema' as const]) {
      const model = open().withStructuredOutput(Person, { name: 'person', method });
      const person = await model.invoke('Who is "Ada", born 1815 in London?');
      expect(person).toMatchObject({ name: 'Ada', born: 1815 });
    }
  });

  // The client itself refuses images for models whose names do not begin like Gemini's.
  const takesImages = client.name !== 'ChatGoogleGenerativeAI' || subject.model.startsWith('google/');
  if (takesImages)
    test('an image arrives', async () => {
      const answer = await open().invoke([
        new HumanMessage({
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          ],
        }),
      ]);
      expect(answer.text).toContain('With it came: image.');
    });
});

describe.each(PAIRS.filter(({ subject }) => subject.thinks))(
  'the thoughts of $pair',
  ({ client, subject }) => {
    test('are sent back with their proof over a tool loop, whole and streamed', async () => {
      const prompt = 'Call get_weather for Oslo, then get_time for Oslo.';
      const bound = client.thinking(subject).bindTools?.([getWeather, getTime]);
      if (bound === undefined) throw new Error('takes no tools');
      const whole = await loop((messages) => bound.invoke(messages), prompt);
      expect(calls(whole)).toEqual([
        [['get_weather', { city: 'Oslo' }]],
        [['get_time', { city: 'Oslo' }]],
        [],
      ]);
      const piecewise = await loop((messages) => streamed(bound, messages), prompt);
      expect(calls(piecewise)).toEqual(calls(whole));
      const { output_token_details: details } = usageOf(whole[0]);
      expect(details?.reasoning ?? 1).toBeGreaterThan(0);
    });
  },
);

describe.each(CLIENTS)('$name', (client) => {
  const model =
    client.name === 'ChatGoogleGenerativeAI' ? 'google/gemini-2.5-flash' : 'anthropic/claude-opus-4-8';

  test('a wrong key is a 401, an unknown model a 404', async () => {
    await expect(client.open(model, 'gw-no-key-at-all').invoke('Hi')).rejects.toMatchObject({ status: 401 });
    const none = client.name === 'ChatGoogleGenerativeAI' ? 'gemini-0' : 'acme/gpt-0';
    await expect(client.open(none).invoke('Hi')).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('Model not supported'),
    });
  });

  test('several at once, each with its own answer', async () => {
    const answers = await client.open(model).batch(['One', 'Two', 'Three']);
    expect(answers.map(({ text }) => />\s(\w+)/.exec(text)?.[1])).toEqual(['One', 'Two', 'Three']);
  });
});

// Versions before 1.0 sent it with every request for each setting that was not set.
test.each(SUBJECTS.filter(({ model }) => !model.startsWith('anthropic/')))(
  'ChatAnthropic with a sampling setting of -1 reaches $model',
  async ({ model }) => {
    const answer = await anthropic(model, { invocationKwargs: { top_p: -1, top_k: -1 } }).invoke('Hi');
    expect(answer.text).toContain('> Hi');
  },
);
