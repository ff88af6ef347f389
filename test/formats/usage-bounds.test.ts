/** Vendors that count more tokens as cached than as input, or more as reasoning than as output. */

import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/format-name.ts';
import { formats } from '../../src/formats/formats.ts';
import { usageReaders } from '../../src/formats/usage-readers.ts';
import { asNumber, asObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { eventsOfWhole, renderedWhole } from '../support/meaning.ts';

/** An answer of each format, with 10 tokens of input and 5 of output, of which more are said to be cached or thoughts. */
const ANSWERS = {
  'chat-completions': {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
    },
  },
  responses: {
    id: 'r',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        id: 'i',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: {
        cached_tokens: 8,
        cache_write_tokens: 30,
        cache_write_tokens_details: { ttl_12h_tokens: 40 },
      },
    },
  },
  messages: {
    id: 'a',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    stop_sequence: null,
    content: [{ type: 'text', text: 'Yes.' }],
    usage: {
      input_tokens: 4,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 2,
      cache_creation: { ephemeral_1h_input_tokens: 9, ephemeral_5m_input_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 50 },
    },
  },
  'generate-content': {
    responseId: 'g',
    modelVersion: 'm',
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      totalTokenCount: 15,
      cachedContentTokenCount: 20,
    },
  },
} as const satisfies Record<FormatName, { readonly [field: string]: unknown }>;

/** What a usage says in the words of its format. */
const READ: Readonly<Record<FormatName, (answer: JsonObject) => readonly (number | undefined)[]>> = {
  'chat-completions': ({ usage }) => [
    at(usage, 'prompt_tokens'),
    at(usage, 'prompt_tokens_details', 'cached_tokens'),
    at(usage, 'prompt_tokens_details', 'cache_write_tokens'),
    at(usage, 'completion_tokens'),
    at(usage, 'completion_tokens_details', 'reasoning_tokens'),
  ],
  responses: ({ usage }) => [
    at(usage, 'input_tokens'),
    at(usage, 'input_tokens_details', 'cached_tokens'),
    at(usage, 'input_tokens_details', 'cache_write_tokens'),
    at(usage, 'output_tokens'),
    at(usage, 'output_tokens_details', 'reasoning_tokens'),
  ],
  messages: ({ usage }) => [
    at(usage, 'input_tokens') +
      at(usage, 'cache_read_input_tokens') +
      at(usage, 'cache_creation', 'ephemeral_1h_input_tokens') +
      at(usage, 'cache_creation', 'ephemeral_5m_input_tokens'),
    at(usage, 'cache_read_input_tokens'),
    at(usage, 'cache_creation_input_tokens'),
    at(usage, 'output_tokens'),
    at(usage, 'output_tokens_details', 'thinking_tokens'),
  ],
  'generate-content': ({ usageMetadata }) => [
    at(usageMetadata, 'promptTokenCount'),
    at(usageMetadata, 'cachedContentTokenCount'),
    0,
    at(usageMetadata, 'candidatesTokenCount') + at(usageMetadata, 'thoughtsTokenCount'),
    at(usageMetadata, 'thoughtsTokenCount'),
  ],
};

/** A number inside an object; 0 if it is not there. */
function at(value: Json | undefined, ...path: readonly string[]): number {
  const found = path.reduce<Json | undefined>((inside, name) => asObject(inside)?.[name], value);
  return asNumber(found) ?? 0;
}

describe.each(FORMAT_NAMES)('of %s', (from) => {
  const answer = ANSWERS[from];

  test('no part of what is recorded is more than its whole', () => {
    const figures = asObject(parseJson(JSON.stringify(answer))) ?? {};
    const usage = asObject(figures['usage'] ?? figures['usageMetadata']) ?? {};
    const tokens = usageReaders[from].tokens([usage], 'm');
    const {
      input = 0,
      output = 0,
      cacheRead = 0,
      cacheWrite = 0,
      cacheWriteHour = 0,
      reasoning = 0,
    } = tokens;
    expect([input, output]).toEqual([10, 5]);
    expect(cacheRead + cacheWrite).toBeLessThanOrEqual(10);
    expect(cacheWriteHour).toBeLessThanOrEqual(cacheWrite);
    expect(reasoning).toBeLessThanOrEqual(5);
  });

  test.each(FORMAT_NAMES.filter((to) => to !== from))('no part is more than its whole in %s', (to) => {
    const translated = renderedWhole(formats[to], eventsOfWhole(formats[from], JSON.stringify(answer)));
    const [input, cacheRead = 0, cacheWrite = 0, output, reasoning] = READ[to](translated);
    expect([input, output]).toEqual([10, 5]);
    expect(cacheRead + cacheWrite).toBeLessThanOrEqual(10);
    expect(reasoning).toBeLessThanOrEqual(5);
  });
});
