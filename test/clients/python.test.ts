/** What the vendors' Python SDKs write differently from the JavaScript ones, by hand: npm has no Python. */

import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { postJson } from '../support/post-json.ts';
import { SUBJECTS, useGateway } from './support.ts';

const gateway = useGateway();

async function post(path: string, body: JsonObject): Promise<Response> {
  return postJson(gateway().url + path, body);
}

describe('an answer of chat-completions as openai 3.22 sends it back', () => {
  const weather: JsonObject = {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
  };
  /** `.stream()` sets every field of its model that the stream lacked to null. */
  const streamed = (content: Json, more: JsonObject): JsonObject => ({
    content,
    refusal: null,
    role: 'assistant',
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: null,
    parsed: null,
    ...more,
  });
  /** `.parse()` does so only for fields that it inspects. */
  const parsed = { content: '{"a":1}', refusal: null, role: 'assistant', annotations: [], tool_calls: null };
  const call = {
    id: 'call_1',
    index: 0,
    type: 'function',
    function: { name: 'get_weather', arguments: '{}', parsed_arguments: {} },
  };

  test.each(SUBJECTS.map(({ model }) => model))('%s', async (model) => {
    const user = { role: 'user', content: 'Hi' };
    const result = { role: 'tool', tool_call_id: 'call_1', content: '17 C' };
    for (const messages of [
      [user, streamed('Hello.', {}), user],
      [user, { ...parsed, parsed: { a: 1 } }, user],
      [user, streamed(null, { tool_calls: [call] }), result],
    ]) {
      const answer = await post('/v1/chat/completions', { model, messages, tools: [weather] });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ object: 'chat.completion' }),
      ]);
    }
  });
});
