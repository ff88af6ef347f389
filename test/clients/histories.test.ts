/**
 * Histories that a format allows and callers seldom send: if the format's own vendor accepts them, every
 * other one must too. The simulated vendors are as strict as the real ones, so a rejection by another one is
 * a fault of the translation.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { chatBodies, messagesBodies, responsesBodies } from '../support/histories.ts';
import { postJson } from '../support/post-json.ts';
import { useGateway } from './support.ts';

const gateway = useGateway();

const RUNS = Number(process.env['FUZZ'] ?? 60);

const CLAUDES = ['anthropic/claude-sonnet-4-5', 'anthropic/claude-opus-4-8'];
const GEMINIS = ['google/gemini-2.5-flash', 'google/gemini-3-flash-preview'];
const GPTS = ['openai/gpt-4.1', 'openai/gpt-5.4'];
const OTHERS = ['deepseek/deepseek-v4-flash', 'mistralai/mistral-medium-3-5'];

async function ask(path: string, body: JsonObject) {
  const response = await postJson(gateway().url + path, body);
  return { status: response.status, text: await response.text() };
}

test.each([
  {
    path: '/v1/chat/completions',
    home: 'openai/gpt-5.4',
    bodies: chatBodies,
    others: [...CLAUDES, ...GEMINIS],
  },
  {
    path: '/v1/responses',
    home: 'openai/gpt-5.4',
    bodies: responsesBodies,
    others: [...CLAUDES, ...GEMINIS, ...OTHERS],
  },
  {
    path: '/v1/messages',
    home: 'anthropic/claude-opus-4-8',
    bodies: messagesBodies,
    others: [...GPTS, ...GEMINIS, ...OTHERS],
  },
])('$path', async ({ path, home, bodies, others }) => {
  let taken = 0;
  const isTakenByAll = async (body: JsonObject): Promise<void> => {
    if ((await ask(path, { ...body, model: home })).status !== 200) return;
    taken += 1;
    for (const model of others) {
      const { status, text } = await ask(path, { ...body, model });
      expect(status, `${model}: ${text}`).toBe(200);
    }
  };
  await fc.assert(fc.asyncProperty(bodies, isTakenByAll), { numRuns: RUNS });
  expect(taken).toBeGreaterThan(RUNS / 10);
});
