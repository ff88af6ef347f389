/** Cache marks of Anthropic's callers at OpenAI, whose models from GPT-5.6 on have breakpoints; and the way back. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import { type FourCallers, startFourCallers } from '../support/four-callers.ts';

const NEW = 'openai/gpt-5.6-new';
const OLD = 'openai/gpt-5.5-old';
const ELSEWHERE = 'somebody/gpt-5.6-new';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers(NEW, OLD, ELSEWHERE);
});
afterAll(() => four.close());

const MARK = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } };

const marked: JsonObject = {
  system: [{ type: 'text', text: 's', ...MARK }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'x', ...MARK }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'a', ...MARK },
        { type: 'tool_use', id: 'call_1', name: 'f', input: {}, ...MARK },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: '5', ...MARK }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' }, ...MARK }],
};

async function sent(caller: FormatName, model: string, body: JsonObject): Promise<JsonObject> {
  four.answers({});
  await four.ask(caller, model, false, body).catch(() => undefined);
  return Object(parseJson(four.received.at(-1)?.body.toString('utf8') ?? ''));
}

const count = (body: JsonObject, field: string): number =>
  JSON.stringify(body).split(`"${field}"`).length - 1;

describe('marks of a caller of messages', () => {
  test('are breakpoints where OpenAI has a place for them', async () => {
    const body = await sent('messages', NEW, marked);
    expect(count(body, 'cache_control')).toBe(0);
    // What nobody has marked is cached as without marks: OpenAI's own breakpoint stays.
    expect(body['prompt_cache_options']).toBeUndefined();
    const turns = Array.isArray(body['input']) ? body['input'] : body['messages'];
    const text = JSON.stringify(turns);
    for (const part of ['s', 'x', '5']) {
      expect(text).toMatch(
        new RegExp(`\\{[^{}]*"prompt_cache_breakpoint":\\{"mode":"explicit"\\}[^{}]*"text":"${part}"`),
      );
    }
    expect(count({ tools: body['tools'] ?? null }, 'prompt_cache_breakpoint')).toBe(0);
  });

  test.each([OLD, ELSEWHERE])('are left out for %s', async (model) => {
    const body = await sent('messages', model, marked);
    expect(count(body, 'cache_control') + count(body, 'prompt_cache_breakpoint')).toBe(0);
  });
});

test.each<[caller: FormatName, body: JsonObject]>([
  [
    'chat-completions',
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 's', ...BREAKPOINT }] },
        { role: 'user', content: [{ type: 'text', text: 'x', ...BREAKPOINT }] },
      ],
    },
  ],
  [
    'responses',
    {
      input: [
        { role: 'system', content: [{ type: 'input_text', text: 's', ...BREAKPOINT }] },
        { role: 'user', content: [{ type: 'input_text', text: 'x', ...BREAKPOINT }] },
      ],
    },
  ],
])('breakpoints of a caller of %s are marks for Claude', async (caller, body) => {
  expect(await sent(caller, 'anthropic/claude-sonnet-4-5', body)).toMatchObject({
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ],
  });
});
