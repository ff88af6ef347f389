/** Models with a slash in their names, as Google's older SDKs write them into the path: without `models/`. */

import { describe, expect, test } from 'vitest';
import { asObject, parseJson } from '../../src/lib/json.ts';
import { startGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const everyones = whileTestsRun(() =>
  startGateway({ generateContent: { models: 'all' }, countTokens: { models: 'all' } }),
);
const googles = whileTestsRun(() => startGateway());

const body = { contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] };

describe.each(['openai/gpt-5.4', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'])('%s', (model) => {
  test('answers whole', async () => {
    const response = await postJson(`${everyones().url}/v1beta/${model}:generateContent`, body);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('> Say hello.')]);
  });

  test('answers in a stream', async () => {
    const response = await postJson(`${everyones().url}/v1beta/${model}:streamGenerateContent?alt=sse`, body);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"STOP"')]);
  });

  test('counts', async () => {
    const response = await postJson(`${everyones().url}/v1beta/${model}:countTokens`, body);
    expect(asObject(parseJson(await response.text()))?.['totalTokens']).toBeGreaterThan(0);
  });
});

test.each([
  ['openai/gpt-5.4:generateContent', 'Model not supported: openai/gpt-5.4'],
  ['openai/gpt-5.4:paint', 'There is no such method'],
  ['openai/chat/completions', 'Did you mean /v1/chat/completions?'],
])('%s is not found where only Google models are served', async (path, message) => {
  const response = await postJson(`${googles().url}/v1beta/${path}`, body);
  const error = asObject(asObject(parseJson(await response.text()))?.['error']);
  expect([response.status, error?.['status'], error?.['message']]).toEqual([
    404,
    'NOT_FOUND',
    expect.stringContaining(message),
  ]);
});
