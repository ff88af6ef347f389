/** Checklist, section 24: what a vendor's newest fields mean to a model of another vendor. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { at, DEEPSEEK, GEMINI_3, OPENAI, useDoor } from './support.ts';

const door = useDoor();
const { sentFor } = door;

const THINKER = 'openai/gpt-5.4';
const say = (role: string, content: unknown): JsonObject => JSON.parse(JSON.stringify({ role, content }));

describe('checklist 161: a dialogue that Claude has compacted goes on with any model', () => {
  const compaction = {
    type: 'compaction',
    content: 'The user is called Ada.',
    encrypted_content: 'Q0lQSEVS',
  };
  const messages = [
    say('assistant', [compaction, { type: 'text', text: 'Noted.' }]),
    say('user', 'What am I called?'),
  ];

  test.each([OPENAI, THINKER, DEEPSEEK, GEMINI_3])('checklist 161: the summary reaches %s', async (model) => {
    const sent = JSON.stringify(await sentFor('messages', model, { messages }));
    expect(sent).toContain('The user is called Ada.');
    expect(sent).not.toContain('Q0lQSEVS');
  });

  test.each([OPENAI, THINKER, GEMINI_3])('checklist 161: %s is not asked to compact one', async (model) => {
    const answer = await door.whole('messages', model, { compaction: { type: 'summarize' } });
    expect(answer.status).toBe(400);
    expect(at(answer.json, 'error.message')).toContain('compaction');
    expect(door.upstream().received).toEqual([]);
  });
});

test('checklist 161: a thread that is none, and a compaction that is none, are told to nobody', async () => {
  const sent = await sentFor('messages', OPENAI, { thread: null, compaction: null });
  expect(sent).not.toHaveProperty('thread');
  expect(sent).not.toHaveProperty('compaction');
});
