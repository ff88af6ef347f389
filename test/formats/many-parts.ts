/** Answers of many parts of one kind, for tests of what a part costs. */

import type { OpenPart, ReplyEvent } from '../../src/conversation/reply.ts';

/** What each part of an answer is. */
export type PartKind =
  | 'text'
  | 'thinking'
  | 'signed thinking'
  | 'tool call'
  | 'citation'
  | 'refusal'
  | 'by turns';

export const PART_KINDS: readonly PartKind[] = [
  'text',
  'thinking',
  'signed thinking',
  'tool call',
  'citation',
  'refusal',
  'by turns',
];

/** An answer with so many parts. Citations stand on one text, each on a piece of it: that is how vendors tell them. */
export function answerOf(kind: PartKind, count: number): readonly ReplyEvent[] {
  const events: ReplyEvent[] = [{ type: 'reply-start', id: 'a', model: 'm' }];
  if (kind === 'citation') events.push(...citedText(count));
  else for (let index = 0; index < count; index += 1) events.push(...partAt(kind, index));
  events.push({ type: 'usage', usage: { input: 1, output: count } });
  events.push({ type: 'choice-end', choice: 0, finish: 'stop' });
  events.push({ type: 'reply-end' });
  return events;
}

const TURNS = ['text', 'thinking', 'tool call'] as const;

function partAt(kind: PartKind, index: number): readonly ReplyEvent[] {
  if (kind === 'by turns') return partAt(TURNS[index % TURNS.length] ?? 'text', index);
  const part = openPart(kind, index);
  const text = kind === 'tool call' ? `{"n":${index}}` : `Piece ${index}.`;
  const events: ReplyEvent[] = [
    { type: 'part-start', choice: 0, index, part },
    { type: 'part-delta', choice: 0, index, text },
  ];
  if (kind === 'signed thinking') {
    events.push({
      type: 'part-detail',
      choice: 0,
      index,
      signature: { origin: 'anthropic', value: `s${index}` },
    });
  }
  return [...events, { type: 'part-end', choice: 0, index }];
}

function openPart(kind: PartKind, index: number): OpenPart {
  if (kind === 'tool call') return { kind: 'tool-call', id: `call_${index}`, name: 'f' };
  if (kind === 'refusal') return { kind: 'refusal' };
  return { kind: kind === 'text' ? 'text' : 'thinking' };
}

function citedText(count: number): readonly ReplyEvent[] {
  const events: ReplyEvent[] = [{ type: 'part-start', choice: 0, index: 0, part: { kind: 'text' } }];
  let length = 0;
  for (let at = 0; at < count; at += 1) {
    const text = `Pièce ${at}. `;
    const citation = {
      url: `https://example.com/${at}`,
      title: `Title ${at}`,
      citedText: text,
      start: length,
      end: length + text.length,
    };
    length += text.length;
    events.push({ type: 'part-delta', choice: 0, index: 0, text });
    events.push({ type: 'part-detail', choice: 0, index: 0, citation });
  }
  events.push({ type: 'part-end', choice: 0, index: 0 });
  return events;
}
