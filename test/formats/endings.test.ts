/** How an answer ends and what it took, from each format to each other: said there in that format's own words. */

import { describe, expect, test } from 'vitest';
import type { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { allFormats, bytesOf, eventsOf, eventsOfWhole, rendered, renderedWhole } from '../support/meaning.ts';

type Answers = Readonly<Record<keyof typeof formats, JsonObject>>;

const ENDINGS: Readonly<Record<string, Answers>> = {
  'all is said': {
    'chat-completions': { finish_reason: 'stop' },
    responses: { status: 'completed', incomplete_details: null },
    messages: { stop_reason: 'end_turn' },
    'generate-content': { finishReason: 'STOP' },
  },
  'the limit is reached': {
    'chat-completions': { finish_reason: 'length' },
    responses: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    messages: { stop_reason: 'max_tokens' },
    'generate-content': { finishReason: 'MAX_TOKENS' },
  },
  'the rest is held back': {
    'chat-completions': { finish_reason: 'content_filter' },
    responses: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    messages: { stop_reason: 'refusal' },
    'generate-content': { finishReason: 'SAFETY' },
  },
};

/** 100 tokens in, of which 30 were cached and 20 were to be; 50 out, of which 10 were thought. */
const USAGE: Answers = {
  'chat-completions': {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 10 },
  },
  responses: {
    input_tokens: 100,
    output_tokens: 50,
    total_tokens: 150,
    input_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
    output_tokens_details: { reasoning_tokens: 10 },
  },
  messages: {
    input_tokens: 50,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 20,
    output_tokens: 50,
    output_tokens_details: { thinking_tokens: 10 },
  },
  'generate-content': {
    promptTokenCount: 100,
    cachedContentTokenCount: 30,
    candidatesTokenCount: 40,
    thoughtsTokenCount: 10,
    totalTokenCount: 150,
  },
};

/** The same figures where it is not told that any were to be cached, as Google does not. */
const UNWRITTEN: Answers = {
  ...USAGE,
  'chat-completions': { ...USAGE['chat-completions'], prompt_tokens_details: { cached_tokens: 30 } },
  responses: { ...USAGE.responses, input_tokens_details: { cached_tokens: 30 } },
  messages: { ...USAGE.messages, input_tokens: 70, cache_creation_input_tokens: 0 },
};

const answerOf = (ending: JsonObject, usage: JsonObject): Answers => ({
  'chat-completions': {
    id: 'a',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, ...ending }],
    usage,
  },
  responses: {
    id: 'resp_a',
    object: 'response',
    created_at: 1,
    model: 'm',
    output: [
      {
        id: 'msg_a',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
      },
    ],
    ...ending,
    usage,
  },
  messages: {
    id: 'msg_a',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_sequence: null,
    ...ending,
    usage,
  },
  'generate-content': {
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, ...ending }],
    usageMetadata: usage,
    modelVersion: 'm',
    responseId: 'a',
  },
});

/** What of an answer is looked at. */
const seenOf = (ending: JsonObject, usage: JsonObject): Answers => ({
  'chat-completions': { choices: [ending], usage },
  responses: { ...ending, usage },
  messages: { ...ending, usage },
  'generate-content': { candidates: [ending], usageMetadata: usage },
});

const pairs = allFormats.flatMap((from) => allFormats.map((to) => ({ from, to })));

describe.each(Object.entries(ENDINGS))('%s', (_, endings) => {
  test.each(pairs)('$from.name → $to.name', ({ from, to }) => {
    const told = from.name === 'generate-content' ? UNWRITTEN : USAGE;
    const body = answerOf(endings[from.name], told[from.name])[from.name];
    const events = eventsOfWhole(from, JSON.stringify(body));
    const expected = seenOf(endings[to.name], told[to.name])[to.name];
    expect(renderedWhole(to, events)).toMatchObject(expected);
    const streamed = eventsOf(to, bytesOf(rendered(to, events)));
    expect(renderedWhole(to, streamed)).toMatchObject(expected);
  });
});
