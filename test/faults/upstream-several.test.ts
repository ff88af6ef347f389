/** Several upstreams of one vendor: which one is asked, and which one is ejected. */

import { describe, expect, test } from 'vitest';
import type { FaultRequest, Script } from '../support/fault-upstream.ts';
import { KEY, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { eventually } from '../support/raw.ts';
import { useStoppedClock } from '../support/stopped-clock.ts';
import {
  chat,
  dead,
  good,
  openaiAt,
  slowPage,
  status,
  statuses,
  toOpenAI,
  usePlaces,
  waiting,
} from './upstream-places.ts';
import { ask, isFinished, native, streamedAnswer, wholeAnswer } from './upstream-ways.ts';

const { gatewayOf, upstreams } = usePlaces();
const clock = useStoppedClock();

/** For how long an upstream is ejected, and a time longer than that with any jitter. */
const EJECTED = 60_000;
const OVER = 1.2 * EJECTED;

/** Two upstreams that answer `code` to a text with "poison", and a way to ask them by the key of one caller or another. */
async function withPoison(code: number) {
  const places = await upstreams(2);
  const script: Script = (wire, request) => {
    const answer = request.body.includes('poison') ? status(code) : good;
    return answer(wire, request);
  };
  for (const place of places) place.script(script);
  const keys = ['gw_key_one', 'gw_key_other'].map((key) => ({ key, name: key }));
  const gateway = await gatewayOf({ vendors: openaiAt(places), keys });
  const asked = async (key: string, text: string): Promise<number> => {
    const body = JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: text }] });
    const headers = { authorization: `Bearer ${key}` };
    const response = await ask(gateway.url, chat, false, { body, headers });
    await response.text();
    return response.status;
  };
  return { places, asked };
}

describe('several upstreams', () => {
  test('take turns, and each is sent its own key', async () => {
    const places = await upstreams(3);
    for (const place of places) place.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    await statuses(gateway, 9);
    expect(places.map(({ requests }) => requests.length)).toEqual([3, 3, 3]);
    for (const [at, { requests }] of places.entries()) {
      for (const { head } of requests) expect(head).toContain(`Bearer vendor-key-${at}\r\n`);
    }
  });

  test('the least busy one is asked, in proportion to its weight', async () => {
    const places = await upstreams(2);
    const held: (() => void)[] = [];
    for (const place of places) place.script((wire) => void held.push(() => wire.answer(200, '{}')));
    const [first, second] = places;
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          upstreams: [
            { baseUrl: `${first?.url}/v1`, apiKey: 'a', weight: 3 },
            { baseUrl: `${second?.url}/v1`, apiKey: 'b' },
          ],
        },
      },
    });
    const asked: Promise<Response>[] = [];
    for (let at = 1; at <= 8; at += 1) {
      asked.push(ask(gateway.url, chat, false));
      await eventually(() => held.length === at, 'it is sent');
    }
    expect(places.map(({ requests }) => requests.length)).toEqual([6, 2]);
    for (const answer of held) answer();
    for (const response of await Promise.all(asked)) await response.text();
  });

  test('one request at a time: each is asked in proportion to its weight', async () => {
    const places = await upstreams(3);
    for (const place of places) place.script(good);
    const weights = [3, 1, 2];
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          upstreams: places.map(({ url }, at) => ({
            baseUrl: `${url}/v1`,
            apiKey: 'a',
            weight: weights[at] ?? 1,
          })),
        },
      },
    });
    await statuses(gateway, 12);
    expect(places.map(({ requests }) => requests.length)).toEqual([6, 2, 4]);
  });

  test('the vendor’s own key is one of them', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(good);
    const [own, other] = places;
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          baseUrl: `${own?.url}/v1`,
          apiKey: 'own',
          upstreams: [{ baseUrl: `${other?.url}/v1`, apiKey: 'other' }],
        },
      },
    });
    await statuses(gateway, 4);
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  test('what fails for one caller alone takes no upstream from the others', async () => {
    const { places, asked } = await withPoison(500);
    for (let at = 0; at < 10; at += 1)
      expect(await asked('gw_key_one', 'poison')).toBeGreaterThanOrEqual(500);
    const sent = places.reduce((sum, { requests }) => sum + requests.length, 0);
    // Five at each of the two: it has been skipped for this caller since.
    expect(sent).toBe(10);
    expect(await asked('gw_key_one', 'hello')).toBe(503);
    expect([await asked('gw_key_other', 'hello'), await asked('gw_key_other', 'hello')]).toEqual([200, 200]);
    expect(await asked('gw_key_one', 'hello')).toBe(200);
  });

  test('one that takes its own key for wrong, for one caller alone, is tried for the others', async () => {
    const { places, asked } = await withPoison(401);
    expect(await asked('gw_key_one', 'poison')).toBe(502);
    // Each was asked once, and is skipped for this caller at once.
    expect([await asked('gw_key_one', 'hello'), places.map(({ requests }) => requests.length)]).toEqual([
      503,
      [1, 1],
    ]);
    expect([await asked('gw_key_other', 'hello'), await asked('gw_key_other', 'hello')]).toEqual([200, 200]);
  });

  test('what fails for two callers is skipped for all', async () => {
    const [place] = await upstreams(1);
    place?.script(status(500));
    const keys = ['gw_key_one', 'gw_key_other', 'gw_key_third'].map((key) => ({ key, name: key }));
    const vendors = openaiAt(place ? [place] : []);
    const gateway = await gatewayOf({ vendors, keys, ejection: { lone: true }, retries: { limit: 0 } });
    const asked = async (key: string): Promise<void> => {
      const headers = { authorization: `Bearer ${key}` };
      await (await ask(gateway.url, chat, false, { headers })).text();
    };
    for (let at = 0; at < 6; at += 1) await asked('gw_key_one');
    expect(place?.requests.length).toBe(5);
    await asked('gw_key_other');
    expect(place?.requests.length).toBe(6);
    for (const key of ['gw_key_one', 'gw_key_other', 'gw_key_third']) await asked(key);
    expect(place?.requests.length).toBe(6);
  });

  test.each([
    ['as long as it asks', { 'retry-after-ms': '400' }, 400],
    ['a second if it does not say how long', {}, 1_000],
  ])('one that is over its limit rests for %s, while others work', async (_, headers, rest) => {
    const places = await upstreams(2);
    const [limited, other] = places;
    limited?.script(status(429, headers), good);
    other?.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    clock.stop();
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    clock.advance(rest - 1);
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    expect(limited?.requests).toHaveLength(1);
    clock.advance(1);
    await statuses(gateway, 4);
    expect(limited?.requests.length).toBeGreaterThan(1);
  });

  test.each([
    ['natively', chat],
    ['translated', toOpenAI],
  ])('one whose stream begins with a rate limit error, and stays open, rests too: %s', async (_, way) => {
    const places = await upstreams(2);
    const [limited, other] = places;
    const error = { message: 'Rate limit reached.', type: 'rate_limit_error', code: 'rate_limit_exceeded' };
    limited?.script((wire) => {
      wire.stream([`data: ${JSON.stringify({ error })}\n\n`], { 'retry-after': '60' });
    });
    other?.script((wire) => wire.wholeStream([streamedAnswer('chat-completions')]));
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    for (let at = 0; at < 6; at += 1) {
      const response = await ask(gateway.url, way, true);
      expect(isFinished(way.format, await response.text())).toBe(true);
    }
    expect(limited?.requests).toHaveLength(1);
  });

  test('one that is over the limit of one model is asked for all others', async () => {
    const places = await upstreams(2);
    for (const place of places) {
      place.script((wire, request) => {
        const isLimited = request.body.includes('"gpt-4o"') && place === places[0];
        return (isLimited ? status(429, { 'retry-after': '3600' }) : good)(wire, request);
      });
    }
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    expect(places.map(({ requests }) => requests.length)).toEqual([1, 6]);
    expect(await statuses(gateway, 4, 'openai/gpt-4.1')).toEqual(Array(4).fill(200));
    expect(places.map(({ requests }) => requests.length)).toEqual([3, 8]);
  });

  test.each([
    ['counting tokens', '/v1/messages/count_tokens', '/v1/messages'],
    ['answers', '/v1/messages', '/v1/messages/count_tokens'],
  ])('one that is over the limit of %s is asked for the other of the two', async (_, limited, other) => {
    const places = await upstreams(2);
    for (const place of places) {
      place.script((wire, request) => {
        const isLimited = request.path === limited && place === places[0];
        const answer = { ...JSON.parse(wholeAnswer('messages')), input_tokens: 9 };
        return isLimited
          ? status(429, { 'retry-after': '3600' })(wire, request)
          : wire.answer(200, JSON.stringify(answer));
      });
    }
    const gateway = await gatewayOf({
      vendors: {
        anthropic: { upstreams: places.map(({ url }) => ({ baseUrl: url, apiKey: 'vendor-key' })) },
      },
    });
    const claude = native.find(({ format }) => format === 'messages') ?? chat;
    const askAt = async (path: string): Promise<number> => {
      const response = await ask(gateway.url, { ...claude, path: () => path }, false);
      await response.text();
      return response.status;
    };
    const paths = [limited, limited, limited, other, other];
    for (const path of paths) expect(await askAt(path)).toBe(200);
    const [first, second] = places.map(({ requests }) => requests.map(({ path }) => path));
    expect(first).toEqual([limited, other]);
    expect(second).toEqual([limited, limited, limited, other]);
  });

  test('what failed at one is retried at another, however much larger its weight is', async () => {
    const places = await upstreams(2);
    const [often, seldom] = places;
    often?.script(status(503));
    seldom?.script(good);
    const gateway = await gatewayOf({
      vendors: {
        openai: {
          upstreams: places.map(({ url }, at) => ({
            baseUrl: `${url}/v1`,
            apiKey: 'vendor-key',
            weight: at === 0 ? 900 : 1,
          })),
        },
      },
      retries: { limit: 1 },
      ejection: { failures: 0 },
    });
    expect(await statuses(gateway, 9)).toEqual(Array(9).fill(200));
    expect(often?.requests).toHaveLength(9);
  });

  test('if all are over their limits, the requested wait is kept', async () => {
    const places = await upstreams(2);
    for (const place of places) {
      let over = Number.POSITIVE_INFINITY;
      place.script((wire, request) => {
        over = Math.min(over, request.receivedAt + 300);
        const wait = `${Math.ceil(Math.max(1, over - performance.now()))}`;
        return (performance.now() < over ? status(429, { 'retry-after-ms': wait }) : good)(wire, request);
      });
    }
    const gateway = await gatewayOf({ vendors: openaiAt(places), retries: { limit: 2 } });
    expect(await statuses(gateway, 1)).toEqual([200]);
    expect(places.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(3);
  });

  test('if the keys of all are refused, the caller gets the error, and each was asked once', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(status(401));
    const gateway = await gatewayOf({ vendors: openaiAt(places), retries: { limit: 2 } });
    expect(await statuses(gateway, 1)).toEqual([502]);
    expect(places.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  test.each([401, 403])('one whose key may not count tokens (%s) is not ejected for it', async (code) => {
    const places = await upstreams(2);
    for (const place of places)
      place.script((wire, request) =>
        request.head.includes('/input_tokens') ? status(code)(wire, request) : good(wire, request),
      );
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 1 } });
    for (let at = 0; at < 4; at += 1) {
      const counted = await postJson(`${gateway.url}/v1/responses/input_tokens`, {
        model: 'openai/gpt-4o',
        input: 'Hi',
      });
      expect(counted.status).toBe(502);
      await counted.text();
      expect(await statuses(gateway, 2)).toEqual([200, 200]);
    }
  });

  test('one that refuses a text with a 403 is not ejected for it', async () => {
    const places = await upstreams(2);
    const body = '{"error":"Content violates usage guidelines. Team: 1, API key ID: 2, Model: grok-4"}';
    for (const place of places) place.script((wire) => wire.answer(403, body), good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    const refused = await ask(gateway.url, chat, false);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toBe(
      '{"error":"Content violates usage guidelines. [hidden], Model: grok-4"}',
    );
    expect(await statuses(gateway, 3)).toEqual([403, 200, 200]);
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  test('one whose key may not count tokens is not asked for the next counts, and answers meanwhile', async () => {
    const places = await upstreams(2);
    const [first, second] = places;
    const isCount = ({ path }: FaultRequest): boolean => path.endsWith('/input_tokens');
    const counted: Script = (wire) => wire.answer(200, '{"object":"response.input_tokens","input_tokens":3}');
    first?.script((wire, request) =>
      isCount(request)
        ? wire.answer(403, '{"error":{"message":"Missing scopes: api.responses.write"}}')
        : good(wire, request),
    );
    second?.script((wire, request) => (isCount(request) ? counted : good)(wire, request));
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    for (let at = 0; at < 6; at += 1) {
      const answer = await postJson(`${gateway.url}/v1/responses/input_tokens`, {
        model: 'openai/gpt-4o',
        input: 'Hi',
      });
      expect(answer.status).toBe(200);
      await answer.text();
      expect(await statuses(gateway, 1)).toEqual([200]);
    }
    expect(first?.requests.filter(isCount)).toHaveLength(1);
    expect(first?.requests.length).toBeGreaterThan(3);
  });

  test('one whose account may not use a model is not ejected: another one answers, or the caller gets a 404', async () => {
    const places = await upstreams(2);
    const body =
      '{"error":{"message":"Project `proj_1` does not have access to model `x`","code":"model_not_found"}}';
    for (const place of places) place.script((wire) => wire.answer(403, body));
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    const refused = await ask(gateway.url, chat, false);
    expect(refused.status).toBe(404);
    expect(await refused.text()).not.toContain('proj_1');
    places[1]?.script(good);
    expect(await statuses(gateway, 6)).toEqual(Array(6).fill(200));
    expect(places[0]?.requests.length).toBeGreaterThan(2);
  });

  test('one that refuses its key with a 403 is ejected once it refuses everything', async () => {
    const places = await upstreams(2);
    const [first, second] = places;
    const body = '{"error":{"code":403,"message":"The caller does not have permission"}}';
    let turn = 0;
    first?.script((wire, request) => {
      turn += 1;
      return turn % 2 === 0 ? wire.answer(403, body) : good(wire, request);
    });
    second?.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    // An odd number of turns for each, so that the last answer of the first one is good.
    expect(await statuses(gateway, 22)).toEqual(Array(22).fill(200));
    expect(first?.requests.length).toBeGreaterThan(6);
    first?.script((wire) => wire.answer(403, body));
    const before = first?.requests.length ?? 0;
    expect(await statuses(gateway, 20)).toEqual(Array(20).fill(200));
    expect(first?.requests.length).toBe(before + 5);
  });

  test.each(['GenerateRequestsPerDayPerProjectPerModel-FreeTier', 'x_tokens_per_model_per_day'])(
    'one whose quota of the day for a model is used up serves its other models: %s',
    async (quotaId) => {
      const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] }];
      const body = JSON.stringify({
        error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details },
      });
      const answered: Script = (wire) => wire.answer(200, wholeAnswer('generate-content'));
      const usedUp: Script = (wire, request) =>
        isForPro(request) ? wire.answer(429, body) : answered(wire, request);
      const isForPro = ({ head }: FaultRequest): boolean => head.includes('gemini-2.5-pro');
      for (const left of [false, true]) {
        const places = await upstreams(2);
        const [first, second] = places;
        first?.script(usedUp);
        second?.script(left ? answered : usedUp);
        const gateway = await gatewayOf({
          vendors: {
            google: { upstreams: places.map(({ url }, at) => ({ baseUrl: url, apiKey: `key-${at}` })) },
          },
        });
        const asked = async (model: string): Promise<number> => {
          const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
          const url = `${gateway.url}/v1beta/models/${model}:generateContent`;
          const response = await postJson(url, { contents });
          await response.text();
          return response.status;
        };
        for (let at = 0; at < 4; at += 1) {
          expect(await asked('gemini-2.5-pro')).toBe(left ? 200 : 429);
          expect(await asked('gemini-2.5-flash')).toBe(200);
        }
        if (!left) continue;
        expect(first?.requests.filter(isForPro)).toHaveLength(1);
        expect(first?.requests.length).toBeGreaterThan(1);
      }
    },
  );

  test.each([
    ['that its caller has set answers others', { 'x-server-timeout': '1' }, 200],
    ['of its own is ejected', {}, 503],
  ])('one that gives up after a time %s', async (_, headers, expected) => {
    const places = await upstreams(2);
    const late: Script = (wire) =>
      wire.answer(504, '{"error":{"code":504,"message":"Deadline expired.","status":"DEADLINE_EXCEEDED"}}');
    const answered: Script = (wire) => wire.answer(200, wholeAnswer('generate-content'));
    for (const place of places)
      place.script((wire, request) =>
        request.body.includes('slow') ? late(wire, request) : answered(wire, request),
      );
    const gateway = await gatewayOf({
      vendors: {
        google: { upstreams: places.map(({ url }, at) => ({ baseUrl: url, apiKey: `key-${at}` })) },
      },
    });
    const asked = async (text: string, more = {}): Promise<number> => {
      const contents = [{ role: 'user', parts: [{ text }] }];
      const url = `${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent`;
      const response = await postJson(url, { contents }, { headers: more });
      await response.text();
      return response.status;
    };
    for (let at = 0; at < 10; at += 1) expect(await asked('slow', headers)).toBe(504);
    expect(await asked('quick')).toBe(expected);
  });

  test('one whose key is refused, or has no money left, is ejected at once', async () => {
    for (const body of [
      status(401),
      ((wire) =>
        wire.answer(
          429,
          '{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}',
        )) satisfies Script,
    ]) {
      const places = await upstreams(2);
      const [refused, other] = places;
      refused?.script(body);
      other?.script(good);
      const gateway = await gatewayOf({ vendors: openaiAt(places) });
      expect(await statuses(gateway, 10)).toEqual(Array(10).fill(200));
      expect(refused?.requests).toHaveLength(1);
    }
  });
});

describe('U-39 one of three upstreams', () => {
  test('is dead: callers do not notice; it is ejected after five failures, and asked again when the ejection is over', async () => {
    const places = await upstreams(3);
    const [first, ...others] = places;
    first?.script(dead);
    for (const place of others) place.script(good);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      ejection: { duration: EJECTED, longest: EJECTED },
    });
    clock.stop();
    const got = await statuses(gateway, 60);
    expect(got.filter((code) => code !== 200)).toEqual([]);
    expect(first?.requests).toHaveLength(5);
    // Still dead: one request probes it.
    clock.advance(OVER);
    expect(await statuses(gateway, 12)).toEqual(Array(12).fill(200));
    expect(first?.requests).toHaveLength(6);
    // Healthy again.
    first?.script(good);
    clock.advance(OVER);
    await statuses(gateway, 30);
    expect(first?.requests.length).toBeGreaterThan(6 + 5);
  });

  test('fails every second time: it is ejected for its failure rate, the others are not', async () => {
    const places = await upstreams(3);
    const [first, ...others] = places;
    let turn = 0;
    first?.script((wire, request) => {
      turn += 1;
      return (turn % 3 === 0 ? good : status(503))(wire, request);
    });
    for (const place of others) place.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 100, requests: 20 } });
    const got = await statuses(gateway, 150);
    expect(got.filter((code) => code !== 200)).toEqual([]);
    expect(first?.requests).toHaveLength(20);
  });

  test('is slow: most work goes to the others', async () => {
    const places = await upstreams(3);
    const [first, ...others] = places;
    const asked = (): number => places.reduce((sum, { requests }) => sum + requests.length, 0);
    const total = 160;
    // It takes as long as the others take for twenty requests.
    first?.script(async (wire, request) => {
      const begun = asked();
      await eventually(() => asked() >= Math.min(total, begun + 20), 'the others are asked');
      return good(wire, request);
    });
    for (const place of others) place.script(good);
    const gateway = await gatewayOf({ vendors: openaiAt(places) });
    let left = total;
    const caller = async (): Promise<void> => {
      while (left-- > 0) expect(await statuses(gateway, 1)).toEqual([200]);
    };
    await Promise.all(Array.from({ length: 4 }, caller));
    expect(asked()).toBe(total);
    expect((first?.requests.length ?? 0) / total).toBeLessThan(0.2);
  });

  test('callers who leave, and refused requests, do not count against it', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(status(400));
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 2 } });
    expect(await statuses(gateway, 12)).toEqual(Array(12).fill(400));
    for (const place of places) place.script(() => undefined);
    for (let at = 0; at < 12; at += 1) {
      const caller = new AbortController();
      const before = places.reduce((sum, { requests }) => sum + requests.length, 0);
      const asked = ask(gateway.url, chat, false, { signal: caller.signal });
      asked.catch(() => undefined);
      await eventually(
        () => places.reduce((sum, { requests }) => sum + requests.length, 0) > before,
        'it is sent',
      );
      caller.abort();
    }
    for (const place of places) {
      await eventually(() => place.open() === 0, 'what nobody waits for is aborted');
      place.requests.length = 0;
      place.script(good);
    }
    await statuses(gateway, 4);
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });

  test.each([
    ['a redirect', 302, { location: 'https://sign-in.example/' }],
    ['a page', 200, {}],
  ])('answers with %s, whose body takes a while: that is a failure too', async (_, code, headers) => {
    const places = await upstreams(2);
    const [wrong, other] = places;
    wrong?.script(slowPage(code, headers));
    other?.script(good);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      retries: { after: 'failed' },
      ejection: { failures: 3 },
    });
    for (const to of [chat, toOpenAI]) {
      for (let at = 0; at < 10; at += 1) {
        const response = await ask(gateway.url, to, false);
        expect(response.status).toBe(200);
        await response.text();
      }
    }
    expect(wrong?.requests).toHaveLength(3);
  });

  test('breaks its streams in the middle: that is a failure too', async () => {
    const places = await upstreams(2);
    const [breaking, other] = places;
    const stream = streamedAnswer('chat-completions');
    breaking?.script((wire) => {
      wire.stream([stream.slice(0, 900)]);
      setTimeout(() => wire.reset(), 5);
    });
    other?.script((wire) => wire.wholeStream([stream]));
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 3 } });
    for (let at = 0; at < 20; at += 1) await (await ask(gateway.url, chat, true)).text();
    expect(breaking?.requests).toHaveLength(3);
  });
});

describe('an upstream that has no such path', () => {
  const page: Script = (wire) => wire.answer(200, '<html></html>', { 'content-type': 'text/html' });
  test.each([
    ['counts, by 405', '/v1/responses/input_tokens', status(405)],
    ['counts, by 501', '/v1/responses/input_tokens', status(501)],
    ['counts, by a page', '/v1/responses/input_tokens', page],
    ['counts, by a page that takes a while', '/v1/responses/input_tokens', slowPage(200)],
    ['compacts, by 405', '/v1/responses/compact', status(405)],
    ['counts for messages, by 405', '/v1/messages/count_tokens', status(405)],
    ['counts for messages, by words of its own', '/v1/messages/count_tokens', status(200)],
  ])('stays healthy, and is asked once: one that %s', async (_, path, script) => {
    const places = await upstreams(2);
    for (const place of places) place.script(script);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      countTokens: { models: 'all' },
      ejection: { failures: 1 },
    });
    const said = path.includes('messages')
      ? { messages: [{ role: 'user', content: 'Hi' }] }
      : { input: 'Hi' };
    for (let at = 0; at < 4; at += 1) {
      const response = await postJson(gateway.url + path, { model: 'openai/gpt-4o', ...said });
      expect([400, 405, 501]).toContain(response.status);
      await response.text();
    }
    expect(places.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(4);
    for (const place of places) place.script(good);
    expect(await statuses(gateway, 4)).toEqual(Array(4).fill(200));
    expect(places.map(({ requests }) => requests.length)).toEqual([4, 4]);
  });

  test('and says so by a 200: the body passes unchanged', async () => {
    const places = await upstreams(2);
    const said =
      '{"error":"Unexpected endpoint or method. (POST /v1/messages/count_tokens). Returning 200 anyway"}';
    for (const place of places) place.script((wire) => wire.answer(200, said));
    const gateway = await gatewayOf({
      vendors: {
        anthropic: { upstreams: places.map(({ url }) => ({ baseUrl: url, apiKey: 'vendor-key' })) },
      },
      retries: { after: 'failed' },
      ejection: { failures: 1 },
    });
    for (let at = 0; at < 4; at += 1) {
      const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': KEY },
        body: '{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Hi"}]}',
      });
      expect([response.status, await response.text()]).toEqual([200, said]);
    }
    expect(places.map(({ requests }) => requests.length)).toEqual([2, 2]);
  });
});

describe('U-40 all upstreams', () => {
  test('are dead: a 503 at once, one probe request, and all of them when they are back', async () => {
    const places = await upstreams(2);
    for (const place of places) place.script(dead);
    const gateway = await gatewayOf({
      vendors: openaiAt(places),
      ejection: { failures: 2, duration: EJECTED, longest: EJECTED },
    });
    clock.stop();
    await statuses(gateway, 4);
    const asked = (): number => places.reduce((sum, { requests }) => sum + requests.length, 0);
    const before = asked();
    const response = await ask(gateway.url, chat, false);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await response.text();
    expect(await statuses(gateway, 20)).toEqual(Array(20).fill(503));
    expect(asked()).toBe(before);
    clock.advance(OVER);
    // Of ten at once, one probes each upstream, and the others are refused meanwhile.
    const probe = waiting(dead);
    for (const place of places) place.script(probe.script);
    let refused = 0;
    const probes = Array.from({ length: 10 }, async () => {
      const got = await statuses(gateway, 1);
      refused += 1;
      return got;
    });
    await eventually(() => refused === 10 - places.length, 'those that do not go to see are refused');
    expect(asked() - before).toBe(places.length);
    probe.begin();
    for (const [code] of await Promise.all(probes)) expect([502, 503]).toContain(code);
    expect(asked() - before).toBe(places.length);
    for (const place of places) place.script(good);
    clock.advance(OVER);
    expect(await statuses(gateway, 10)).toEqual(Array(10).fill(200));
  });

  test('are overloaded for one model: the others are still available', async () => {
    const places = await upstreams(2);
    for (const place of places) {
      place.script((wire, request) =>
        (request.body.includes('"gpt-4o"') ? status(503) : good)(wire, request),
      );
    }
    const gateway = await gatewayOf({ vendors: openaiAt(places), ejection: { failures: 3 } });
    expect(await statuses(gateway, 12)).toEqual(Array(12).fill(503));
    expect(await statuses(gateway, 4, 'openai/gpt-4.1')).toEqual(Array(4).fill(200));
  });

  test('a vendor’s only upstream is ejected only if the configuration says so', async () => {
    for (const lone of [true, false]) {
      const [vendor] = await upstreams(1);
      if (vendor === undefined) throw new Error('There is no vendor.');
      vendor.script(dead);
      const gateway = await gatewayOf({
        vendors: vendorsAtUrl(vendor.url),
        retries: { limit: 0 },
        ejection: { failures: 3, lone },
      });
      expect(await statuses(gateway, 8)).toEqual(
        lone ? [502, 502, 502, 503, 503, 503, 503, 503] : Array(8).fill(502),
      );
      expect(vendor.requests).toHaveLength(lone ? 3 : 8);
    }
  });

  test('a readmitted one is available to all as soon as it begins to answer', async () => {
    const [vendor] = await upstreams(1);
    const gateway = await gatewayOf({
      vendors: vendorsAtUrl(`${vendor?.url}`),
      retries: { limit: 0 },
      ejection: { failures: 1, duration: EJECTED, longest: EJECTED, lone: true },
    });
    clock.stop();
    vendor?.script(dead);
    expect(await statuses(gateway, 2)).toEqual([502, 503]);
    clock.advance(OVER);
    const said = streamedAnswer('chat-completions');
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    vendor?.script(async (wire) => {
      wire.stream([said]);
      await over;
      wire.lastChunk();
    }, good);
    const slow = await ask(gateway.url, chat, true);
    expect(await statuses(gateway, 2)).toEqual([200, 200]);
    end();
    expect(await slow.text()).toBe(said);
  });

  test('are ejected: the next model in the list is asked at once', async () => {
    const places = await upstreams(1);
    const [anthropic] = await upstreams(1);
    anthropic?.script((wire) => wire.answer(200, wholeAnswer('messages')));
    for (const place of places) place.script(dead);
    const gateway = await gatewayOf({
      vendors: {
        openai: { baseUrl: `${places[0]?.url}/v1`, apiKey: 'x' },
        anthropic: { baseUrl: `${anthropic?.url}`, apiKey: 'y' },
      },
      ejection: { failures: 1, lone: true },
      fallbacks: { 'openai/gpt-4o': ['anthropic/claude-sonnet-4-5'] },
    });
    expect(await statuses(gateway, 5)).toEqual(Array(5).fill(200));
    expect(places[0]?.requests).toHaveLength(1);
    expect(anthropic?.requests).toHaveLength(5);
  });
});
