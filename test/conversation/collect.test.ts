import { expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import { formats } from '../../src/formats/all.ts';
import { eventsOfWhole } from '../support/meaning.ts';

test('as many scored tokens as an answer may have', () => {
  const content = Array.from({ length: 200_000 }, () => ({
    token: 'a',
    logprob: -1,
    bytes: [97],
    top_logprobs: [],
  }));
  const message = { role: 'assistant', content: 'a'.repeat(content.length) };
  const choices = [{ index: 0, message, logprobs: { content }, finish_reason: 'stop' }];
  const answer = JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices });
  const reply = collect(eventsOfWhole(formats['chat-completions'], answer));
  expect(reply.choices[0]?.logprobs).toHaveLength(content.length);
});
