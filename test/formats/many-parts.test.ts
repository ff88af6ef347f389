/** A request or an answer costs what its parts cost, however many there are: 16,000 thoughts once took two seconds. */

import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { Prompt } from '../../src/conversation/prompt.ts';
import { joinThoughts, separatorBetween } from '../../src/formats/chat-completions/wire/text-separator.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { renderGrounding } from '../../src/formats/generate-content/inbound/render-citations.ts';
import { run } from '../../src/streams/step.ts';
import { excessOf, SQUARE } from '../support/cost.ts';
import { ASKED, PERMISSIVE, PROMPT, rendered } from '../support/meaning.ts';
import { answerOf, PART_KINDS } from './many-parts.ts';

/**
 * With 8,000 parts, a cost that grows with the square stands out from all noise. Their events do not fit into V8's new space
 * any more, as those of 4,000 do, and what is collected in the old one costs up to twice as much: so four times as many parts
 * may cost eight times as much, where the square would be sixteen.
 */
const PARTS = 2_000;

/** A request that allows each of its tools by name: each one looked for in a list of all others would be the square. */
function withTools(count: number): Prompt {
  const names = Array.from({ length: count }, (_, index) => `tool_${index}`);
  return {
    model: 'a-model',
    turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello.' }] }],
    tools: names.map((name) => ({ kind: 'function', name })),
    toolChoice: { mode: 'auto', allowed: names },
    stream: false,
  };
}

/** A request with images in the result of a call. */
function withImages(count: number): Prompt {
  const source = { kind: 'base64', data: 'AA==' } as const;
  const image = { kind: 'media', media: 'image', mediaType: 'image/png', source } as const;
  return {
    model: 'a-model',
    turns: [
      { role: 'user', parts: [{ kind: 'text', text: 'Hello.' }] },
      { role: 'assistant', parts: [{ kind: 'tool-call', id: 'c', name: 'look', arguments: '{}' }] },
      { role: 'user', parts: [{ kind: 'tool-result', id: 'c', content: Array(count).fill(image) }] },
    ],
    stream: false,
  };
}

describe.each(Object.values(formats))('$name', (format) => {
  const requested = (prompt: Prompt, target = PERMISSIVE): string =>
    JSON.stringify(format.outbound.renderRequest(prompt, { ...target, dialect: 'openai' }, unreported));

  test('a request with many tools, all allowed by name', () => {
    expect(excessOf(withTools, (prompt) => requested(prompt), 5 * PARTS)).toBeUndefined();
    expect(requested(withTools(5 * PARTS))).toContain('tool_9999');
  });

  test('a request with many images in a result', () => {
    const { thinking: _, ...older } = PERMISSIVE;
    for (const target of [PERMISSIVE, older]) {
      expect(excessOf(withImages, (prompt) => requested(prompt, target), 5 * PARTS)).toBeUndefined();
      expect(requested(withImages(PARTS), target).split('AA==')).toHaveLength(PARTS + 1);
    }
  });

  test.each(PART_KINDS)('many parts, each one %s: rendered', { timeout: 120_000 }, (kind) => {
    const streamed = excessOf(
      (count) => answerOf(kind, count),
      (events) => rendered(format, events),
      PARTS,
      SQUARE,
    );
    const whole = excessOf(
      (count) => collect(answerOf(kind, count)),
      (reply) => JSON.stringify(format.inbound.renderReply(reply, ASKED)),
      PARTS,
      SQUARE,
    );
    expect({ streamed, whole }).toEqual({});
  });

  test.each(PART_KINDS)('many parts, each one %s: read', { timeout: 120_000 }, (kind) => {
    const parse = () => format.outbound.parseEvents(PROMPT, PERMISSIVE);
    const streamed = excessOf(
      (count) => rendered(format, answerOf(kind, count)),
      (events) => collect(run(parse(), events)),
      PARTS,
      SQUARE,
    );
    const whole = excessOf(
      (count) => JSON.stringify(format.inbound.renderReply(collect(answerOf(kind, count)), ASKED)),
      (data) => collect(run(parse(), [{ data }])),
      PARTS,
      SQUARE,
    );
    expect({ streamed, whole }).toEqual({});
  });
});

test('what stands between two texts', () => {
  expect(separatorBetween('', 'a')).toBe('');
  expect(separatorBetween('a', '')).toBe('');
  expect(separatorBetween('a', 'b')).toBe('\n\n');
  expect(separatorBetween('a ', 'b')).toBe('');
  expect(separatorBetween('a', '\u00a0b')).toBe('');
  expect(joinThoughts([{ text: 'a' }, { text: '' }, { text: 'b\n' }, { text: 'c' }])).toBe('a\n\nb\nc');
});

test('citations far into a text have the bytes of their places, between the halves of no character', () => {
  const text = '\u{1f600}é '.repeat(3_000);
  const places = [0, 2, 3, 1_022, 1_023, 1_024, 1_026, 2_047, 2_050, 11_998, text.length];
  const citations = places.map((start) => ({ url: 'https://example.com', start, end: text.length }));
  const supports = renderGrounding(text, citations, [])?.['groundingSupports'];
  expect(supports).toEqual(
    places.map((start) => ({
      segment: {
        startIndex: Buffer.byteLength(text.slice(0, start)),
        endIndex: Buffer.byteLength(text),
        text: text.slice(start),
      },
      groundingChunkIndices: [0],
    })),
  );
});

test('many citations of one long text do not repeat it for each: Gemini quotes it a bounded number of times', () => {
  const sizes = [PARTS, 4 * PARTS].map((count) => {
    const text = 'é'.repeat(5 * count);
    const citations = Array.from({ length: count }, (_, at) => ({
      url: `https://example.com/${at}`,
      start: 0,
      end: text.length,
    }));
    const metadata = renderGrounding(text, citations, []);
    expect(metadata?.['groundingSupports']).toHaveLength(count);
    return JSON.stringify(metadata).length;
  });
  const [small = 0, large = 0] = sizes;
  expect(large).toBeLessThan(5 * small);
});
