/** Requests of one session go to the same one of several upstreams, where their prompts are cached. */

import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { good, openaiAt, status, usePlaces } from '../faults/upstream-places.ts';
import type { FaultUpstream } from '../support/fault-upstream.ts';
import { KEY, type TestGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';

const vendors = usePlaces();

async function upstreams(count: number): Promise<FaultUpstream[]> {
  const made = await vendors.upstreams(count);
  for (const each of made) each.script(good);
  return made;
}

const gatewayOf = (places: readonly FaultUpstream[], more: ConfigInput = {}): Promise<TestGateway> =>
  vendors.gatewayOf({ vendors: openaiAt(places), ...more });

type Asked = [path: string, body: JsonObject, headers?: Record<string, string>];

async function ask({ url }: TestGateway, [path, body, headers = {}]: Asked, key = KEY): Promise<number> {
  const response = await postJson(url + path, { model: 'openai/gpt-4.1', ...body }, { key, headers });
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

/** Which of them were asked, in order. */
function asked(places: readonly FaultUpstream[]): number[] {
  return places.map(({ requests }) => requests.length);
}

describe('checklist 221: several upstreams', () => {
  test.each(ways)('a session named by %s stays at one of them', async (_, of) => {
    const places = await upstreams(3);
    const gateway = await gatewayOf(places);
    const used = new Set<string>();
    // A dozen sessions leave out one of three in every fortieth run: their distribution depends on the ports.
    for (let at = 0; at < 36; at += 1) {
      for (const place of places) place.requests.length = 0;
      for (let turn = 0; turn < 3; turn += 1) await ask(gateway, of(`session-${at}`));
      expect(asked(places).sort()).toEqual([0, 0, 3]);
      used.add(`${places.findIndex(({ requests }) => requests.length > 0)}`);
    }
    expect(used.size).toBe(3);
  });

  /** A dialogue of some turns, in each format, that begins with the given word. */
  const said = (first: string, turns: number): readonly Asked[] => {
    const list = Array.from({ length: turns }, (_, at) => [
      ...(at === 0 ? [] : [{ role: 'assistant', content: `Answer ${at}` }]),
      { role: 'user', content: at === 0 ? first : `Question ${at}` },
    ]).flat();
    const instructed = [{ role: 'system', content: `It is ${turns} o'clock.` }, ...list];
    const calls = Array.from({ length: turns - 1 }, (_, at) => [
      { type: 'function_call', call_id: `c${at}`, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: `c${at}`, output: 'x' },
    ]).flat();
    return [
      [chat, { messages: instructed }],
      ['/v1/responses', { input: [{ role: 'user', content: first }, ...calls] }],
      ['/v1/messages', { model: 'openai/gpt-4.1', messages: list, max_tokens: 10 }],
    ];
  };

  test.each([0, 1, 2])(
    'checklist 250: a dialogue without a session id stays at one of them once it continues (%d)',
    async (way) => {
      const places = await upstreams(3);
      const gateway = await gatewayOf(places);
      const used = new Set<string>();
      // Their ports decide which upstream a dialogue gets: with so many, one that gets none is one case in millions.
      for (let at = 0; at < 40; at += 1) {
        for (const place of places) place.requests.length = 0;
        for (const turns of [2, 3, 5]) {
          const turn = said(`Dialogue ${at}`, turns)[way];
          if (turn !== undefined) await ask(gateway, turn);
        }
        expect(asked(places).sort()).toEqual([0, 0, 3]);
        used.add(`${places.findIndex(({ requests }) => requests.length > 0)}`);
      }
      expect(used.size).toBe(3);
      // New dialogues take turns, however often they are the same.
      for (const place of places) place.requests.length = 0;
      const [begun] = said('Dialogue 0', 1);
      for (let at = 0; at < 3; at += 1) if (begun !== undefined) await ask(gateway, begun);
      expect(asked(places)).toEqual([1, 1, 1]);
    },
  );

  test('checklist 250: so does a dialogue of Gemini', async () => {
    const places = await upstreams(3);
    const at = places.map(({ url }, place) => ({ baseUrl: url, apiKey: `vendor-key-${place}` }));
    const gateway = await vendors.gatewayOf({ vendors: { google: { upstreams: at } } });
    const say = (role: string, text: string): JsonObject => ({ role, parts: [{ text }] });
    const contents = [say('user', 'Hi'), say('model', 'Hello.'), say('user', 'Well?')];
    for (const more of [[], [say('model', 'Well.'), say('user', 'And?')]]) {
      const response = await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
        method: 'POST',
        body: JSON.stringify({ contents: [...contents, ...more] }),
        headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
      });
      await response.text();
    }
    expect(asked(places).sort()).toEqual([0, 0, 2]);
  });

  test('requests without a session take turns, also if their session id is invalid', async () => {
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

  test('all processes choose the same upstream for a session', async () => {
    const places = await upstreams(3);
    const [one, other] = [await gatewayOf(places), await gatewayOf([...places])];
    for (let at = 0; at < 6; at += 1) {
      for (const place of places) place.requests.length = 0;
      for (const gateway of [one, other])
        await ask(gateway, [chat, { messages, prompt_cache_key: `s${at}` }]);
      expect(asked(places).sort()).toEqual([0, 0, 2]);
    }
  });

  test('the same name is another session for another key', async () => {
    const places = await upstreams(3);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const gateway = await gatewayOf(places, { keys: names.map((name) => ({ name, key: `key-of-${name}` })) });
    for (const name of names)
      await ask(gateway, [chat, { messages, prompt_cache_key: 'k' }], `key-of-${name}`);
    expect(asked(places).filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  test('if its upstream fails, or is over its limit, a session continues at another', async () => {
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
