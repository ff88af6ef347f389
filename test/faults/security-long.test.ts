/** Inputs made to take long: keys that collide, text that almost matches. They take as long as any other. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange, post, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { openStage, requestOf, type Stage, sized, ways } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.respondWith((_, response) => json(response, {}));
});
afterAll(async () => {
  await stage.expectUnharmed();
  await stage.close();
});

const [native, translated] = ways;

const send = (path: string, body: string, lines: readonly string[] = []): Promise<string> =>
  exchange(stage.gateway.port, post(path, body, [...lines, 'Connection: close']));

/** Milliseconds, on the slowest of machines; what backtracks takes minutes. */
const BOUND = 10_000;

/** In full as many as a body may hold: a key is two of its 500,000 commas, colons and brackets. */
const KEYS = sized(100_000, 249_000);

const objectOf = (keyAt: (at: number) => string, count = KEYS) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [keyAt(at), 1]));

/** Keys that a hash function may well put into one place: of numbers, and of text. */
const COLLIDING: readonly ((at: number) => string)[] = [
  (at) => String(at * 65_536),
  (at) => [...at.toString(2).padStart(19, '0')].map((bit) => (bit === '1' ? 'Aa' : 'BB')).join(''),
];

/** How long it takes to have an object taken on both ways. */
async function timeOf(properties: Record<string, number>): Promise<number> {
  const tools = [{ name: 'f', input_schema: { type: 'object', properties } }];
  const messages = [{ role: 'user', content: 'x' }];
  const started = performance.now();
  await send(translated.path, JSON.stringify({ model: translated.model, max_tokens: 9, messages, tools }));
  await send(native.path, JSON.stringify({ model: native.model, messages, properties }));
  return performance.now() - started;
}

test(`S-32 ${KEYS} keys that collide, as numbers or as text, take no longer than keys that do not`, {
  timeout: 120_000,
}, async () => {
  const ordinary = await timeOf(objectOf((at) => `key${at}`));
  for (const keyAt of COLLIDING) {
    const took = await timeOf(objectOf(keyAt));
    expect(took).toBeLessThan(5 * ordinary + 1_000);
    if (process.env['FULL'] !== undefined) console.info({ keys: KEYS, ordinary, took });
  }
});

test('S-32 300,000 of them are more than a body may hold: refused before anything is made of them', {
  timeout: 60_000,
}, async () => {
  const before = stage.upstream.received.length;
  for (const keyAt of COLLIDING) {
    const body = JSON.stringify({ model: native.model, messages: [], x: objectOf(keyAt, 300_000) });
    for (const { path } of ways) {
      const answer = await send(path, body);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('JSON tokens');
    }
  }
  expect(stage.upstream.received.length).toBe(before);
});

test('S-21 text that almost matches, 100 KB of it, wherever text is looked at', {
  timeout: 120_000,
}, async () => {
  const pieces = [
    'a',
    ' ',
    '\n',
    '\t ',
    '"',
    '\\',
    '/',
    '{',
    '<think>',
    'data:image/png;base64,',
    '```json',
    '%',
    '.',
    '-',
    '0',
    'é',
    '=',
    '&',
    ';',
    'aA0_',
    '$ref',
    'call_',
    '\u0000',
  ];
  for (const piece of pieces) {
    const long = piece.repeat(100_000 / piece.length);
    const bodies = [
      {
        model: translated.model,
        max_tokens: 9,
        system: long,
        messages: [
          { role: 'user', content: long },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: long, name: long, input: { [long]: long } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: long, content: long }] },
          { role: 'user', content: [{ type: 'image', source: { type: 'url', url: long } }] },
        ],
        tools: [{ name: long, description: long, input_schema: { type: long, pattern: long, $ref: long } }],
        stop_sequences: [long],
        metadata: { user_id: long },
      },
      { model: long, max_tokens: 9, messages: [] },
    ];
    for (const body of bodies) {
      const started = performance.now();
      expect(statusOf(await send(translated.path, JSON.stringify(body)))).toBeGreaterThan(0);
      expect(performance.now() - started, JSON.stringify(piece)).toBeLessThan(BOUND);
    }
  }
  for (const path of ['/v1/chat/completions', '/v1/responses']) {
    for (const piece of pieces) {
      const long = piece.repeat(100_000 / piece.length);
      const content = [
        { type: 'text', text: long },
        { type: 'image_url', image_url: { url: long } },
        { type: 'input_text', text: long },
        { type: 'input_image', image_url: long },
      ];
      const body = {
        model: 'google/gemini-2.5-pro',
        messages: [
          { role: 'user', content, name: long },
          { role: 'tool', tool_call_id: long, content: long },
        ],
        input: [
          { role: 'user', content },
          { type: 'function_call_output', call_id: long, output: long },
        ],
        user: long,
        response_format: { type: 'json_schema', json_schema: { name: long, schema: { pattern: long } } },
      };
      const started = performance.now();
      await send(path, JSON.stringify(body));
      expect(performance.now() - started, JSON.stringify(piece)).toBeLessThan(BOUND);
    }
  }
  for (const header of [
    'Authorization: Bearer ',
    'Content-Type: application/',
    'Expect: ',
    'x-request-id: ',
    'Content-Encoding: ',
    'Accept: ',
    'Connection: ',
    'Access-Control-Request-Headers: ',
  ]) {
    for (const piece of ['a', ' ', 'a,', '-', '+', '.']) {
      const started = performance.now();
      await send(native.path, requestOf(native, false), [header + piece.repeat(15_000 / piece.length)]);
      expect(performance.now() - started).toBeLessThan(BOUND);
    }
  }
});
