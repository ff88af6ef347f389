/** Cache marks on calls, results, tools and parts, for vendors that refuse a field they do not know. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import { type FourCallers, MODELS, startFourCallers } from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers();
});
afterAll(() => four.close());

const MARK = { cache_control: { type: 'ephemeral' } };

const chat: JsonObject = {
  messages: [
    { role: 'system', content: [{ type: 'text', text: 's', ...MARK }] },
    { role: 'user', content: 'x', ...MARK },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' }, ...MARK }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '5', ...MARK },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
};

const responses: JsonObject = {
  input: [
    { role: 'system', content: [{ type: 'input_text', text: 's', ...MARK }] },
    { role: 'user', content: [{ type: 'input_text', text: 'x', ...MARK }] },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}', ...MARK },
    { type: 'function_call_output', call_id: 'call_1', output: '5', ...MARK },
  ],
  tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false, ...MARK }],
};

const messages: JsonObject = {
  system: [{ type: 'text', text: 's', ...MARK }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'x' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'f', input: {}, ...MARK }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '5', ...MARK }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' }, ...MARK }],
};

async function sent(...[caller, model, , body]: Parameters<FourCallers['ask']>): Promise<JsonObject> {
  four.answers({});
  await four.ask(caller, model, false, body).catch(() => undefined);
  return Object(parseJson(four.received.at(-1)?.body.toString('utf8') ?? ''));
}

test.each([
  ['chat-completions', chat],
  ['responses', responses],
  ['messages', messages],
] as const)('of a caller of %s are not sent to Gemini', async (caller, body) => {
  expect(JSON.stringify(await sent(caller, MODELS['generate-content'], false, body))).not.toContain(
    'cache_control',
  );
});

test.each([
  ['chat-completions', chat],
  ['messages', messages],
] as const)('of a caller of %s are not sent to a responses service', async (caller, body) => {
  expect(JSON.stringify(await sent(caller, MODELS.responses, false, body))).not.toContain('cache_control');
});

test.each([
  ['responses', responses],
  ['messages', messages],
] as const)('of a caller of %s are not sent to a chat service that has none', async (caller, body) => {
  const asked = await sent(caller, MODELS['chat-completions'], false, body);
  expect(JSON.stringify(asked)).not.toContain('cache_control');
});

test('a mark on a call reaches Claude', async () => {
  const { messages: turns } = await sent('chat-completions', MODELS.messages, false, chat);
  expect(turns).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', ...MARK }] },
    { role: 'user', content: [{ type: 'tool_result', ...MARK }] },
  ]);
});

test('marks of a caller of responses reach Claude', async () => {
  const asked = await sent('responses', MODELS.messages, false, responses);
  expect(asked).toMatchObject({
    system: [{ text: 's', ...MARK }],
    tools: [{ name: 'f', ...MARK }],
    messages: [
      { role: 'user', content: [{ text: 'x', ...MARK }] },
      { role: 'assistant', content: [{ type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result', ...MARK }] },
    ],
  });
});

const LONG = { cache_control: { type: 'ephemeral', ttl: '1h' } };

// OpenRouter and Vercel take a mark on a message: it is that of the message's last part.
test.each([
  ['chat-completions', 'text', 'messages'],
  ['responses', 'input_text', 'input'],
] as const)('a mark on a message of %s goes to its last part', async (caller, type, field) => {
  const asked = await sent(caller, MODELS.messages, false, {
    [field]: [
      { role: 'system', content: 's', ...LONG },
      {
        role: 'user',
        content: [
          { type, text: 'a' },
          { type, text: 'b' },
        ],
        ...LONG,
      },
      { role: 'assistant', content: 'said', ...LONG },
      { role: 'user', content: [{ type, text: 'c', ...MARK }], ...LONG },
    ],
  });
  expect(asked).toMatchObject({ system: [{ text: 's', ...LONG }] });
  expect(asked['messages']).toStrictEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b', ...LONG },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'said', ...LONG }] },
    { role: 'user', content: [{ type: 'text', text: 'c', ...MARK }] },
  ]);
});
