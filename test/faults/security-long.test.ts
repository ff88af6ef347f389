/** Inputs made to take long: keys that collide, text that almost matches. They cost as much as any other. */

import { beforeAll, describe, expect, test } from 'vitest';
import { exchange, post, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { failureBody, lateFailure } from './secrets.ts';
import { alike, costOf, requestOf, sized, useStage, ways } from './stage.ts';
import { ask, eventTexts, streamedAnswer, ways as vendorWays } from './upstream-ways.ts';

const stage = useStage();
beforeAll(() => stage.respondWith((_, response) => json(response, {})));

const [native, translated] = ways;

const send = (path: string, body: string, lines: readonly string[] = []): Promise<string> =>
  exchange(stage.gateway.port, post(path, body, [...lines, 'Connection: close']));

/** In full, as many as a body may hold: a key takes two of its 500,000 commas, colons and brackets. */
const KEYS = sized(100_000, 249_000);

const objectOf = (keyAt: (at: number) => string, count = KEYS) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [keyAt(at), 1]));

/** Keys that a hash function may well put into one bucket: numbers, and text. */
const COLLIDING: readonly ((at: number) => string)[] = [
  (at) => String(at * 65_536),
  (at) => [...at.toString(2).padStart(19, '0')].map((bit) => (bit === '1' ? 'Aa' : 'BB')).join(''),
];

/** What it costs to have an object accepted on both ways. */
async function costOfObject(properties: Record<string, number>): Promise<number> {
  const tools = [{ name: 'f', input_schema: { type: 'object', properties } }];
  const messages = [{ role: 'user', content: 'x' }];
  return costOf(stage, async () => {
    await send(translated.path, JSON.stringify({ model: translated.model, max_tokens: 9, messages, tools }));
    await send(native.path, JSON.stringify({ model: native.model, messages, properties }));
  });
}

test(`S-32 ${KEYS} keys that collide, as numbers or as text, cost no more than keys that do not`, async () => {
  const ordinary = await costOfObject(objectOf((at) => `key${at}`));
  for (const keyAt of COLLIDING) {
    const cost = await costOfObject(objectOf(keyAt));
    expect(cost).toBeLessThan(alike(ordinary));
    if (process.env['FULL'] !== undefined) console.info({ keys: KEYS, ordinary, cost });
  }
});

test('S-32 300,000 of them are more than a body may hold: refused before anything is built from them', async () => {
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

/** Text that patterns may begin to match, over and over. */
const PIECES = [
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

test.each<[where: string, path: string, body: (long: string) => object]>([
  [
    'wherever text stands in messages',
    translated.path,
    (long) => ({
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
    }),
  ],
  ['as a model', translated.path, (long) => ({ model: long, max_tokens: 9, messages: [] })],
  ...['/v1/chat/completions', '/v1/responses'].map((path): [string, string, (long: string) => object] => [
    `wherever text stands at ${path}`,
    path,
    (long) => {
      const content = [
        { type: 'text', text: long },
        { type: 'image_url', image_url: { url: long } },
        { type: 'input_text', text: long },
        { type: 'input_image', image_url: long },
      ];
      return {
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
    },
  ]),
])('S-21 text that almost matches, 100 KB of it, %s', async (_, path, body) => {
  const costOfText = (piece: string, length: number): Promise<number> =>
    costOf(stage, async () => {
      const long = piece.repeat(length / piece.length);
      expect(statusOf(await send(path, JSON.stringify(body(long))))).toBeGreaterThan(0);
    });
  for (const piece of PIECES) {
    const tenth = await costOfText(piece, 10_000);
    expect(await costOfText(piece, 100_000), JSON.stringify(piece)).toBeLessThan(alike(tenth, 10));
  }
});

test.each([
  'Authorization: Bearer ',
  'Content-Type: application/',
  'Expect: ',
  'x-request-id: ',
  'Content-Encoding: ',
  'Accept: ',
  'Connection: ',
  'Access-Control-Request-Headers: ',
])('S-21 text that almost matches, 15 KB of it, in a header: %s', async (header) => {
  const costOfPiece = (piece: string): Promise<number> =>
    costOf(stage, () =>
      send(native.path, requestOf(native, false), [header + piece.repeat(15_000 / piece.length)]),
    );
  const ordinary = await costOfPiece('a');
  for (const piece of [' ', 'a,', '-', '+', '.']) {
    expect(await costOfPiece(piece), piece).toBeLessThan(alike(ordinary));
  }
});

describe('S-40 a model name longer than 256 characters is refused before anything looks at it', () => {
  const LENGTH = 256 * 1024;
  const MARKS = '[1m]'.repeat(LENGTH / 4);
  const endpoints = [
    ['/v1/messages', ''],
    ['/v1/messages/count_tokens', ''],
    ['/v1/chat/completions', ''],
    ['/v1/responses', ''],
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'models/'],
  ] as const;
  const ask = (path: string, model: string, stream: boolean): Promise<string> =>
    send(path, JSON.stringify({ model, stream, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }));

  test.each(endpoints)(
    '%s: 512 KB that almost match cost no more than 512 KB of one letter',
    async (path, prefix) => {
      for (const stream of [false, true]) {
        const costOfName = (name: string): Promise<number> =>
          costOf(stage, () => ask(path, prefix + name, stream));
        const ordinary = await costOfName('a'.repeat(LENGTH));
        expect(await costOfName(`${MARKS}x`)).toBeLessThan(alike(ordinary));
        expect(await costOfName(`anthropic/${MARKS}`)).toBeLessThan(alike(ordinary));
      }
    },
  );

  test('the error does not show its end, and no vendor is asked', async () => {
    const before = stage.upstream.received.length;
    for (const [path, prefix] of endpoints) {
      for (const name of [
        'm'.repeat(257),
        'm'.repeat(LENGTH),
        '\u0001'.repeat(257),
        '\ud83d\ude00'.repeat(129),
      ]) {
        const answer = await ask(path, prefix + name, false);
        expect(statusOf(answer), path).toBe(prefix === '' ? 404 : 400);
        expect(answer.length).toBeLessThan(2_000);
      }
    }
    expect(stage.upstream.received.length).toBe(before);
  });
});

/** Its own connection: a kept one would count as the gateway's at the end. */
const CLOSING = { headers: { connection: 'close' } };

describe('S-42 a vendor text that almost matches costs no more than any other of 512 KB', () => {
  const PIECES = ['token count ', 'Unexpected value(s) i', 'encrypted content ', 'sk-', 'a: ', '::'];

  test.each(vendorWays)('$name: in a refusal, in the first event, in a late one', async (way) => {
    const begun = eventTexts(streamedAnswer(way.spoken)).slice(0, way.spoken === 'responses' ? 5 : 3);
    const costOfPiece = (piece: string): Promise<number> => {
      const text = piece.repeat((512 * 1024) / piece.length);
      return costOf(stage, async () => {
        stage.respondWith((_, response) => json(response, failureBody(way.spoken, text), 400));
        await (await ask(stage.gateway.url, way, false, CLOSING)).text();
        for (const before of ['', begun.join('')]) {
          stage.respondWith((_, response) =>
            response
              .writeHead(200, { 'content-type': 'text/event-stream' })
              .end(before + lateFailure(way.spoken, text)),
          );
          await (await ask(stage.gateway.url, way, true, CLOSING)).text();
        }
      });
    };
    const ordinary = await costOfPiece('a');
    for (const piece of PIECES) expect(await costOfPiece(piece), piece).toBeLessThan(alike(ordinary));
    stage.respondWith((_, response) => json(response, {}));
  });
});
