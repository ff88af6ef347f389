/** Statuses that HTTP does not have, which the libraries of callers refuse to read. */

import { describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { startGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { json, startUpstream } from '../support/upstream.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const STATUSES = [600, 799, 999];

let status = 200;
const upstream = whileTestsRun(() =>
  startUpstream((_, response) => json(response, { error: { message: 'No.', type: 'odd' } }, status)),
);
const gateway = whileTestsRun(() =>
  startGateway({
    vendors: vendorsAtUrl(upstream().url),
    retries: { limit: 0 },
  }),
);

const messages = [{ role: 'user', content: 'Hi' }];
const ASKED: Readonly<Record<FormatName, (model: string) => readonly [path: string, body: object]>> = {
  'chat-completions': (model) => ['/v1/chat/completions', { model, messages }],
  responses: (model) => ['/v1/responses', { model, input: 'Hi' }],
  messages: (model) => ['/v1/messages', { model, max_tokens: 99, messages }],
  'generate-content': (model) => [
    `/v1beta/models/${model.split('/')[1]}:generateContent`,
    { contents: [{ parts: [{ text: 'Hi' }] }] },
  ],
};

const NATIVE = {
  'chat-completions': 'deepseek/deepseek-v4.1-flash',
  responses: 'openai/gpt-5.4',
  messages: 'anthropic/claude-sonnet-4-5',
  'generate-content': 'google/gemini-2.5-flash',
} as const;

describe.each(FORMAT_NAMES)('a caller of %s', (format) => {
  test.each(STATUSES)('gets a 502 for the status %i, in its own words', async (odd) => {
    status = odd;
    const models =
      format === 'generate-content' ? [NATIVE[format]] : [NATIVE[format], NATIVE['generate-content']];
    for (const model of models) {
      const [path, body] = ASKED[format](model);
      const answer = await postJson(`${gateway().url}${path}`, body);
      expect([answer.status, await answer.json()]).toEqual([
        502,
        expect.objectContaining({ error: expect.objectContaining({ message: expect.any(String) }) }),
      ]);
    }
  });
});
