/** How much output a stream is estimated to have, from the bytes that have arrived. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completed, OutputEstimate, tokensOfRequest } from '../../../src/accounting/usage/output-estimate.ts';
import type { FormatName } from '../../../src/conversation/prompt.ts';
import { TrailingBytes } from '../../../src/streams/trailing-bytes.ts';

const event = (delta: string): string =>
  `data: {"id":"c","choices":[{"index":0,"delta":{"content":"${delta}"}}]}`;

/** The tokens of a stream that arrives in pieces of that many bytes. */
function tokensOf(stream: string, size: number, spoken: FormatName = 'chat-completions'): number {
  const estimate = new OutputEstimate(spoken);
  const tail = new TrailingBytes(new Uint8Array(2_048));
  const bytes = Buffer.from(stream);
  for (let at = 0; at < bytes.length; at += size) {
    estimate.add(bytes.subarray(at, at + size));
    tail.add(bytes.subarray(at, at + size));
  }
  return estimate.tokens(tail.bytes());
}

describe.each(['\n\n', '\r\n\r\n'])('events that end with %j', (end) => {
  test.each([50, 230, 1_000, 5_000, 100_000])('small events, in pieces of %d bytes', (size) => {
    const stream = (event('word ') + end).repeat(1_000);
    const tokens = tokensOf(stream, size);
    expect(tokens).toBeGreaterThan(1_250 * 0.8);
    expect(tokens).toBeLessThan(1_250 * 1.2);
  });
});

test('bytes before the first text are not output', () => {
  const created = `event: response.created\ndata: {"response":{"instructions":"${'word '.repeat(9_000)}"}}\n\n`;
  const delta = 'event: response.output_text.delta\ndata: {"delta":"word word "}\n\n';
  for (const size of [100, 1_000, 100_000]) {
    expect(tokensOf(created, size, 'responses')).toBe(0);
    expect(tokensOf(created + delta.repeat(40), size, 'responses')).toBeLessThan(120);
  }
});

test('what a model has spoken is text', () => {
  const spoken =
    'data: {"choices":[{"index":0,"delta":{"audio":{"id":"audio_1","transcript":"word "}}}]}\n\n';
  const tokens = tokensOf(spoken.repeat(1_000), 1_000);
  expect(tokens).toBeGreaterThan(1_250 * 0.8);
  expect(tokens).toBeLessThan(1_250 * 1.2);
});

test.each([50, 1_000, 100_000])(
  'an event that is longer than what is kept is all text: pieces of %d',
  (size) => {
    const stream = event('word '.repeat(1_000));
    expect(tokensOf(stream, size)).toBeGreaterThan(1_250 * 0.9);
    expect(tokensOf(stream, size)).toBeLessThan(1_250 * 1.1);
    expect(tokensOf(stream.slice(0, 4_000), size)).toBeGreaterThan(900);
    const shorter = `${event('word '.repeat(600))}\n\n`;
    expect(tokensOf(shorter + event('word ').repeat(2), size)).toBeLessThan(1_000);
  },
);

test.each([50, 1_000, 100_000])(
  'an event that is longer than what is kept is all text, also before an error: pieces of %d',
  (size) => {
    const error = 'data: {"error":{"message":"The engine is overloaded.","type":"server_error"}}\n\n';
    const tokens = tokensOf(`${event('word '.repeat(1_000))}\n\n${error}`, size);
    expect(tokens).toBeGreaterThan(1_250 * 0.9);
    expect(tokens).toBeLessThan(1_250 * 1.1);
  },
);

test('the text of a whole answer is all counted', () => {
  expect(tokensOf(JSON.stringify({ choices: 'word '.repeat(80) }), 100)).toBe(104);
});

describe('a request', () => {
  const picture = Buffer.alloc(90_000, 'é').toString('base64');
  test.each([
    ['of words', `{"content":"${'word '.repeat(800)}"}`, 1_000],
    ['with a picture', `{"url":"data:image/png;base64,${picture}","text":"${'word '.repeat(80)}"}`, 1_110],
    ['with two, without an end', `{"url":"${picture}","url":"${picture}`, 2_000],
    ['of one long word', `{"content":"${'a'.repeat(2_000)}"}`, 500],
    ['of nothing', '', 0],
    ['of words without spaces', `{"content":"${'the_cat_'.repeat(2_000)}"}`, 4_000],
    ['of such words like a file', `{"text": "data:image/png;base64,${'the_cat_'.repeat(2_000)}"}`, 4_000],
    ['of a file in a text', `{"text":"{\\"url\\":\\"${'the_cat_'.repeat(2_000)}\\"}"}`, 4_000],
    ['of such words in a list', `{"url":["x","${'the_cat_'.repeat(2_000)}"]}`, 4_000],
    ['of such words that do not end', `{"content":"${'a'.repeat(20_000)}`, 5_000],
    ['of words before a file', `{"text":"${'a'.repeat(4_000)}","data" : "${picture}"}`, 2_000],
    ['of such words in the middle of a text', `{"text":"Hi ${'the_cat_'.repeat(2_000)}"}`, 4_000],
  ])('%s', (_, request, tokens) => {
    const estimated = tokensOfRequest(Buffer.from(request));
    expect(estimated).toBeGreaterThanOrEqual(tokens);
    expect(estimated).toBeLessThan(tokens + 20);
  });
});

test('a request in pieces, which are cut only in its files and long texts', () => {
  const picture = Buffer.alloc(90_000, 'é').toString('base64');
  const words = 'the_cat_'.repeat(2_000);
  const pieces = [
    `{"text":"${words}`,
    words,
    `","image_url":{"url":"data:image/png;base64,${picture}`,
    picture,
    `${picture}"},"data":"${picture}"}`,
  ];
  const tokens = tokensOfRequest(...pieces.map((piece) => Buffer.from(piece)));
  expect(tokens).toBeGreaterThanOrEqual(10_000);
  expect(tokens).toBeLessThan(10_100);
});

const replies = join(import.meta.dirname, '../../../fixtures/replies');

test.each(['chat-completions', 'responses', 'messages', 'generate-content'] as const)(
  'a recorded long answer of %s whose caller disconnects early',
  (format) => {
    const name = readdirSync(join(replies, format)).find(
      (file) => file.startsWith('long-text') && file.endsWith('.sse'),
    );
    const whole = readFileSync(join(replies, format, name ?? ''), 'utf8');
    // The final event of responses repeats all of the text.
    const stream = whole.slice(0, whole.length * 0.4);
    const exact = tokensOf(stream, stream.length, format);
    expect(exact).toBeGreaterThan(40);
    for (const size of [300, 4_000]) {
      expect(tokensOf(stream, size, format) / exact).toBeGreaterThan(0.6);
      expect(tokensOf(stream, size, format) / exact).toBeLessThan(1.7);
    }
  },
);

describe('reported usage is completed with estimates of what was not reported', () => {
  const passed = { input: 100, output: 40 };
  test.each([
    ['nothing', {}, false, { input: 100, output: 40 }],
    ['all', { input: 7, output: 5, cacheRead: 3 }, false, { input: 7, output: 5, cacheRead: 3 }],
    ['an output of none', { input: 7, output: 0 }, false, { input: 7, output: 0 }],
    [
      'the output of a beginning, which was more by the end',
      { input: 7, output: 5 },
      true,
      { input: 7, output: 40 },
    ],
    ['more of a beginning than was seen', { input: 7, output: 50 }, true, { input: 7, output: 50 }],
    ['the input alone, of a beginning', { input: 7 }, true, { input: 7, output: 40 }],
    ['the output alone', { output: 5 }, false, { input: 100, output: 5 }],
  ])('%s', (_, told, isPart, taken) => {
    expect(completed(told, passed, isPart)).toEqual(taken);
  });
});
