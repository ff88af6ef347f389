/**
 * Translated answers have every field that the vendors' own documents require of theirs (OpenAI's and Anthropic's OpenAPI
 * documents, and Open Responses): clients that are generated from these refuse an answer that lacks one.
 */

import { describe, expect, test } from 'vitest';
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/lib/json.ts';
import { startGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const gateway = whileTestsRun(() => startGateway());

const MODELS = ['openai/gpt-5.4', 'google/gemini-3-flash-preview', 'deepseek/deepseek-v4-flash'];

async function whole(path: string, body: JsonObject): Promise<JsonObject> {
  return asObject(parseJson(await (await postJson(gateway().url + path, body)).text())) ?? {};
}

async function events(path: string, body: JsonObject): Promise<readonly JsonObject[]> {
  const text = await (await postJson(gateway().url + path, { ...body, stream: true })).text();
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => asObject(parseJson(data)) ?? {});
}

const MESSAGE = [
  'container',
  'content',
  'id',
  'model',
  'role',
  'stop_details',
  'stop_reason',
  'stop_sequence',
  'type',
  'usage',
];
const USAGE = [
  'cache_creation',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'inference_geo',
  'input_tokens',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
  'service_tier',
];
const DELTA = ['container', 'stop_details', 'stop_reason', 'stop_sequence'];
const DELTA_USAGE = [
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'input_tokens',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
];
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['citations', 'text', 'type'],
  thinking: ['signature', 'thinking', 'type'],
  tool_use: ['caller', 'id', 'input', 'name', 'type'],
};

function expectFields(value: Json | undefined, fields: readonly string[]): void {
  expect(isObject(value) ? Object.keys(value) : value).toEqual(expect.arrayContaining([...fields]));
}

function expectBlocks(blocks: readonly JsonObject[]): void {
  for (const block of blocks) expectFields(block, BLOCKS[asText(block['type']) ?? ''] ?? []);
}

describe.each(MODELS)('messages from %s', (model) => {
  const ask = (play: string): JsonObject => ({
    model,
    max_tokens: 500,
    messages: [{ role: 'user', content: `play: ${play}` }],
  });

  test.each(['plain-text', 'tool-call', 'length'])('whole: %s', async (play) => {
    const message = await whole('/v1/messages', ask(play));
    expectFields(message, MESSAGE);
    expectFields(message['usage'], USAGE);
    expect(asObjects(message['content'])).not.toEqual([]);
    expectBlocks(asObjects(message['content']));
  });

  test.each(['plain-text', 'tool-call', 'length'])('streamed: %s', async (play) => {
    const read = await events('/v1/messages', ask(play));
    const message = asObject(read[0]?.['message']);
    expectFields(message, MESSAGE);
    expectFields(message?.['usage'], USAGE);
    const started = read.filter(({ type }) => type === 'content_block_start');
    expect(started).not.toEqual([]);
    expectBlocks(started.map(({ content_block }) => asObject(content_block) ?? {}));
    const last = read.find(({ type }) => type === 'message_delta');
    expectFields(last?.['delta'], DELTA);
    expectFields(last?.['usage'], DELTA_USAGE);
  });
});

describe.each([
  'anthropic/claude-sonnet-4-5',
  'google/gemini-3-flash-preview',
  'mistralai/mistral-medium-3-5',
])('the time at which a response of %s was completed', (model) => {
  const expectAfter = (response: JsonObject | undefined): void => {
    const completed = asNumber(response?.['completed_at']);
    expect(Number.isInteger(completed)).toBe(true);
    expect(completed).toBeGreaterThanOrEqual(asNumber(response?.['created_at']) ?? Number.NaN);
  };

  test('is in a whole response', async () => {
    expectAfter(await whole('/v1/responses', { model, input: 'play: plain-text' }));
  });

  test('is in the last event of a stream, and null before', async () => {
    const read = await events('/v1/responses', { model, input: 'play: plain-text' });
    const [created, inProgress, ...rest] = read.flatMap(({ response }) =>
      isObject(response) ? [response] : [],
    );
    expect([created?.['completed_at'], inProgress?.['completed_at']]).toEqual([null, null]);
    expect(rest).toHaveLength(1);
    expectAfter(rest[0]);
  });

  test('is null where the response is incomplete', async () => {
    const response = await whole('/v1/responses', { model, input: 'play: length' });
    expect(response).toMatchObject({ status: 'incomplete', completed_at: null });
  });
});

test('a model that cannot compact has no such endpoint', async () => {
  const body = { model: 'anthropic/claude-sonnet-4-5', input: 'Hi' };
  const response = await postJson(`${gateway().url}/v1/responses/compact`, body);
  expect([response.status, parseJson(await response.text())]).toMatchObject([
    404,
    { error: { type: 'invalid_request_error', param: 'model', message: expect.stringContaining('compact') } },
  ]);
});
