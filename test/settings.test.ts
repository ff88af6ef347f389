/** Every setting of a request, from each format that has it to each other one, in that format's own terms. */

import { describe, expect, test } from 'vitest';
import { type ModelTraits, unreported } from '../src/formats/format.ts';
import type { formats } from '../src/formats/formats.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { allFormats, PERMISSIVE } from './support/meaning.ts';

type Spellings = Partial<Record<keyof typeof formats, JsonObject>>;

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const FUNCTIONS = ['look', 'write'];

/** A request with two functions, so that a tool choice can name one. */
const ASKED: Readonly<Record<keyof typeof formats, JsonObject>> = {
  'chat-completions': {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: FUNCTIONS.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } })),
  },
  responses: {
    model: 'm',
    input: 'Hi',
    tools: FUNCTIONS.map((name) => ({ type: 'function', name, parameters: SCHEMA, strict: false })),
  },
  messages: {
    model: 'm',
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'Hi' }],
    tools: FUNCTIONS.map((name) => ({ name, input_schema: SCHEMA })),
  },
  'generate-content': {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: FUNCTIONS.map((name) => ({ name, parametersJsonSchema: SCHEMA })) }],
  },
};

const config = (fields: JsonObject): JsonObject => ({ generationConfig: fields });
const calling = (fields: JsonObject): JsonObject => ({ toolConfig: { functionCallingConfig: fields } });

const SETTINGS: Readonly<Record<string, Spellings>> = {
  'a limit': {
    'chat-completions': { max_tokens: 500 },
    responses: { max_output_tokens: 500 },
    messages: { max_tokens: 500 },
    'generate-content': config({ maxOutputTokens: 500 }),
  },
  temperature: {
    'chat-completions': { temperature: 0.5 },
    responses: { temperature: 0.5 },
    messages: { temperature: 0.5 },
    'generate-content': config({ temperature: 0.5 }),
  },
  'top p': {
    'chat-completions': { top_p: 0.25 },
    responses: { top_p: 0.25 },
    messages: { top_p: 0.25 },
    'generate-content': config({ topP: 0.25 }),
  },
  'top k': {
    'chat-completions': { top_k: 7 },
    messages: { top_k: 7 },
    'generate-content': config({ topK: 7 }),
  },
  'where to stop': {
    'chat-completions': { stop: ['END', 'STOP'] },
    messages: { stop_sequences: ['END', 'STOP'] },
    'generate-content': config({ stopSequences: ['END', 'STOP'] }),
  },
  'a seed': { 'chat-completions': { seed: 11 }, 'generate-content': config({ seed: 11 }) },
  penalties: {
    'chat-completions': { frequency_penalty: 0.5, presence_penalty: -0.5 },
    'generate-content': config({ frequencyPenalty: 0.5, presencePenalty: -0.5 }),
  },
  'several answers': { 'chat-completions': { n: 2 }, 'generate-content': config({ candidateCount: 2 }) },
  'log probabilities': {
    'chat-completions': { logprobs: true, top_logprobs: 3 },
    responses: { top_logprobs: 3, include: ['message.output_text.logprobs'] },
    'generate-content': config({ responseLogprobs: true, logprobs: 3 }),
  },
  'who asks': {
    'chat-completions': { user: 'u-1' },
    responses: { user: 'u-1' },
    messages: { metadata: { user_id: 'u-1' } },
  },
  'what it is about': {
    'chat-completions': { metadata: { team: 'a' } },
    responses: { metadata: { team: 'a' } },
  },
  'what requests have in common': {
    'chat-completions': { prompt_cache_key: 'k' },
    responses: { prompt_cache_key: 'k' },
  },
  'how much to say': {
    'chat-completions': { verbosity: 'low' },
    responses: { text: { verbosity: 'low' } },
  },
  'the usual service': {
    'chat-completions': { service_tier: 'default' },
    responses: { service_tier: 'default' },
    messages: { service_tier: 'standard_only' },
    'generate-content': { serviceTier: 'standard' },
  },
  'a service': {
    'chat-completions': { service_tier: 'flex' },
    responses: { service_tier: 'flex' },
    'generate-content': { serviceTier: 'flex' },
  },
  'a level of thinking': {
    'chat-completions': { reasoning_effort: 'high' },
    responses: { reasoning: { effort: 'high' } },
    messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    'generate-content': config({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
  },
  'one call at a time': {
    'chat-completions': { parallel_tool_calls: false },
    responses: { parallel_tool_calls: false },
    messages: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  },
  'some call': {
    'chat-completions': { tool_choice: 'required' },
    responses: { tool_choice: 'required' },
    messages: { tool_choice: { type: 'any' } },
    'generate-content': calling({ mode: 'ANY' }),
  },
  'no call': {
    'chat-completions': { tool_choice: 'none' },
    responses: { tool_choice: 'none' },
    messages: { tool_choice: { type: 'none' } },
    'generate-content': calling({ mode: 'NONE' }),
  },
  'a call if it likes': {
    'chat-completions': { tool_choice: 'auto' },
    responses: { tool_choice: 'auto' },
    messages: { tool_choice: { type: 'auto' } },
    'generate-content': calling({ mode: 'AUTO' }),
  },
  'this call': {
    'chat-completions': { tool_choice: { type: 'function', function: { name: 'write' } } },
    responses: { tool_choice: { type: 'function', name: 'write' } },
    messages: { tool_choice: { type: 'tool', name: 'write' } },
    'generate-content': calling({ mode: 'ANY', allowedFunctionNames: ['write'] }),
  },
  'one of these calls': {
    'chat-completions': {
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: FUNCTIONS.map((name) => ({ type: 'function', function: { name } })),
        },
      },
    },
    responses: {
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: FUNCTIONS.map((name) => ({ type: 'function', name })),
      },
    },
    'generate-content': calling({ mode: 'ANY', allowedFunctionNames: FUNCTIONS }),
  },
  'an answer by a schema': {
    'chat-completions': {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
    },
    responses: { text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA } } },
    messages: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
    'generate-content': config({ responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
  },
  'an answer in JSON': {
    'chat-completions': { response_format: { type: 'json_object' } },
    responses: { text: { format: { type: 'json_object' } } },
    'generate-content': config({ responseMimeType: 'application/json' }),
  },
};

/**
 * Google's thinking models accept no penalties, and for OpenAI's a request for log probabilities changes
 * further settings.
 */
const { thinking: _, ...PLAIN } = PERMISSIVE;
const UNTHINKING = ['penalties', 'log probabilities'];

describe.each(Object.entries(SETTINGS))('%s', (setting, spellings) => {
  const target: ModelTraits = UNTHINKING.includes(setting) ? PLAIN : PERMISSIVE;
  const sources = allFormats.filter(({ name }) => spellings[name] !== undefined);
  const pairs = sources.flatMap((from) => allFormats.map((to) => ({ from, to })));

  test.each(pairs)('$from.name → $to.name', ({ from, to }) => {
    const said = spellings[from.name] ?? {};
    const prompt = from.inbound.parseRequest({ ...ASKED[from.name], ...said }, unreported);
    const render = () => to.outbound.renderRequest(prompt, target, unreported);
    const expected = spellings[to.name];
    if (setting === 'several answers' && expected === undefined) {
      expect(render).toThrow('one answer at a time');
      return;
    }
    const sent = render();
    expect(sent).toMatchObject(expected ?? {});
    // The caller's own names are not sent on.
    for (const [field, value] of Object.entries(said)) {
      if (to !== from && expected?.[field] === undefined) expect(sent[field]).not.toEqual(value);
    }
  });
});
