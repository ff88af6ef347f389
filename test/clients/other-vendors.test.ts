/** A dialogue goes on with a model of another vendor: the answer goes back as the SDK gave it, thoughts and all. */

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: KEY, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: KEY, maxRetries: 0 });

const MODELS = [
  'anthropic/claude-sonnet-4-5',
  'anthropic/claude-opus-4-6',
  'google/gemini-2.5-flash',
  'google/gemini-3-flash-preview',
  'openai/gpt-5',
  'deepseek/deepseek-v4-pro',
];
const vendorOf = (model: string): string | undefined => model.split('/')[0];
const pairs = MODELS.flatMap((from) =>
  MODELS.filter((to) => vendorOf(to) !== vendorOf(from)).map((to) => ({ from, to })),
);
const asked = ['What is the weather in Paris?', 'play: thinking', 'play: parallel-tool-calls'];

const schema = { type: 'object', properties: { city: { type: 'string' } } } as const;
const description = 'Tells the weather.';

describe.each(pairs)('from $from to $to', ({ from, to }) => {
  test.each(asked)('chat-completions: %s', async (content) => {
    const { completions } = openai().chat;
    const tools = [
      { type: 'function', function: { name: 'get_weather', description, parameters: schema } },
    ] satisfies OpenAI.ChatCompletionTool[];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content }];
    const first = await completions.create({ model: from, messages, tools, reasoning_effort: 'low' });
    const [choice] = first.choices;
    if (choice === undefined) throw new Error('There is no answer.');
    const { message } = choice;
    messages.push(message);
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: 'tool', tool_call_id: id, content: '21 degrees' });
    if (message.tool_calls === undefined) messages.push({ role: 'user', content: 'And in French?' });
    const second = await completions.create({ model: to, messages, tools, reasoning_effort: 'low' });
    expect(second.choices[0]?.message.content).toMatch(/21 degrees|French/);
  });

  test.each(asked)('responses: %s', async (content) => {
    const { responses } = openai();
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'get_weather', description, parameters: schema, strict: false },
    ];
    const settings = {
      tools,
      store: false,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    } satisfies OpenAI.Responses.ResponseCreateParamsNonStreaming;
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content }];
    const first = await responses.create({ model: from, input, ...settings });
    const calls = first.output.filter((item) => item.type === 'function_call');
    for (const item of first.output)
      if (item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call')
        input.push(item);
    for (const { call_id } of calls)
      input.push({ type: 'function_call_output', call_id, output: '21 degrees' });
    if (calls.length === 0) input.push({ role: 'user', content: 'And in French?' });
    const second = await responses.create({ model: to, input, ...settings });
    expect(second.output_text).toMatch(/21 degrees|French/);
  });

  test.each(asked)('messages: %s', async (content) => {
    const thinking = (model: string): Anthropic.ThinkingConfigParam =>
      model.includes('opus-4-6') ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: 1024 };
    const tools = [{ name: 'get_weather', description, input_schema: schema }];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content }];
    const settings = { max_tokens: 4000, messages, tools };
    const first = await anthropic().messages.create({ model: from, thinking: thinking(from), ...settings });
    const calls = first.content.filter((block) => block.type === 'tool_use');
    messages.push({ role: 'assistant', content: first.content });
    messages.push({
      role: 'user',
      content:
        calls.length === 0
          ? 'And in French?'
          : calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '21 degrees' })),
    });
    const second = await anthropic().messages.create({ model: to, thinking: thinking(to), ...settings });
    const said = second.content.flatMap((block) => (block.type === 'text' ? block.text : []));
    expect(said.join('')).toMatch(/21 degrees|French/);
  });
});
