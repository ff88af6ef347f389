/**
 * What happens to tokens while their provider rotates its keys, is down, or sends arbitrary answers, and how
 * often the gateway fetches its keys.
 */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import type { RunningServer } from '../../../src/server/listen/running-server.ts';
import { serve } from '../../../src/server/listen/server.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { eventually } from '../../support/raw.ts';
import { json, type Respond } from '../../support/upstream.ts';
import { type IdentityInput, makeProviderKey, type Provider, startProvider } from './provider.ts';

let provider: Provider;
let told: string[];
let stop: (() => Promise<void>)[];
let skipped: number;
const clock = performance.now.bind(performance);
beforeEach(async () => {
  skipped = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + skipped);
  provider = await startProvider();
  told = [];
  stop = [];
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const one of stop.reverse()) await one();
  await provider.close();
});

type Opened = Awaited<ReturnType<typeof openGateway>>;

/** @param before the gateway that the new one replaces. */
async function open(more: Partial<IdentityInput> = {}, before?: Opened): Promise<Opened> {
  const config = configSchema.parse({
    port: 0,
    sandbox: { pace: 'none' },
    identities: [provider.identity(more)],
  });
  return openGateway(config, {
    log: (message) => void told.push(message),
    ...(before && { previous: before.gateway }),
  });
}

let server: RunningServer;

async function start(more: Partial<IdentityInput> = {}): Promise<void> {
  const opened = await open(more);
  server = await serve(() => opened.gateway, configSchema.parse({ port: 0 }));
  stop.push(opened.close, () => server.drain(0).then(() => {}));
}

function ask(token: string): Promise<Response> {
  return fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
}

const statusOf = async (token: string | Promise<string>): Promise<number> => (await ask(await token)).status;

/** Advances the time of the caches only: tokens stay as valid as they were. */
function later(milliseconds: number): void {
  skipped += milliseconds;
}

/** Advances the time of tokens too. */
function laterFor(milliseconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
}

const CUT: Respond = (_, response) => void response.socket?.destroy();
const NEVER: Respond = () => {};

test('the keys are fetched at the start, and not again for any number of tokens', async () => {
  await start();
  await eventually(() => provider.asked() === 1, 'they are asked for');
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, at) => provider.token({ sub: `user-${at}` })),
  );
  const statuses = await Promise.all([...tokens, ...tokens].map(statusOf));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(provider.paths()).toEqual(['/.well-known/openid-configuration', '/keys']);
});

test('a token seen before causes no request, whatever its provider does', async () => {
  await start();
  const token = await provider.token();
  expect(await statusOf(token)).toBe(200);
  provider.instead(CUT);
  later(3_000_000);
  const asked = provider.paths().length;
  expect(await statusOf(token)).toBe(200);
  expect(provider.paths()).toHaveLength(asked);
});

test('a cached token is not accepted after its expiry', async () => {
  await start();
  const token = await provider.token();
  expect(await statusOf(token)).toBe(200);
  laterFor(335_000);
  const refused = await ask(token);
  expect(refused.status).toBe(401);
  expect(await refused.text()).toContain('it has expired.');
});

test('a cached token is accepted for at most an hour after the last check of the keys; a withdrawn key then ends it', async () => {
  await start();
  const token = await provider.token({ exp: Math.floor(Date.now() / 1_000) + 86_400 });
  expect(await statusOf(token)).toBe(200);
  provider.publish(await makeProviderKey());
  later(3_500_000);
  laterFor(3_500_000);
  expect(await statusOf(token)).toBe(200);
  laterFor(200_000);
  expect(await statusOf(token)).toBe(401);
});

test('a new key is fetched when a token names it, but not for every unknown key id', async () => {
  await start();
  expect(await statusOf(provider.token())).toBe(200);
  const next = await makeProviderKey('RS256');
  provider.publish(provider.key, next);
  // The keys were fetched just now.
  expect(await statusOf(provider.tokenOf(next))).toBe(401);
  expect(provider.asked()).toBe(1);
  later(31_000);
  expect(await statusOf(provider.tokenOf(next))).toBe(200);
  expect(provider.asked()).toBe(2);
  const stranger = await makeProviderKey();
  for (let at = 0; at < 10; at += 1)
    expect(await statusOf(provider.tokenOf({ ...stranger, kid: `no-${at}` }))).toBe(401);
  expect(provider.asked()).toBe(2);
  expect(await statusOf(provider.token({ sub: 'bob' }))).toBe(200);
});

test('a removed key is rejected once the other keys are ten minutes old', async () => {
  await start();
  expect(await statusOf(provider.token())).toBe(200);
  const next = await makeProviderKey();
  provider.publish(next);
  expect(await statusOf(provider.token({ sub: 'bob' }))).toBe(200);
  later(601_000);
  expect(await statusOf(provider.token({ sub: 'carol' }))).toBe(401);
  expect(await statusOf(provider.tokenOf(next))).toBe(200);
});

test('a token without a key id may match any of the keys', async () => {
  const [one, other] = [await makeProviderKey(), await makeProviderKey()];
  provider.publish(one, other);
  await start();
  for (const key of [one, other])
    expect(await statusOf(provider.tokenOf(key, {}, { kid: undefined }))).toBe(200);
  const stranger = await makeProviderKey();
  expect(await statusOf(provider.tokenOf(stranger, {}, { kid: undefined }))).toBe(401);
  const late = { exp: Math.floor(Date.now() / 1_000) - 60 };
  const refused = await ask(await provider.tokenOf(other, late, { kid: undefined }));
  expect(await refused.text()).toContain('it has expired.');
});

test('a token without a key id is tried with at most ten keys', async () => {
  const keys = [];
  for (let at = 0; at < 11; at += 1) keys.push(await makeProviderKey());
  const [tenth = provider.key, eleventh = provider.key] = keys.slice(9);
  provider.publish(...keys);
  await start();
  expect(await statusOf(provider.tokenOf(tenth, {}, { kid: undefined }))).toBe(200);
  expect(await statusOf(provider.tokenOf(eleventh, {}, { kid: undefined }))).toBe(401);
  expect(await statusOf(provider.tokenOf(eleventh))).toBe(200);
});

test('while the provider is down at the start no caller can be identified, and once it is up they all can', async () => {
  provider.instead(CUT);
  await start();
  await eventually(() => told.length === 1, 'it is reported');
  expect(told).toEqual([
    expect.stringMatching(
      /^The keys of the identity provider okta cannot be fetched: it could not be reached/,
    ),
  ]);
  const token = await provider.token();
  const refused = await ask(token);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(await refused.json()).toMatchObject({
    error: {
      message:
        'This token cannot be verified now: the keys of its identity provider cannot be fetched. Try again shortly.',
    },
  });
  const google = await fetch(`${server.url}/v1beta/models?key=${token}`);
  expect(await google.json()).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
  const anthropic = { 'x-api-key': token, 'anthropic-version': '2023-06-01' };
  const listed = await fetch(`${server.url}/v1/models`, { headers: anthropic });
  expect(await listed.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
  provider.instead(undefined);
  await expect.poll(() => statusOf(token)).toBe(200);
  expect(told.slice(1)).toEqual(['The keys of the identity provider okta can be fetched again.']);
});

test('a flood of tokens while it is down causes one request a second', async () => {
  provider.instead(CUT);
  await start();
  await eventually(() => told.length === 1, 'it is reported');
  const asked = provider.paths().length;
  const token = await provider.token();
  const from = performance.now();
  vi.mocked(performance.now).mockImplementation(() => from);
  const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(token)));
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(provider.paths().length - asked).toBeLessThanOrEqual(1);
});

test('when it goes down later, its cached keys stay valid; a token with an unknown key id cannot be decided', async () => {
  await start();
  expect(await statusOf(provider.token())).toBe(200);
  provider.instead(CUT);
  later(601_000);
  expect(await statusOf(provider.token({ sub: 'bob' }))).toBe(200);
  expect(told).toHaveLength(1);
  expect(await statusOf(provider.tokenOf(await makeProviderKey()))).toBe(503);
  provider.instead(undefined);
  later(31_000);
  expect(await statusOf(provider.token({ sub: 'carol' }))).toBe(200);
  expect(told).toHaveLength(2);
});

test.each<[why: string, respond: (own: Provider) => Respond]>([
  ['it answered 500.', () => (_, response) => json(response, {}, 500)],
  ['it answered 302.', () => (_, response) => response.writeHead(302, { location: '/keys' }).end()],
  ['its answer is not a JSON object.', () => (_, response) => response.end('<html>')],
  ['its answer is not a JSON object.', () => (_, response) => json(response, [])],
  [
    'its openid-configuration names another issuer',
    ({ issuer }) =>
      (_, response) =>
        json(response, { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` }),
  ],
  ...['http://elsewhere.example/keys', 'file:///etc/passwd', 'https://169.254.169.254/keys', 7].map(
    (jwks): [string, (own: Provider) => Respond] => [
      'its openid-configuration names no https address of its keys (jwks_uri).',
      ({ issuer }) =>
        (_, response) =>
          json(response, { issuer, jwks_uri: jwks }),
    ],
  ),
  ...[{}, { keys: 'all' }, { keys: [7] }].map((document): [string, (own: Provider) => Respond] => [
    'list of keys',
    ({ issuer }) =>
      ({ url }, response) =>
        json(response, url === '/keys' ? document : { issuer, jwks_uri: `${issuer}/keys` }),
  ]),
  ['its answer is too long.', () => (_, response) => json(response, { issuer: 'x'.repeat(600_000) })],
])('%s', async (why, respond) => {
  provider.instead(respond(provider));
  await start();
  await eventually(() => told.length === 1, 'it is reported');
  expect(told[0]).toContain(why);
  expect(await statusOf(provider.token())).toBe(503);
});

test('all callers wait for the same request, for at most five seconds, and a caller may leave meanwhile', async () => {
  provider.instead(NEVER);
  await start();
  const token = await provider.token();
  const leaving = new AbortController();
  const left = fetch(`${server.url}/v1/models`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  });
  const stayed = [statusOf(token), statusOf(token)];
  await eventually(() => provider.paths().length === 1, 'it is asked');
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  expect(await Promise.all(stayed)).toEqual([503, 503]);
  expect(told).toEqual([
    'The keys of the identity provider okta cannot be fetched: it took too long to answer.',
  ]);
});

test('with a JWKS address in the configuration, no other address is requested', async () => {
  await start({ jwks: `${provider.issuer}/keys` });
  expect(await statusOf(provider.token())).toBe(200);
  expect(provider.paths()).toEqual(['/keys']);
});

test('the issuer then need not be an address', async () => {
  await start({ issuer: 'our-own', jwks: `${provider.issuer}/keys` });
  expect(await statusOf(provider.token({ iss: 'our-own' }))).toBe(200);
});

test('unusable keys verify nothing, and the other keys still work', async () => {
  const { jwk } = provider.key;
  const odd = [
    { kty: 'oct', k: 'AAAA', kid: 'shared', alg: 'HS256' },
    { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'half', alg: 'ES256' },
    { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'short', alg: 'RS256' },
  ].map((one) => ({ jwk: one }));
  provider.publish(...odd, { jwk });
  await start();
  expect(await statusOf(provider.token())).toBe(200);
  for (const kid of ['half', 'shared'])
    expect(await statusOf(provider.tokenOf({ ...provider.key, kid }))).toBe(401);
  const short = { ...(await makeProviderKey('RS256')), kid: 'short' };
  expect(await statusOf(provider.tokenOf(short))).toBe(401);
});

test('a new configuration with the same provider keeps its keys and fetches nothing', async () => {
  const first = await open();
  await eventually(() => provider.asked() === 1, 'they are asked for');
  await expect.poll(() => first.gateway.identities?.known().size).toBe(1);
  provider.instead(CUT);
  const second = await open({ audience: 'another' }, first);
  const found = second.gateway.identities?.find(await provider.token({ aud: 'another' }));
  expect(await found).toMatchObject({ name: 'okta/alice' });
  // The second gateway does not share what the first one knows.
  const token = await provider.token();
  expect(await first.gateway.identities?.find(token)).toMatchObject({ name: 'okta/alice' });
  await expect(second.gateway.identities?.find(token)).rejects.toThrow('meant for another audience');
  expect(provider.asked()).toBe(1);
  await first.close();
  await second.close();
});

test('a request aborted at shutdown causes no error', async () => {
  provider.instead(NEVER);
  const opened = await open();
  await eventually(() => provider.paths().length === 1, 'it is asked');
  await opened.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(told).toEqual([]);
});
