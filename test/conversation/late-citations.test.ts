/** A citation may come when its text has ended. Steps on its way keep it with that text. */

import { expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { OpenPart, Reply, ReplyEvent } from '../../src/conversation/reply.ts';
import { withParallelCalls } from '../../src/conversation/rules/parallel-calls.ts';
import { unwrapAnswer } from '../../src/conversation/unwrap-answer.ts';
import { unwrapMember } from '../../src/conversation/unwrap-member.ts';
import { run, type Step } from '../../src/streams/step.ts';

const part = (index: number, open: OpenPart, text: string): ReplyEvent[] => [
  { type: 'part-start', choice: 0, index, part: open },
  { type: 'part-delta', choice: 0, index, text },
  { type: 'part-end', choice: 0, index },
];
const cite = (index: number): ReplyEvent => ({
  type: 'part-detail',
  choice: 0,
  index,
  citation: { url: `https://${index}.example`, start: 0, end: 1 },
});
const partsOf = (step: Step<ReplyEvent, ReplyEvent>, events: ReplyEvent[]): Reply['choices'][0]['parts'] =>
  collect(run(step, events)).choices[0]?.parts ?? [];

test('calls that take the place of one between the texts do not move it', () => {
  const step: Step<ReplyEvent, ReplyEvent> = { transform: (event, out) => out.enqueue(event) };
  const list = { tool_uses: [1, 2, 3].map(() => ({ recipient_name: 'functions.f', parameters: {} })) };
  const wrapper: OpenPart = { kind: 'tool-call', id: 'c', name: 'multi_tool_use.parallel' };
  const events = [0, 2, 4].flatMap((index) => part(index, { kind: 'text' }, `text ${index}`));
  const calls = [1, 3].map((index) => part(index, wrapper, JSON.stringify(list)));
  events.splice(3, 0, ...(calls[0] ?? []));
  events.splice(9, 0, ...(calls[1] ?? []));
  const parallel = withParallelCalls(step, { tools: [{ kind: 'function', name: 'f', parameters: {} }] });
  const parts = partsOf(parallel, [...events, cite(0), cite(2), cite(4)]);
  expect(parts.map(({ kind }) => kind[1]).join('')).toBe('eoooeoooe');
  expect(parts.filter(({ kind }) => kind === 'text')).toMatchObject(
    [0, 2, 4].map((index) => ({
      text: `text ${index}`,
      citations: [{ url: `https://${index}.example` }],
    })),
  );
});

test('a text that was taken out of an object has no place for it', () => {
  const events = [...part(0, { kind: 'text' }, '{"choice":"yes"}'), cite(0)];
  expect(partsOf(unwrapMember('choice'), events)).toEqual([
    { kind: 'text', text: 'yes', citations: [{ url: 'https://0.example' }] },
  ]);
  const answer = [...part(0, { kind: 'text' }, '{"answer":[1]}'), cite(0)];
  expect(partsOf(unwrapAnswer(), answer)).toEqual([
    { kind: 'text', text: '[1]', citations: [{ url: 'https://0.example' }] },
  ]);
});

test.each([unwrapAnswer(), unwrapMember('choice')])('a text of words keeps it: step %#', (step) => {
  const citation = { url: 'https://0.example', start: 0, end: 1 };
  const events = [...part(0, { kind: 'text' }, 'Yes, of course.'), cite(0)];
  expect(partsOf(step, events)).toEqual([{ kind: 'text', text: 'Yes, of course.', citations: [citation] }]);
});
