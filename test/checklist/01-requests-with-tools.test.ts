/** Checklist, section 1: what a request with tools becomes, for every pair of a caller and a vendor. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { parseJson } from '../../src/lib/json.ts';
import { at, type Caller, CLAUDE, GEMINI, listAt, OPENAI, QWEN, RESPONDER, useDoor } from './support.ts';

const door = useDoor();

const CALL: JsonObject = {
  id: 'call_a',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
};

describe('a strict tool of messages, which may leave parameters out', () => {
  const properties = { city: { type: 'string' }, days: { type: 'integer' } };
  const asked = (required: readonly string[]): JsonObject => {
    const input_schema = { type: 'object', properties, required, additionalProperties: false };
    return { tools: [{ name: 'get_weather', strict: true, input_schema }] };
  };

  test.each([OPENAI, QWEN])('is strict for %s only where all are required', async (model) => {
    const some = await door.sentFor('messages', model, asked(['city']));
    expect(at(some, 'tools.0.function.name')).toBe('get_weather');
    expect(at(some, 'tools.0.function.strict')).toBeUndefined();
    const all = await door.sentFor('messages', model, asked(['city', 'days']));
    expect(at(all, 'tools.0.function.strict')).toBe(true);
  });
});

describe('checklist 12: a request with tools, whole, for every pair', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', enum: ['Rom', 'Oslo'] }, days: { type: 'integer' } },
    required: ['city'],
  };
  const requests: Readonly<Record<Caller, JsonObject>> = {
    'chat-completions': {
      max_tokens: 500,
      tools: [{ type: 'function', function: { name: 'get_weather', description: 'Weather', parameters } }],
      tool_choice: 'auto',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Rome?' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [CALL],
        },
        { role: 'tool', tool_call_id: 'call_a', content: 'sunny' },
        { role: 'user', content: 'And Oslo?' },
      ],
    },
    responses: {
      max_output_tokens: 500,
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'get_weather', description: 'Weather', parameters, strict: false }],
      tool_choice: 'auto',
      input: [
        { role: 'user', content: 'Rome?' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'call_a', name: 'get_weather', arguments: '{"city":"Rom"}' },
        { type: 'function_call_output', call_id: 'call_a', output: 'sunny' },
        { role: 'user', content: 'And Oslo?' },
      ],
    },
    messages: {
      max_tokens: 500,
      system: 'Be brief.',
      tools: [{ name: 'get_weather', description: 'Weather', input_schema: parameters }],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: 'Rome?' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'call_a', name: 'get_weather', input: { city: 'Rom' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_a', content: 'sunny' },
            { type: 'text', text: 'And Oslo?' },
          ],
        },
      ],
    },
  };
  const toClaude = {
    model: 'claude-sonnet-4-5',
    max_tokens: 500,
    system: 'Be brief.',
    tools: [{ name: 'get_weather', description: 'Weather', input_schema: parameters }],
    tool_choice: { type: 'auto' },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Rome?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'call_a', name: 'get_weather', input: { city: 'Rom' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'sunny' }] },
          { type: 'text', text: 'And Oslo?' },
        ],
      },
    ],
  };
  const toGemini = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [
      {
        functionDeclarations: [
          { name: 'get_weather', description: 'Weather', parametersJsonSchema: parameters },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    generationConfig: { maxOutputTokens: 500 },
    contents: [
      { role: 'user', parts: [{ text: 'Rome?' }] },
      {
        role: 'model',
        parts: [{ text: 'I look.' }, { functionCall: { name: 'get_weather', args: { city: 'Rom' } } }],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'get_weather', response: { output: 'sunny' } } }],
      },
      { role: 'user', parts: [{ text: 'And Oslo?' }] },
    ],
  };
  const toChat = {
    ...requests['chat-completions'],
    model: 'gpt-4o',
    max_tokens: undefined,
    max_completion_tokens: 500,
  };
  const toService = { ...requests['chat-completions'], model: QWEN };
  const toResponses = {
    ...requests.responses,
    input: listAt(requests.responses, 'input').map((item) => ({ type: 'message', ...item })),
    model: 'a-model',
    // The vendor stores only what the caller asked it to store.
    store: false,
  };
  const goldens: [from: Caller, model: string, golden: JsonObject][] = [
    ['chat-completions', CLAUDE, toClaude],
    ['responses', CLAUDE, toClaude],
    ['chat-completions', GEMINI, toGemini],
    ['responses', GEMINI, toGemini],
    ['messages', GEMINI, toGemini],
    ['messages', OPENAI, toChat],
    ['messages', QWEN, toService],
    ['responses', QWEN, toService],
    ['chat-completions', RESPONDER, toResponses],
    ['messages', RESPONDER, toResponses],
  ];
  test.each(goldens)('checklist 12: %s to %s', async (from, model, golden) => {
    expect(await door.sentFor(from, model, requests[from])).toEqual(parseJson(JSON.stringify(golden)));
  });
});
