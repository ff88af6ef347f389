/** Images and files too large to be copied again and again reach a vendor of another format as they came. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { scanObject } from '../../src/lib/json-scan.ts';
import { atOnce, inTurns, type Work } from '../../src/pipeline/body/in-turns.ts';
import { lightening, restore } from '../../src/pipeline/body/large-strings.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';

/** The first bytes of a PNG file, in base64. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAA';
const SMALL = `${PNG}QUJD`;
const LARGE = `${PNG}${Buffer.from(Array.from({ length: 150_000 }, (_, at) => (at * 7919) % 251)).toString('base64')}`;

let vendor: TestUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  // What the vendor answers is of no concern here: a refusal that no repair helps against ends the request.
  vendor = await startUpstream((_, response) => json(response, { error: { message: 'Closed.' } }, 403));
  gateway = await startGateway({ generateContent: { models: 'all' }, vendors: vendorsAtUrl(vendor.url) });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const MODELS = ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash'] as const;

type Write = (model: string, data: string) => readonly [path: string, body: JsonObject];

const CALLERS: Readonly<Record<string, Write>> = {
  'chat-completions': (model, data) => [
    '/v1/chat/completions',
    {
      model,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image(data)] },
        { role: 'assistant', content: 'A dot.' },
        { role: 'user', content: [image(data), { type: 'text', text: 'And this?' }] },
      ],
    },
  ],
  responses: (model, data) => [
    '/v1/responses',
    {
      model,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' },
            { type: 'input_text', text: 'What is it?' },
          ],
        },
      ],
    },
  ],
  messages: (model, data) => [
    '/v1/messages',
    {
      model,
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    },
  ],
  'generate-content': (model, data) => [
    `/v1beta/models/${model}:generateContent`,
    {
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }, { text: 'And?' }] },
      ],
    },
  ],
};

const image = (data: string) => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${data}` },
});

/** What the vendor receives. */
async function received(path: string, body: JsonObject): Promise<string> {
  vendor.received.length = 0;
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
  });
  await answer.text();
  const [first] = vendor.received;
  expect(first, 'the vendor was asked').toBeDefined();
  return String(first?.body);
}

describe.each(Object.entries(CALLERS))('from %s', (_, write) => {
  test.each(MODELS)('a large image for %s is written as a small one is', async (model) => {
    const small = await received(...write(model, SMALL));
    const large = await received(...write(model, LARGE));
    expect(small).toContain(SMALL);
    expect(large.replaceAll(LARGE, SMALL)).toBe(small);
  });
});

test('base64url becomes base64, however large it is', async () => {
  const bytes = Buffer.alloc(150_000, 'ÿþ>?~', 'latin1');
  const data = bytes.toString('base64url');
  expect(data).toMatch(/[-_]/);
  const [path, body] = CALLERS['generate-content']?.('anthropic/claude-sonnet-4-5', data) ?? ['', {}];
  expect(await received(path, body)).toContain(`"data":"${bytes.toString('base64')}"`);
});

test('a text without spaces that is sent as a file has its own base64', async () => {
  const text = 'abcd'.repeat(40_000);
  const body = {
    model: 'google/gemini-2.5-flash',
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } }],
      },
    ],
  };
  const sent = await received('/v1/messages', body);
  expect(sent.includes(text) || sent.includes(Buffer.from(text).toString('base64'))).toBe(true);
});

test('every body comes back as it was, whatever its large strings are', () => {
  const alphabet = fc.constantFrom(...'ABCabc019+/=-_ \\"\n,:{}é');
  // V8 14.6 reads a key that is one escape as a backslash where another object of the process has that as its key.
  const key = fc.string({ unit: alphabet.filter((character) => character !== '\\'), maxLength: 5 });
  const long = fc
    .tuple(fc.string({ unit: alphabet, maxLength: 12 }), fc.constantFrom('Q', 'ab+/', 'x\n', 'é'), fc.nat(3))
    .map(([start, unit, rest]) => start + unit.repeat(70_000 + rest));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: alphabet, maxLength: 20 }),
      fc.integer(),
      long,
      fc.dictionary(key, tie('any'), { maxKeys: 3 }),
      fc.array(tie('any'), { maxLength: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (body) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const { text, large } = atOnce(lightening(bytes, scanObject(bytes)));
      const written = JSON.stringify(JSON.parse(text));
      expect(String(large === undefined ? written : restore(written, large))).toBe(String(bytes));
    }),
    { numRuns: 100 },
  );
});

test('a string that was left out is noticed', () => {
  const bytes = Buffer.from(JSON.stringify({ a: LARGE, b: LARGE }));
  const { text, large } = atOnce(lightening(bytes, scanObject(bytes)));
  const { a, b }: Record<string, string> = JSON.parse(text);
  expect(large?.middles).toHaveLength(2);
  expect(large && restore(JSON.stringify({ a }), large)).toBeUndefined();
  expect(String(large && restore(JSON.stringify({ b, again: b, a }), large))).toBe(
    JSON.stringify({ b: LARGE, again: LARGE, a: LARGE }),
  );
});

describe('work in turns', () => {
  function* work(fails: boolean): Work<number> {
    yield;
    yield;
    if (fails) throw new Error('It fails.');
    return 3;
  }

  test('lets everything else have its turn between the steps', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      if (turns < 10) setImmediate(count);
    };
    setImmediate(count);
    expect(await inTurns(work(false))).toBe(3);
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(atOnce(work(false))).toBe(3);
  });

  test('fails as the work does', async () => {
    await expect(inTurns(work(true))).rejects.toThrow('It fails.');
    expect(() => atOnce(work(true))).toThrow('It fails.');
  });
});
