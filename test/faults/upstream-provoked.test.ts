/** What a caller can make upstreams answer by its own request: others are served by them as before. */

import { expect, test } from 'vitest';
import type { Script } from '../support/fault-upstream.ts';
import { postJson } from '../support/post-json.ts';
import { good, openaiAt, usePlaces } from './upstream-places.ts';
import { wholeAnswer } from './upstream-ways.ts';

const { gatewayOf, upstreams } = usePlaces();

const page = '<html><body><h1>414 Request-URI Too Large</h1></body></html>';
const LONG = `?padding=${'x'.repeat(9_000)}`;

test.each<[string, string, Readonly<Record<string, string>>, Script]>([
  ['a query that is too long for a server in front', LONG, {}, (wire) => wire.answer(414, page)],
  [
    'a kind of answer that the vendor does not have',
    '',
    { accept: 'image/png' },
    (wire) => wire.answer(406, '{"error":{"message":"Not acceptable"}}'),
  ],
  [
    'a model that is no longer served',
    '',
    {},
    (wire) => wire.answer(410, '{"error":{"message":"It has reached its end of life."}}'),
  ],
  [
    'what the server does not support',
    '',
    {},
    (wire) => wire.answer(501, '{"error":{"code":501,"message":"No tools.","type":"not_supported_error"}}'),
  ],
  [
    'an answer in another encoding',
    '?$alt=proto',
    {},
    (wire) => wire.answer(200, Uint8Array.of(10, 4, 8, 1), { 'content-type': 'application/x-protobuf' }),
  ],
  [
    'an answer in a script',
    '?callback=f',
    {},
    (wire) => wire.answer(200, '// API callback\nf({});', { 'content-type': 'text/javascript' }),
  ],
  [
    'a part of an answer',
    '?fields=usageMetadata',
    {},
    (wire) => wire.answer(200, '{"usageMetadata":{"promptTokenCount":1}}'),
  ],
])('%s', async (_, query, headers, odd) => {
  const places = await upstreams(2);
  for (const place of places)
    place.script((wire, request) =>
      request.body.includes('odd') ? odd(wire, request) : wire.answer(200, wholeAnswer('generate-content')),
    );
  const gateway = await gatewayOf({
    vendors: { google: { upstreams: places.map(({ url }, at) => ({ baseUrl: url, apiKey: `key-${at}` })) } },
  });
  const ask = async (text: string, more = ''): Promise<number> => {
    const contents = [{ role: 'user', parts: [{ text }] }];
    const url = `${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent${more}`;
    const response = await postJson(url, { contents }, { headers });
    await response.text();
    return response.status;
  };
  const got: number[] = [];
  for (let at = 0; at < 10; at += 1) got.push(await ask('odd', query));
  expect([await ask('plain'), got.at(-1)]).toEqual([200, got.at(0)]);
});

test.each([900, 0])('a longer answer than what is left of the credit allows: %i tokens', async (left) => {
  const places = await upstreams(2);
  const message = `This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford ${left}. To increase, visit https://openrouter.ai/settings/credits`;
  for (const place of places)
    place.script((wire, request) =>
      request.body.includes('64000')
        ? wire.answer(402, JSON.stringify({ error: { message, code: 402 } }))
        : good(wire, request),
    );
  const gateway = await gatewayOf({ vendors: openaiAt(places) });
  const ask = async (tokens: number): Promise<number> => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const body = { model: 'openai/gpt-4o', max_tokens: tokens, messages };
    const response = await postJson(`${gateway.url}/v1/chat/completions`, body);
    await response.text();
    return response.status;
  };
  expect(await ask(64_000)).toBe(502);
  // Without any credit, each was asked once, and is skipped from then on.
  expect(await ask(100)).toBe(left > 0 ? 200 : 503);
});
