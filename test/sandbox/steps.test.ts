/**
 * Agents on the sandbox: the tools that a prompt names one after the other are called in that order, and then
 * the run ends.
 */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { asObject, asObjects, asText, type Json, type JsonObject } from '../../src/lib/json.ts';
import { FORMATS, post, useSandbox, WAYS } from './support.ts';

const sandbox = useSandbox();

const NAMES = ['find_city', 'get_weather', 'get_time'];
const PARAMETERS = { type: 'object', properties: {}, additionalProperties: false } satisfies JsonObject;

/**
 * For each format: the tools, the field of the history, and a turn of the model with its results as further
 * history.
 */
const AGENTS: Readonly<
  Record<
    FormatName,
    {
      readonly tools: Json;
      /** Some tool must be called. */
      readonly forced: JsonObject;
      readonly history: string;
      start(said: string): JsonObject;
      step(answer: JsonObject): { readonly names: readonly string[]; readonly more: readonly JsonObject[] };
    }
  >
> = {
  'chat-completions': {
    tools: NAMES.map((name) => ({ type: 'function', function: { name, parameters: PARAMETERS } })),
    forced: { tool_choice: 'required' },
    history: 'messages',
    start: (content) => ({ role: 'user', content }),
    step(answer) {
      const message = asObject(asObjects(answer['choices'])[0]?.['message']) ?? {};
      const calls = asObjects(message['tool_calls']);
      return {
        names: calls.map((call) => asText(asObject(call['function'])?.['name']) ?? ''),
        more: [
          message,
          ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id ?? '', content: 'Done.' })),
        ],
      };
    },
  },
  responses: {
    tools: NAMES.map((name) => ({ type: 'function', name, parameters: PARAMETERS, strict: false })),
    forced: { tool_choice: 'required' },
    history: 'input',
    start: (content) => ({ role: 'user', content }),
    step(answer) {
      const output = asObjects(answer['output']);
      const calls = output.filter(({ type }) => type === 'function_call');
      return {
        names: calls.map(({ name }) => asText(name) ?? ''),
        more: [
          ...output,
          ...calls.map(({ call_id }) => ({
            type: 'function_call_output',
            call_id: call_id ?? '',
            output: 'Done.',
          })),
        ],
      };
    },
  },
  messages: {
    tools: NAMES.map((name) => ({ name, input_schema: PARAMETERS })),
    forced: { tool_choice: { type: 'any' } },
    history: 'messages',
    start: (content) => ({ role: 'user', content }),
    step(answer) {
      const content = asObjects(answer['content']);
      const calls = content.filter(({ type }) => type === 'tool_use');
      return {
        names: calls.map(({ name }) => asText(name) ?? ''),
        more: [
          { role: 'assistant', content },
          {
            role: 'user',
            content: calls.map(({ id }) => ({
              type: 'tool_result',
              tool_use_id: id ?? '',
              content: 'Done.',
            })),
          },
        ],
      };
    },
  },
  'generate-content': {
    tools: [{ functionDeclarations: NAMES.map((name) => ({ name })) }],
    forced: { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    history: 'contents',
    start: (text) => ({ role: 'user', parts: [{ text }] }),
    step(answer) {
      const content = asObject(asObjects(answer['candidates'])[0]?.['content']) ?? {};
      const calls = asObjects(content['parts']).flatMap(({ functionCall }) =>
        asObjects([functionCall ?? null]),
      );
      return {
        names: calls.map(({ name }) => asText(name) ?? ''),
        more: [
          content,
          {
            role: 'user',
            parts: calls.map(({ id, name }) => ({
              functionResponse: {
                ...(id !== undefined && { id }),
                name: name ?? '',
                response: { output: 'Done.' },
              },
            })),
          },
        ],
      };
    },
  },
};

describe.each(FORMATS)('%s', (format) => {
  const { tools, forced, history, start, step } = AGENTS[format];

  /** The names called, step by step, until none is called. */
  async function run(said: string, asked: JsonObject = {}): Promise<readonly (readonly string[])[]> {
    const called: (readonly string[])[] = [];
    const turns: JsonObject[] = [start(said)];
    while (called.length < 6) {
      const { vendor, ask } = WAYS[format];
      const { status, json, text } = await post(
        sandbox(),
        vendor,
        ...ask(said, false, { tools, ...asked, [history]: turns }),
      );
      expect(status, text).toBe(200);
      const { names, more } = step(json);
      if (names.length === 0) return called;
      called.push(names);
      turns.push(...more);
    }
    return called;
  }

  test('the part after a `then` is called once the results are there', async () => {
    expect(await run('Use find_city, then get_weather and get_time for it.')).toEqual([
      ['find_city'],
      ['get_weather', 'get_time'],
    ]);
  });

  test('a tool that is named once is called once', async () => {
    expect(await run('If it rains then use get_weather.')).toEqual([['get_weather']]);
  });

  test('with a forced call, the last tool takes the final answer', async () => {
    const [first, second] = await run('Use find_city.', forced);
    expect([first, second]).toEqual([['find_city'], ['get_time']]);
  });

  test('a case with calls is played once', async () => {
    expect(await run('play: tool-call')).toEqual([['get_weather']]);
  });
});

describe('a tool of arithmetic is called for a question in other words', () => {
  const numbers = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  };
  const tools = [
    { name: 'adder', description: 'Adds two numbers.' },
    { name: 'calculate', description: 'Multiplies two numbers.' },
    { name: 'get_time', description: 'The time in a city.' },
  ].map((fn) => ({ type: 'function', function: { ...fn, parameters: numbers } }));

  test.each([
    ['What is the sum of 17 and 25?', 'adder'],
    ['How much is 17 plus 25?', 'adder'],
    ['What is 6 multiplied by 7?', 'calculate'],
    ['Who are you?', undefined],
  ])('%s', async (said, name) => {
    const { json } = await post(sandbox(), 'openai', ...WAYS['chat-completions'].ask(said, false, { tools }));
    const [call] = asObjects(asObject(asObjects(json['choices'])[0]?.['message'])?.['tool_calls']);
    expect(asObject(call?.['function'])?.['name']).toBe(name);
    if (said.includes('sum')) expect(asObject(call?.['function'])?.['arguments']).toBe('{"a":17,"b":25}');
  });
});

test('messages: a turn of the model in several messages counts once', async () => {
  const use = (id: string, name: string): JsonObject => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name, input: {} }],
  });
  const result = (tool_use_id: string): JsonObject => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id, content: 'Done.' }],
  });
  const { vendor, ask } = WAYS.messages;
  const said = 'Use find_city and get_weather, then get_time.';
  const messages = [
    { role: 'user', content: said },
    use('toolu_1', 'find_city'),
    use('toolu_2', 'get_weather'),
    result('toolu_1'),
    result('toolu_2'),
  ];
  const { tools, step } = AGENTS.messages;
  const { json } = await post(sandbox(), vendor, ...ask(said, false, { tools, messages }));
  expect(step(json).names).toEqual(['get_time']);
});
