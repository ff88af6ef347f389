/** An answer costs what its parts cost, however many there are: 16,000 thoughts once took two seconds. */

import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import { joinThoughts, separatorBetween } from '../../src/formats/chat-completions/wire/text-separator.ts';
import { formats } from '../../src/formats/formats.ts';
import { renderGrounding } from '../../src/formats/generate-content/inbound/render-citations.ts';
import { run } from '../../src/streams/step.ts';
import { excessOf } from '../support/cost.ts';
import { ASKED, PERMISSIVE, PROMPT, rendered } from '../support/meaning.ts';
import { answerOf, PART_KINDS } from './many-parts.ts';

/** With 8,000 parts, a cost that grows with the square stands out from all noise. */
const PARTS = 2_000;

describe.each(Object.values(formats))('$name', (format) => {
  test.each(PART_KINDS)('many parts, each one %s: rendered', { timeout: 120_000 }, (kind) => {
    const streamed = excessOf(
      (count) => answerOf(kind, count),
      (events) => rendered(format, events),
      PARTS,
    );
    const whole = excessOf(
      (count) => collect(answerOf(kind, count)),
      (reply) => JSON.stringify(format.inbound.renderReply(reply, ASKED)),
      PARTS,
    );
    expect({ streamed, whole }).toEqual({});
  });

  test.each(PART_KINDS)('many parts, each one %s: read', { timeout: 120_000 }, (kind) => {
    const parse = () => format.outbound.parseEvents(PROMPT, PERMISSIVE);
    const streamed = excessOf(
      (count) => rendered(format, answerOf(kind, count)),
      (events) => collect(run(parse(), events)),
      PARTS,
    );
    const whole = excessOf(
      (count) => JSON.stringify(format.inbound.renderReply(collect(answerOf(kind, count)), ASKED)),
      (data) => collect(run(parse(), [{ data }])),
      PARTS,
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
