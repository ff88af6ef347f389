/** OpenAI's models from GPT-5.1 on take sampling parameters while they do not think, and some think only if told to. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { at, useDoor } from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

/** Has the effort `none` by default. */
const AT_ONCE = 'openai/gpt-5.4';
/** Has the effort `medium` by default. */
const THINKER = 'openai/gpt-5.6-luna';
/** Always thinks. */
const ALWAYS = 'openai/gpt-5';

async function sentByGoogle(model: string, generationConfig: JsonObject): Promise<JsonObject> {
  door.answers((_, response) => response.writeHead(418).end('{}'));
  const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
  await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ contents, generationConfig }),
  });
  return door.sent();
}

const warm = { temperature: 0.2, top_p: 0.9 };
const none = { thinking: { type: 'disabled' } };
const some = { thinking: { type: 'enabled', budget_tokens: 2048 }, max_tokens: 8000 };

test.each<[string, JsonObject, boolean]>([
  [AT_ONCE, {}, true],
  [AT_ONCE, none, true],
  [AT_ONCE, { output_config: { effort: 'low' } }, false],
  [THINKER, {}, false],
  [THINKER, none, true],
  [ALWAYS, {}, false],
  [ALWAYS, none, false],
])('a temperature for %s with %j', async (model, more, isSent) => {
  const sent = await door.sentFor('messages', model, { ...warm, ...more });
  expect([at(sent, 'temperature'), at(sent, 'top_p')]).toEqual(isSent ? [0.2, 0.9] : [undefined, undefined]);
});

test('sampling of a request that goes by chat-completions, which alone gives several answers', async () => {
  const config = {
    temperature: 0.2,
    responseLogprobs: true,
    logprobs: 2,
    frequencyPenalty: 0.5,
    candidateCount: 2,
  };
  const sent = await sentByGoogle(AT_ONCE, config);
  expect(sent).toMatchObject({ temperature: 0.2, logprobs: true, top_logprobs: 2, n: 2 });
  expect(sent).not.toHaveProperty('frequency_penalty');
  const thinking = await sentByGoogle(AT_ONCE, { ...config, thinkingConfig: { thinkingBudget: 4096 } });
  expect(thinking).toMatchObject({ reasoning_effort: 'low', n: 2 });
  for (const field of ['temperature', 'logprobs', 'top_logprobs']) expect(thinking).not.toHaveProperty(field);
  expect(
    await sentByGoogle(AT_ONCE, { candidateCount: 2, thinkingConfig: { thinkingBudget: -1 } }),
  ).toMatchObject({
    reasoning_effort: 'medium',
  });
});

test.each<[string, JsonObject, string | undefined]>([
  [AT_ONCE, { thinking: { type: 'adaptive' } }, 'medium'],
  [AT_ONCE, { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, 'high'],
  [AT_ONCE, some, 'low'],
  [AT_ONCE, {}, undefined],
  [THINKER, { thinking: { type: 'adaptive' } }, undefined],
])('%s with %j thinks with the effort %s', async (model, more, effort) => {
  const sent = await door.sentFor('messages', model, more);
  expect(at(sent, 'reasoning.effort')).toBe(effort);
});
