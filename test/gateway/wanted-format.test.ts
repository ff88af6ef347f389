/** Requests that OpenAI refuses at chat-completions because it requires responses for them. */

import { describe, expect, test, vi } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { at, OPENAI, useDoor } from '../checklist/support.ts';
import { json } from '../support/upstream.ts';

const door = useDoor();

const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const tools = [{ type: 'function', function: { name: 'read_file', parameters } }];
const text = { type: 'output_text', text: 'Well.', annotations: [] };
const answer: JsonObject = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt',
  status: 'completed',
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text] }],
  usage: { input_tokens: 4, output_tokens: 3, total_tokens: 7 },
};

const functions = {
  message:
    "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
  param: 'reasoning_effort',
};
const model = {
  message: 'This model is only supported in v1/responses and not in v1/chat/completions.',
  param: 'model',
};
const field = { message: "Unknown parameter: 'reasoning'.", param: 'reasoning' };

/** OpenAI, which refuses everything at chat-completions. */
function refusing(error: JsonObject, status: number): void {
  const refusal = { error: { ...error, type: 'invalid_request_error', code: null } };
  door.answers(({ url }, response) =>
    url === '/v1/responses' ? json(response, answer) : json(response, refusal, status),
  );
}

/** The paths at which OpenAI was asked for one request. */
async function pathsFor(name: string, more: JsonObject): Promise<readonly (string | undefined)[]> {
  door.upstream().received.length = 0;
  const whole = await door.whole('chat-completions', name, more);
  expect(at(whole.json, 'choices.0.message.content'), whole.text).toBe('Well.');
  return door.upstream().received.map(({ url }) => url);
}

const REFUSED_FIRST = ['/v1/chat/completions', '/v1/responses'];
const AT_ONCE = ['/v1/responses'];

test('functions of a reasoning model: sent to responses, and the next time at once', async () => {
  refusing(functions, 400);
  const asked = { tools, reasoning_effort: 'low' };
  expect(await pathsFor('openai/gpt-5.4', asked)).toEqual(REFUSED_FIRST);
  expect(door.sent()).toMatchObject({ reasoning: { effort: 'low' }, tools: [{ name: 'read_file' }] });
  expect(await pathsFor('openai/gpt-5.4', asked)).toEqual(AT_ONCE);
  // Each effort separately: OpenAI may accept one of them at chat-completions.
  expect(await pathsFor('openai/gpt-5.4', { tools })).toEqual(REFUSED_FIRST);
  expect(await pathsFor('openai/gpt-5.4', { reasoning_effort: 'low' })).toEqual(REFUSED_FIRST);
});

test('a model that only responses has: sent there, whatever else is in the request', async () => {
  refusing(model, 404);
  expect(await pathsFor('openai/gpt-5.1', {})).toEqual(REFUSED_FIRST);
  expect(await pathsFor('openai/gpt-5.1', { tools })).toEqual(AT_ONCE);
  expect(await pathsFor('openai/gpt-5.2', {})).toEqual(REFUSED_FIRST);
});

test('its `reasoning` field is understood', async () => {
  refusing(field, 400);
  const asked = { reasoning: { effort: 'low' } };
  expect(await pathsFor('openai/gpt-5', asked)).toEqual(REFUSED_FIRST);
  expect(door.sent()).toMatchObject(asked);
  expect(await pathsFor('openai/gpt-5', asked)).toEqual(AT_ONCE);
});

/** OpenAI, which refuses every request with this field at chat-completions, and answers all others. */
function refusingField(name: string, message: string, param: string | null): void {
  const error = { message, type: 'invalid_request_error', param, code: 'unknown_parameter' };
  const chat = { role: 'assistant', content: 'Well.' };
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, message: chat, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
  };
  door.answers(({ url }, response) => {
    if (url === '/v1/responses') return json(response, answer);
    return name in door.sent() ? json(response, { error }, 400) : json(response, completion);
  });
}

describe('a field of another service', () => {
  // DeepSeek, Z.ai and Moonshot; Alibaba; Google.
  test.each<[string, string, Json, JsonObject]>([
    ['thinking', 'openai/gpt-5', { type: 'enabled', budget_tokens: 9000 }, { effort: 'medium' }],
    ['thinking', 'openai/gpt-5-mini', { type: 'disabled' }, { effort: 'minimal' }],
    ['enable_thinking', 'openai/gpt-5.4', false, { effort: 'none' }],
    ['thinking_budget', 'openai/gpt-5.4', 9000, { effort: 'medium' }],
    [
      'extra_body',
      'openai/gpt-5.4',
      { google: { thinking_config: { thinking_level: 'low' } } },
      { effort: 'low' },
    ],
  ])('`%s` is understood as a setting of thinking, by %s', async (name, id, value, reasoning) => {
    refusingField(name, `Unknown parameter: '${name}'.`, name);
    const asked = { [name]: value };
    expect(await pathsFor(id, asked)).toEqual(REFUSED_FIRST);
    expect(door.sent()).toMatchObject({ reasoning });
    expect(door.sent()).not.toHaveProperty(name);
    expect(await pathsFor(id, asked)).toEqual(AT_ONCE);
    expect(await pathsFor(id, {})).toEqual(['/v1/chat/completions']);
  });

  test('is recognized in older words, which name it in the message alone', async () => {
    refusingField('enable_thinking', 'Unrecognized request arguments supplied: top_a, enable_thinking', null);
    expect(await pathsFor('openai/gpt-5', { enable_thinking: true })).toEqual(REFUSED_FIRST);
    expect(await pathsFor('openai/gpt-5', { enable_thinking: true })).toEqual(AT_ONCE);
  });

  // OpenRouter's clients send it to every address.
  test('`usage` is left out, and the rest stays in its format', async () => {
    refusingField('usage', "Unknown parameter: 'usage'.", 'usage');
    const asked = { usage: { include: true }, seed: 7 };
    expect(await pathsFor('openai/gpt-5.4', asked)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(door.sent()).toMatchObject({ seed: 7 });
    expect(door.sent()).not.toHaveProperty('usage');
    expect(await pathsFor('openai/gpt-5.4', asked)).toEqual(['/v1/chat/completions']);
  });
});

test('ten minutes later the request is sent unchanged again, in case OpenAI accepts it by then', async () => {
  refusing(model, 404);
  expect(await pathsFor('openai/gpt-5-mini', {})).toEqual(REFUSED_FIRST);
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_001);
  try {
    expect(await pathsFor('openai/gpt-5-mini', {})).toEqual(REFUSED_FIRST);
    expect(await pathsFor('openai/gpt-5-mini', {})).toEqual(AT_ONCE);
  } finally {
    later.mockRestore();
  }
});

test('any other refusal passes as the vendor wrote it', async () => {
  const error = { error: { message: 'No.', type: 'invalid_request_error', param: 'tools', code: null } };
  door.answers((_, response) => json(response, error, 400));
  const whole = await door.whole('chat-completions', OPENAI, { tools });
  expect([whole.status, whole.json]).toEqual([400, error]);
  expect(door.upstream().received).toHaveLength(1);
});

test("a second refusal is reported, in the caller's format", async () => {
  const error = { message: 'Too long for /v1/responses.', type: 'invalid_request_error', code: 'too_long' };
  door.answers((_, response) => json(response, { error }, 400));
  const whole = await door.whole('chat-completions', OPENAI, { tools });
  expect([whole.status, at(whole.json, 'error.message')]).toEqual([400, error.message]);
  expect(door.upstream().received.map(({ url }) => url)).toEqual(REFUSED_FIRST);
});
