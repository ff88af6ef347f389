/** Injected usage is stripped from a stream, and nothing else is, however its bytes are cut. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stripInjectedUsage } from '../../../src/formats/chat-completions/outbound/strip-injected-usage.ts';
import { run } from '../../../src/streams/step.ts';

const hidden = (...chunks: readonly (Uint8Array | string)[]): string =>
  Buffer.concat(run(stripInjectedUsage(), chunks.map(Buffer.from))).toString();

const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":1}}';
const NULL = 'data: {"choices":[{"index":0}],"usage":null}';
const BARE = 'data: {"choices":[{"index":0}]}';

describe('what is stripped', () => {
  test.each([
    ['a chunk of usage alone', `${BARE}\n\n${USAGE}\n\ndata: [DONE]\n\n`, `${BARE}\n\ndata: [DONE]\n\n`],
    ['one as the last thing', `${BARE}\n\n${USAGE}`, `${BARE}\n\n`],
    ['with CRLF', `${BARE}\r\n\r\n${USAGE}\r\n\r\n${BARE}\r\n\r\n`, `${BARE}\r\n\r\n${BARE}\r\n\r\n`],
    ['with CR', `${BARE}\r\r${USAGE}\r\r${BARE}\r\r`, `${BARE}\r\r${BARE}\r\r`],
    ['without a space', 'data:{"choices":[ ],"usage":{}}\n\n:x\n\n', ':x\n\n'],
    ['of an event with more lines', `id: 1\n${USAGE}\nretry: 1\n\n`, 'id: 1\nretry: 1\n\n'],
    ['only the line, where the event goes on', `${USAGE}\nid: 1\n\n`, 'id: 1\n\n'],
    ['null', `${NULL}\n\n`, `${BARE}\n\n`],
    [
      'null before quotes in a text',
      'data: {"choices":[],"usage":null,"x":"\\"}"}\n',
      'data: {"choices":[],"x":"\\"}"}\n',
    ],
    ['null as the first member', 'data: {"usage" : null , "choices":[]}\n', 'data: { "choices":[]}\n'],
    ['null in the middle', 'data: {"choices":[],\t"usage":null ,"x":1}\n', 'data: {"choices":[] ,"x":1}\n'],
  ])('%s', (_, text, left) => {
    expect(hidden(text)).toBe(left);
    for (let cut = 1; cut < text.length; cut += 1) {
      expect(hidden(text.slice(0, cut), text.slice(cut))).toBe(left);
    }
    expect(hidden(...text)).toBe(left);
  });
});

describe('what stays unchanged', () => {
  const long = `data: {"choices":[],"x":"${'x'.repeat(100_000)}","usage":null}\n`;
  test.each([
    ['usage beside a choice', 'data: {"choices":[{"index":0}],"usage":{"prompt_tokens":1}}\n\n'],
    ['usage of something else', 'data: {"choices":[],"x_groq":{"usage":null}}\n\n'],
    ['an answer about it', 'data: {"choices":[{"delta":{"content":"\\"usage\\":null"}}]}\n\n'],
    ['what is no data', `event: ${USAGE}\n: ${NULL}\n\n`],
    ['what is no JSON', `data: {"choices":[],"usage":null\n\ndata: "usage"\n\n`],
    ['an object over several lines', 'data: {"choices":[],\ndata: "usage":{}}\n\n'],
    ['an error', 'data: {"error":{"message":"x"},"usage":null}\n\n'],
    ['a line longer than any figures', `${long}${long}\n`],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(hidden(text)).toBe(text);
    for (let cut = 1; cut < text.length; cut += Math.ceil(text.length / 97)) {
      expect(hidden(text.slice(0, cut), text.slice(cut))).toBe(text);
    }
  });

  test('a usage chunk after a long line is stripped', () => {
    expect(hidden(long, `\n${USAGE}\n\n${BARE}\n\n`)).toBe(`${long}\n${BARE}\n\n`);
    expect(hidden(long.slice(0, -1), `\n\n${USAGE}\n\n`)).toBe(`${long}\n`);
    expect(hidden(long.slice(0, -1), '\n\n', `${USAGE}\n\n`)).toBe(`${long}\n`);
  });
});

test('binary and hostile bytes pass unchanged, however they are cut', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc
      .constantFrom(`${USAGE}\n\n`, `${NULL}\r\n`, `${BARE}\n\n`, '\n', '\r', 'data: {"usage"', 'data:')
      .map(Buffer.from),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(300)), (pieces, places) => {
      const bytes = Buffer.concat(pieces);
      const cuts = [
        0,
        ...places.map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const chunks = cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
      const once = Buffer.concat(run(stripInjectedUsage(), [bytes]));
      expect(Buffer.concat(run(stripInjectedUsage(), chunks))).toEqual(once);
      if (!bytes.includes('"usage"')) expect(once).toEqual(bytes);
    }),
  );
});

const FIXTURES = join(import.meta.dirname, '../../../fixtures/replies/chat-completions');
const streams = readdirSync(FIXTURES).filter((name) => name.endsWith('.sse'));

test.each(streams)('%s: every other chunk stays the same', (name) => {
  const text = readFileSync(join(FIXTURES, name), 'utf8');
  const chunks = (of: string): string[] => of.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
  const expected = chunks(text).flatMap((line) => {
    const { usage, ...rest } = JSON.parse(line.slice(6));
    if (usage && rest.choices?.length === 0) return [];
    return [usage ? { ...rest, usage } : rest];
  });
  expect(chunks(hidden(text)).map((line) => JSON.parse(line.slice(6)))).toEqual(expected);
});
