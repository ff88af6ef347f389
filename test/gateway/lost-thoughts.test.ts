/** Thoughts whose empty text a client has dropped, so that only the signature is left. */

import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { asObject, asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { KEY, startGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const gateway = whileTestsRun(() => startGateway());

const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
const question = { role: 'user', content: 'play: thinking' } as const;

/** An answer of the model whose thought is not shown, as the client has it after dropping empty fields. */
async function lostThought(model: string): Promise<readonly JsonObject[]> {
  const client = new Anthropic({ baseURL: gateway().url, apiKey: KEY });
  const { content } = await client.messages.create({
    model,
    max_tokens: 2000,
    thinking,
    messages: [question],
  });
  return content.map((block) => {
    if (block.type !== 'thinking') return asObject(parseJson(JSON.stringify(block))) ?? {};
    return { type: 'thinking', signature: block.signature };
  });
}

test.each([
  'openai/gpt-5.4',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-3-flash-preview',
  'deepseek/deepseek-v4-flash',
])('a conversation with %s continues, whole and streamed', async (model) => {
  const content = await lostThought('anthropic/claude-sonnet-4-5');
  expect(content[0]).toEqual({ type: 'thinking', signature: expect.stringMatching(/./) });
  const body = {
    model,
    max_tokens: 2000,
    thinking,
    messages: [question, { role: 'assistant', content }, { role: 'user', content: 'Say hello.' }],
  };
  const whole = await postJson(`${gateway().url}/v1/messages`, body);
  const read = asObject(parseJson(await whole.text()));
  expect([whole.status, read]).toMatchObject([200, { type: 'message', stop_reason: 'end_turn' }]);
  expect(asObjects(read?.['content']).at(-1)?.['text']).toContain('> Say hello.');
  const streamed = await postJson(`${gateway().url}/v1/messages`, { ...body, stream: true });
  expect([streamed.status, await streamed.text()]).toEqual([200, expect.stringContaining('message_stop')]);
});

test('a thought with neither text nor signature is refused', async () => {
  const messages = [question, { role: 'assistant', content: [{ type: 'thinking' }] }, question];
  const response = await postJson(`${gateway().url}/v1/messages`, {
    model: 'openai/gpt-5.4',
    max_tokens: 50,
    messages,
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Field required')]);
});
