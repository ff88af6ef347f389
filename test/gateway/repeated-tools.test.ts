/** Two tools with one name: OpenAI accepts an identical duplicate function; others refuse the request. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const MODELS = ['anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'];
const fn = { name: 'look_up', parameters: { type: 'object', properties: { word: { type: 'string' } } } };
const other = { ...fn, description: 'Another one.' };

const PATHS = { 'chat-completions': '/v1/chat/completions', responses: '/v1/responses' };
type From = keyof typeof PATHS;

function ask(from: From, model: string, functions: readonly object[]): Promise<Response> {
  const body =
    from === 'responses'
      ? { input: 'Hi', tools: functions.map((each) => ({ type: 'function', ...each })) }
      : {
          messages: [{ role: 'user', content: 'Hi' }],
          tools: functions.map((each) => ({ type: 'function', function: each })),
        };
  return postJson(gateway.url + PATHS[from], { model, ...body });
}

const cases = (['chat-completions', 'responses'] as const).flatMap((from) =>
  MODELS.map((model) => ({ from, model })),
);

test.each(cases)('identical duplicates are sent once: $from to $model', async ({ from, model }) => {
  const response = await ask(from, model, [fn, fn]);
  expect(await response.text()).not.toContain('"error":{');
  expect(response.status).toBe(200);
});

test.each(cases)(
  'two different tools are refused by the vendor, in its words: $from to $model',
  async (one) => {
    const response = await ask(one.from, one.model, [fn, other]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: expect.stringMatching(
          /Tool names must be unique|Duplicate function declaration found: look_up/,
        ),
      },
    });
  },
);
