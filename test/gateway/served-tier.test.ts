/** The service tier that served an answer, which a stream of OpenAI reports only at its end. */

import { describe, expect, test } from 'vitest';
import { at, type Caller, completion, json, namedStream, RESPONDER, useDoor } from '../checklist/support.ts';

const door = useDoor();

const spent = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };
const item = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
};
const response = { id: 'resp_1', object: 'response', created_at: 1_790_000_000, model: 'm' };

/** A stream that begins with the requested tier, and ends with the one that served it. */
const stream = (served: string) =>
  namedStream(
    {
      type: 'response.created',
      response: { ...response, status: 'in_progress', output: [], service_tier: 'auto' },
    },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    {
      type: 'response.content_part.added',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '' },
    },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Yes.' },
    { type: 'response.output_item.done', output_index: 0, item },
    {
      type: 'response.completed',
      response: { ...response, status: 'completed', output: [item], usage: spent, service_tier: served },
    },
  );

/** Where a caller's answer contains the tier. */
const WHOLE: Readonly<Record<Caller, string>> = {
  'chat-completions': 'service_tier',
  responses: 'service_tier',
  messages: 'usage.service_tier',
};

describe('the tier at the end of an answer', () => {
  test.each(['priority', 'flex', 'default'])('%s, streamed', async (served) => {
    door.answers(stream(served));
    const chat = await door.stream('chat-completions', RESPONDER);
    // The chunk with the usage is the last one; those before it were sent before the tier was known.
    expect(at(chat.data.at(-1), 'service_tier')).toBe(served);
    expect(at(chat.data.at(-1), 'usage.prompt_tokens')).toBe(10);
  });

  test.each<[Caller, served: string, told: string]>([
    ['chat-completions', 'priority', 'priority'],
    ['chat-completions', 'default', 'default'],
    ['messages', 'priority', 'priority'],
    ['messages', 'default', 'standard'],
  ])('to %s, whole: %s', async (from, served, told) => {
    const said = { ...response, status: 'completed', output: [item], usage: spent, service_tier: served };
    door.answers(json(said));
    const { json: answer } = await door.whole(from, RESPONDER);
    expect(at(answer, WHOLE[from])).toBe(told);
  });
});

test('a tier of chat-completions reaches a caller of responses', async () => {
  door.answers(json(completion({ content: 'Yes.' }, 'stop', { service_tier: 'flex' })));
  const { json: answer } = await door.whole('responses', 'openrouter/a-model');
  expect(at(answer, 'service_tier')).toBe('flex');
});
