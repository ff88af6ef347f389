/**
 * Dialogues that switch between models at random, as a page with a list of models allows: every answer is
 * sent back as the SDK returned it, with thoughts, signatures and calls, and the simulated vendors reject
 * what real ones would.
 */

import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import OpenAI from 'openai';
import { test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();

const openai = () => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: gateway().url, apiKey: KEY, maxRetries: 0 });

const anyStep = fc.record({
  model: fc.constantFrom(...SUBJECTS.map(({ model }) => model)),
  streams: fc.boolean(),
  /** The prompt if there are no results of calls to send. */
  asks: fc.constantFrom(
    'Hello!',
    'What is the weather in Paris?',
    'Use get_weather, then get_time.',
    'play: thinking',
    'play: refusal',
  ),
});
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

// Claude cannot start reasoning in the middle of its calls: so it reasons from the first step, or never.
const walks = fc.tuple(fc.boolean(), fc.array(anyStep, { minLength: 2, maxLength: 7 }));
type Walk = readonly [thinks: boolean, steps: readonly Step[]];
const settings = { numRuns: 40, endOnFailure: true } as const;

const NAMES = ['get_weather', 'get_time', 'get_city'];
const description = 'Tells something of a city.';
const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };

const canThink = (model: string): boolean =>
  SUBJECTS.some((subject) => subject.model === model && subject.thinks);

test('chat-completions', async () => {
  const tools = NAMES.map(
    (name): OpenAI.ChatCompletionTool => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
  );
  const walk = async ([thinks, steps]: Walk): Promise<void> => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (const { model, streams, asks } of steps) {
      if (messages.at(-1)?.role !== 'tool') messages.push({ role: 'user', content: asks });
      const effort = thinks && canThink(model) ? { reasoning_effort: 'low' as const } : {};
      const request = { model, messages, tools, ...effort };
      const { completions } = openai().chat;
      const { choices } = streams
        ? await completions.stream(request).finalChatCompletion()
        : await completions.create(request);
      const message = choices[0]?.message;
      if (message === undefined) throw new Error('There is no answer.');
      messages.push(message);
      for (const { id } of message.tool_calls ?? [])
        messages.push({ role: 'tool', tool_call_id: id, content: '21 degrees' });
    }
  };
  await fc.assert(fc.asyncProperty(walks, walk), settings);
});

test('responses', async () => {
  const tools = NAMES.map(
    (name): OpenAI.Responses.FunctionTool => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict: false,
    }),
  );
  const walk = async ([thinks, steps]: Walk): Promise<void> => {
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    for (const { model, streams, asks } of steps) {
      if (input.at(-1)?.type !== 'function_call_output') input.push({ role: 'user', content: asks });
      const request: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
        model,
        input,
        tools,
        store: false,
        ...(thinks &&
          canThink(model) && {
            reasoning: { effort: 'low', summary: 'auto' },
            include: ['reasoning.encrypted_content'],
          }),
      };
      const { responses } = openai();
      const { output } = streams
        ? await responses.stream({ ...request, stream: true }).finalResponse()
        : await responses.create(request);
      for (const item of output) {
        if (item.type === 'reasoning' || item.type === 'message' || item.type === 'function_call')
          input.push(item);
      }
      for (const item of output) {
        if (item.type !== 'function_call') continue;
        input.push({ type: 'function_call_output', call_id: item.call_id, output: '21 degrees' });
      }
    }
  };
  await fc.assert(fc.asyncProperty(walks, walk), settings);
});

test('messages', async () => {
  const tools = NAMES.map((name): Anthropic.Tool => ({ name, description, input_schema: schema }));
  const walk = async ([thinks, steps]: Walk): Promise<void> => {
    const messages: Anthropic.MessageParam[] = [];
    for (const { model, streams, asks } of steps) {
      if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', content: asks });
      const request: Anthropic.MessageCreateParamsNonStreaming = {
        model,
        max_tokens: 4000,
        messages,
        tools,
        ...(thinks && canThink(model) && { thinking: thinkingOf(model) }),
      };
      const answer = streams
        ? await anthropic().messages.stream(request).finalMessage()
        : await anthropic().messages.create(request);
      messages.push({ role: 'assistant', content: answer.content });
      const calls = answer.content.filter((block) => block.type === 'tool_use');
      if (calls.length === 0) continue;
      const results = calls.map(
        ({ id }): Anthropic.ToolResultBlockParam => ({
          type: 'tool_result',
          tool_use_id: id,
          content: '21 degrees',
        }),
      );
      messages.push({ role: 'user', content: results });
    }
  };
  await fc.assert(fc.asyncProperty(walks, walk), settings);
});

/** By a budget, or adaptively for the model that accepts no budget. */
function thinkingOf(model: string): Anthropic.ThinkingConfigParam {
  return model === 'anthropic/claude-opus-4-8'
    ? { type: 'adaptive' }
    : { type: 'enabled', budget_tokens: 1024 };
}
