/** Requests of one session go to one upstream of several, where their prompts are cached. */

import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { JsonObject } from '../../src/json.ts';
import { good, openaiAt, status, usePlaces } from '../faults/upstream-places.ts';
import type { FaultUpstream } from '../support/fault-upstream.ts';
import { KEY, type TestGateway } from '../support/gateway.ts';

const vendors = usePlaces();

async function upstreams(count: number): Promise<FaultUpstream[]> {
  const made = await vendors.upstreams(count);
  for (const each of made) each.script(good);
  return made;
}

const gatewayOf = (places: readonly FaultUpstream[], more: ConfigInput = {}): Promise<TestGateway> =>
  vendors.gatewayOf({ vendors: openaiAt(places), ...more });

type Asked = [path: string, body: JsonObject, headers?: Record<string, string>];

async function ask({ url }: TestGateway, [path, body, headers]: Asked, key = KEY): Promise<number> {
  const response = await fetch(url + path, {
    method: 'POST',
    body: JSON.stringify({ model: 'openai/gpt-4.1', ...body }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
  });
  await response.text();
  return response.status;
}

const messages = [{ role: 'user', content: 'Hi' }];
const chat = '/v1/chat/completions';

/** How a caller names its session. */
const ways: [name: string, of: (session: string) => Asked][] = [
  ['prompt_cache_key', (session) => [chat, { messages, prompt_cache_key: session }]],
  [
    'prompt_cache_key of responses',
    (session) => ['/v1/responses', { input: 'Hi', prompt_cache_key: session }],
  ],
  ['session_id, as OpenRouter has it', (session) => [chat, { messages, session_id: session }]],
  [
    "Anthropic's metadata.user_id",
    (session) => [
      '/v1/messages',
      { messages, max_tokens: 10, metadata: { user_id: JSON.stringify({ session_id: session }) } },
    ],
  ],
  ...[
    'x-session-id',
    'x-litellm-session-id',
    'x-session-affinity',
    'x-opencode-session',
    'X-Claude-Code-Session-Id',
    'session-id',
    'session_id',
    'x-grok-conv-id',
  ].map((name): [string, (session: string) => Asked] => [
    name,
    (session) => [chat, { messages }, { [name]: session }],
  ]),
];

/** Which of them were asked, in turn. */
function asked(places: readonly FaultUpstream[]): number[] {
  return places.map(({ requests }) => requests.length);
}

describe('checklist 221: several upstreams', () => {
  test.each(ways)('a session that %s names stays at one of them', async (_, of) => {
    const places = await upstreams(3);
    const gateway = await gatewayOf(places);
    const used = new Set<string>();
    for (let at = 0; at < 12; at += 1) {
      for (const place of places) place.requests.length = 0;
      for (let turn = 0; turn < 3; turn += 1) await ask(gateway, of(`session-${at}`));
      expect(asked(places).sort()).toEqual([0, 0, 3]);
      used.add(`${places.findIndex(({ requests }) => requests.length > 0)}`);
    }
    expect(used.size).toBe(3);
  });

  test('requests of no session take turns, also where what names one is none', async () => {
    const places = await upstreams(3);
    const gateway = await gatewayOf(places);
    for (const body of [
      {},
      { prompt_cache_key: '' },
      { prompt_cache_key: null, metadata: null },
      { metadata: { user_id: 7 } },
      { prompt_cache_key: 'k'.repeat(5_000) },
    ]) {
      for (const place of places) place.requests.length = 0;
      for (let at = 0; at < 3; at += 1)
        await ask(gateway, [chat, { messages, ...body }, { 'x-session-id': '' }]);
      expect(asked(places)).toEqual([1, 1, 1]);
    }
  });

  test('all processes say the same of a session', async () => {
    const places = await upstreams(3);
    const [one, other] = [await gatewayOf(places), await gatewayOf([...places])];
    for (let at = 0; at < 6; at += 1) {
      for (const place of places) place.requests.length = 0;
      for (const gateway of [one, other])
        await ask(gateway, [chat, { messages, prompt_cache_key: `s${at}` }]);
      expect(asked(places).sort()).toEqual([0, 0, 2]);
    }
  });

  test('the same name is another session where the key is another', async () => {
    const places = await upstreams(3);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const gateway = await gatewayOf(places, { keys: names.map((name) => ({ name, key: `key-of-${name}` })) });
    for (const name of names)
      await ask(gateway, [chat, { messages, prompt_cache_key: 'k' }], `key-of-${name}`);
    expect(asked(places).filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  test('where its upstream fails, or is over its limit, a session goes on at another', async () => {
    const places = await upstreams(2);
    const gateway = await gatewayOf(places);
    const turn: Asked = [chat, { messages, prompt_cache_key: 'k' }];
    expect(await ask(gateway, turn)).toBe(200);
    const home = places.find(({ requests }) => requests.length > 0);
    const away = places.find((place) => place !== home);
    home?.script(status(429, { 'retry-after': '30' }));
    expect(await ask(gateway, turn)).toBe(200);
    expect(await ask(gateway, turn)).toBe(200);
    expect([home?.requests.length, away?.requests.length]).toEqual([2, 2]);
  });
});
