/**
 * What callers with a token may use: their models and limits, one set for each caller, and what they are
 * charged.
 */

import { CompactSign } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { json, startUpstream } from '../../support/upstream.ts';
import { ask, startVendor, statusOf, type TestVendor } from '../limits/support.ts';
import { type IdentityInput, type Provider, startProvider } from './provider.ts';

let provider: Provider;
let vendor: TestVendor;
let gateway: TestGateway;
beforeEach(async () => {
  provider = await startProvider();
  vendor = await startVendor();
});
afterEach(async () => {
  vi.useRealTimers();
  await gateway.close();
  await vendor.close();
  await provider.close();
});

async function serve(identity: Partial<IdentityInput>, more: ConfigInput = {}): Promise<void> {
  gateway = await startGateway({
    vendors: vendorsAtUrl(vendor.url),
    identities: [provider.identity(identity)],
    fallbacks: { 'openai/gpt-4.1': ['openai/gpt-4o', 'openai/gpt-4.1-mini'] },
    retries: { limit: 2, after: 'failed', wait: 0 },
    ...more,
  });
}

const GROUPS: ConfigInput = {
  groups: [
    { name: 'search', limits: { requestsPerMinute: 2 } },
    { name: 'apps', models: ['openai/gpt-4o'] },
  ],
};

test('each caller has limits of their own, whichever token they send', async () => {
  await serve({ limits: { requestsPerMinute: 2 } });
  const [first, second] = [await provider.token(), await provider.token({ jti: 'another' })];
  const answered = await ask(gateway.url, first);
  expect(answered.status).toBe(200);
  expect(answered.headers.get('x-ratelimit-limit-requests')).toBe('2');
  expect(await statusOf(ask(gateway.url, second))).toBe(200);
  expect(await statusOf(ask(gateway.url, first))).toBe(429);
  expect(await statusOf(ask(gateway.url, second))).toBe(429);
  expect(await statusOf(ask(gateway.url, await provider.token({ sub: 'bob' })))).toBe(200);
});

test('callers of a group share its limits and models, whether a claim names the group or all callers have the same one', async () => {
  await serve({ group: { claim: 'teams' }, limits: { requestsPerMinute: 100 } }, GROUPS);
  const as = (sub: string, teams?: unknown): Promise<string> => provider.token({ sub, teams });
  const [alice, bob] = [await as('alice', ['staff', 'search']), await as('bob', 'search')];
  const answered = await ask(gateway.url, alice);
  expect(answered.status).toBe(200);
  expect(answered.headers.get('x-ratelimit-limit-requests')).toBe('2');
  expect(await statusOf(ask(gateway.url, bob))).toBe(200);
  const refused = await ask(gateway.url, alice);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('the group search');
  // The requested model is not one of this group's models.
  expect(await statusOf(ask(gateway.url, await as('carol', ['apps', 'search'])))).toBe(403);
  for (const none of [undefined, 'staff', [], 7, { search: true }, { toString: 'x' }, [{ toString: 1 }]]) {
    const outsider = await ask(gateway.url, await as('dan', none));
    expect(outsider.status).toBe(401);
    expect(await outsider.text()).toContain('no group that is known here');
  }
  await gateway.close();

  await serve({ group: 'search' }, GROUPS);
  const both = [await as('alice'), await as('bob')];
  const statuses = both.concat(both).map((token) => statusOf(ask(gateway.url, token)));
  expect((await Promise.all(statuses)).toSorted()).toEqual([200, 200, 429, 429]);
});

test('callers whose numbers are equal as doubles are two callers', async () => {
  await serve({ limits: { requestsPerMinute: 1 } });
  const [one, other] = [await numbered('9007199254740992'), await numbered('9007199254740993')];
  expect(await statusOf(ask(gateway.url, one))).toBe(200);
  expect(await statusOf(ask(gateway.url, one))).toBe(429);
  expect(await statusOf(ask(gateway.url, other))).toBe(200);
});

/** A token whose subject is a number, written as given. */
async function numbered(sub: string): Promise<string> {
  const { issuer, key } = provider;
  const exp = Math.floor(Date.now() / 1_000) + 300;
  const claims = `{"iss":${JSON.stringify(issuer)},"aud":"gateway","exp":${exp},"sub":${sub}}`;
  return new CompactSign(Buffer.from(claims))
    .setProtectedHeader({ alg: key.alg, kid: key.kid })
    .sign(key.privateKey);
}

test('each caller has a budget of their own', async () => {
  await serve({ limits: { budgetDay: 1 } });
  const token = await provider.token();
  // Two dollars.
  vendor.takes(1_000_000, 0);
  expect(await statusOf(ask(gateway.url, token))).toBe(200);
  await expect.poll(() => statusOf(ask(gateway.url, token))).toBe(429);
  expect(await statusOf(ask(gateway.url, await provider.token({ sub: 'bob' })))).toBe(200);
});

test('callers are restricted to their provider’s models in lists, in requests and in models that a request names elsewhere', async () => {
  await serve({ models: ['openai/gpt-4.1', 'openai/gpt-4.1-mini'] });
  const token = await provider.token();
  const post = (body: object): Promise<number> =>
    statusOf(
      postJson(
        `${gateway.url}/v1/chat/completions`,
        { messages: [{ role: 'user', content: 'Hi' }], ...body },
        { key: token },
      ),
    );
  expect(await post({ model: 'gpt-4.1' })).toBe(200);
  expect(await post({ model: 'gpt-4o' })).toBe(403);
  expect(await post({ model: 'gpt-4.1', models: ['openai/gpt-4o'] })).toBe(403);
  const listed = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
  const ids = JSON.stringify(await listed.json()).match(/"id":"[^"]+"/g);
  expect(ids?.toSorted()).toEqual(['"id":"openai/gpt-4.1"', '"id":"openai/gpt-4.1-mini"']);
});

test('a fallback to a model that the caller may not use is skipped', async () => {
  await serve({ models: ['openai/gpt-4.1', 'openai/gpt-4.1-mini'] });
  vendor.refuses(500);
  expect(await statusOf(ask(gateway.url, await provider.token()))).toBeGreaterThanOrEqual(500);
  const asked = vendor.received.map(({ body }) => JSON.parse(body.toString()).model);
  expect(new Set(asked)).toEqual(new Set(['gpt-4.1', 'gpt-4.1-mini']));
});

test('a stream continues after its token expires', async () => {
  await vendor.close();
  const stream = await startStream();
  gateway = await startGateway({
    vendors: vendorsAtUrl(stream.url),
    identities: [provider.identity()],
  });
  const token = await provider.token();
  const response = await postJson(
    `${gateway.url}/v1/chat/completions`,
    { model: 'gpt-4.1', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    { key: token },
  );
  expect(response.status).toBe(200);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 });
  expect(await statusOf(ask(gateway.url, token))).toBe(401);
  stream.finish();
  expect(await response.text()).toContain('[DONE]');
  await stream.close();
  vendor = await startVendor();
});

async function startStream(): Promise<{ url: string; finish(): void; close(): Promise<void> }> {
  let finish = (): void => {};
  const event = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const upstream = await startUpstream(({ body }, response) => {
    if (!body.includes('"stream":true')) return json(response, {});
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event({ content: 'Hi' }, null));
    finish = () => void response.end(`${event({}, 'stop')}data: [DONE]\n\n`);
  });
  return { url: upstream.url, finish: () => finish(), close: upstream.close };
}

test('each caller has limits by model of their own', async () => {
  await serve({ modelLimits: [{ models: ['openai/gpt-4.1'], requestsPerMinute: 1 }] });
  const [alice, bob] = [await provider.token(), await provider.token({ sub: 'bob' })];
  expect(await statusOf(ask(gateway.url, alice))).toBe(200);
  const refused = await ask(gateway.url, alice);
  expect(refused.status).toBe(429);
  expect(await refused.text()).toContain('per minute for openai/gpt-4.1.');
  expect(await statusOf(ask(gateway.url, bob))).toBe(200);
});
