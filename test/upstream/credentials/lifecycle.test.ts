/** The life of a token: fetched once, renewed in the background, missing, refused, kept over a reload. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { openCloudTokens } from '../../../src/upstream/credentials/cloud-tokens.ts';
import { postJson } from '../../support/post-json.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { answering, type CloudGateway, refusing, startCloudGateway, stubCloud, until } from './support.ts';

let cloud: TestUpstream;
let vendor: TestUpstream;
let gateway: CloudGateway | undefined;
/** How Entra answers; each of its tokens has a number. */
let entra: Respond;
let number: number;
/** The lifetime of its tokens, in seconds. */
let lives: number;
/** The tokens that the vendor accepts. */
let isTaken: (token: string) => boolean;

const giving: Respond = (_, response) => {
  number += 1;
  json(response, { access_token: `entra-token-number-${number}`, expires_in: lives });
};
const failing: Respond = (_, response) =>
  json(
    response,
    { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret.' },
    401,
  );

beforeAll(async () => {
  cloud = await startUpstream((...all) => entra(...all));
  vendor = await startUpstream((received, ...rest) => {
    const token = String(received.headers.authorization).replace('Bearer ', '');
    (isTaken(token) ? answering : refusing)(received, ...rest);
  });
});
afterAll(() => Promise.all([cloud.close(), vendor.close()]));
beforeEach(() => {
  entra = giving;
  number = 0;
  lives = 3_600;
  isTaken = () => true;
  stubCloud({
    AZURE_AUTHORITY_HOST: cloud.url,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    AZURE_CLIENT_SECRET: 'secret-of-the-client',
  });
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  cloud.received.length = 0;
  vendor.received.length = 0;
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const azure = () => ({ baseUrl: vendor.url, credentials: 'azure' as const });
const shown = () => vendor.received.map(({ headers }) => headers.authorization?.slice(-1));

describe('a token is fetched', () => {
  test('once for all waiting requests, before any vendor is asked', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    entra = async (...all) => {
      await opened;
      giving(...all);
    };
    gateway = await startCloudGateway(azure());
    await until(() => cloud.received.length === 1);
    const answers = Promise.all(Array.from({ length: 20 }, () => gateway?.say()));
    open();
    expect((await answers).map((answer) => answer?.[0])).toEqual(Array(20).fill(200));
    expect(cloud.received).toHaveLength(1);
    expect(new Set(shown())).toEqual(new Set(['1']));
  });

  test('again in the background, before it expires', async () => {
    lives = 3;
    gateway = await startCloudGateway(azure());
    await gateway.say();
    await until(() => number >= 2);
    await gateway.say();
    expect(shown()).toEqual(['1', `${number}`]);
  });

  test('but a caller who has left does not wait for it', async () => {
    entra = () => undefined;
    gateway = await startCloudGateway(azure());
    const leaving = new AbortController();
    const asked = postJson(
      `${gateway.url}/v1/messages`,
      { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [] },
      { signal: leaving.signal },
    );
    const { records } = gateway;
    await until(() => gateway?.server.live.inFlight() === 1);
    leaving.abort();
    await expect(asked).rejects.toThrow('abort');
    await until(() => records.length === 1);
    expect(vendor.received).toEqual([]);
  });
});

describe('a token that cannot be fetched', () => {
  test.each([
    ['/v1/messages', { type: 'error', error: { type: 'api_error' } }],
    ['/v1/chat/completions', { error: { type: 'api_error', code: 'upstream_auth' } }],
    ['/v1/responses', { error: { type: 'api_error', code: 'upstream_auth' } }],
  ])('%s: 502 in its own format that names the issuer and the reason, and no secret', async (path, body) => {
    entra = failing;
    gateway = await startCloudGateway(azure());
    const response = await gateway.ask(
      path,
      path === '/v1/responses' ? { input: 'Hi', messages: undefined } : {},
    );
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toMatchObject([502, body]);
    expect(JSON.parse(text).error.message).toBe(
      'The gateway could not get an access token of Microsoft Entra ID for the vendor anthropic (invalid_client).',
    );
    expect(text).not.toContain('secret-of-the-client');
    expect(vendor.received).toEqual([]);
    const { records } = gateway;
    await until(() => records.length === 1);
    expect(records[0]).toMatchObject({
      vendor: 'anthropic',
      fault: 'upstream-auth',
      cause: 'NO_CREDENTIALS_INVALID_CLIENT',
    });
  });

  test('is retried, logged once, and logged again when it is there', async () => {
    entra = failing;
    const told: string[] = [];
    const tokens = openCloudTokens((line) => void told.push(line));
    const config = configSchema.parse({ vendors: { anthropic: azure() } });
    const { close } = await openGateway(config, { cloudTokens: tokens });
    await until(() => cloud.received.length >= 2);
    entra = giving;
    await until(() => told.length === 2);
    expect(told).toEqual([
      'The gateway could not get an access token of Microsoft Entra ID for anthropic. It tries again, and until then requests there fail: invalid_client: AADSTS7000215: Invalid client secret.',
      'The gateway could get an access token of Microsoft Entra ID for anthropic again.',
    ]);
    await close();
  });

  test('for a renewal: the old token is used until it expires, and no longer', async () => {
    lives = 6;
    gateway = await startCloudGateway(azure());
    expect((await gateway.say())[0]).toBe(200);
    entra = failing;
    await until(() => cloud.received.length >= 2);
    expect((await gateway.say())[0]).toBe(200);
    expect(shown()).toEqual(['1', '1']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_000 });
    expect((await gateway.say())[0]).toBe(502);
    expect(vendor.received).toHaveLength(2);
  });

  test('for one of several upstreams: the others are asked, and this one is ejected', async () => {
    entra = failing;
    const upstreams = [{ apiKey: 'key-of-another' }];
    gateway = await startCloudGateway({ ...azure(), upstreams }, { retries: { limit: 1 } });
    for (let asked = 0; asked < 4; asked++) expect((await gateway.say())[0]).toBe(200);
    expect(vendor.received.map(({ headers }) => headers['x-api-key'])).toEqual(
      Array(4).fill('key-of-another'),
    );
    const { records } = gateway;
    await until(() => records.length === 4);
    expect(records.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
  });
});

describe('a token that the vendor refuses', () => {
  test('is renewed once for all refused requests, and the caller does not notice', async () => {
    gateway = await startCloudGateway(azure());
    await gateway.say();
    isTaken = (token) => !token.endsWith('-1');
    const answers = await Promise.all(Array.from({ length: 10 }, () => gateway?.say()));
    expect(answers.map((answer) => answer?.[0])).toEqual(Array(10).fill(200));
    expect(number).toBe(2);
    const { records } = gateway;
    await until(() => records.length === 11);
    expect(new Set(records.map(({ fault }) => fault))).toEqual(new Set([undefined]));
  });

  test("a second time: the refusal is the vendor's answer, and Entra is not asked per request", async () => {
    isTaken = () => false;
    gateway = await startCloudGateway(azure());
    for (let asked = 0; asked < 5; asked++) {
      const [status, text] = await gateway.say();
      expect([status, JSON.parse(text).error]).toMatchObject([502, { type: 'api_error' }]);
      expect(text).not.toContain('entra-token');
    }
    expect(number).toBe(2);
    // One of them was asked twice.
    expect(vendor.received).toHaveLength(6);
  });

  test('stays refused while there is no other token', async () => {
    gateway = await startCloudGateway(azure());
    await gateway.say();
    isTaken = () => false;
    entra = failing;
    expect((await gateway.say())[0]).toBe(502);
    isTaken = () => true;
    expect((await gateway.say())[0]).toBe(200);
  });

  test('at one of several upstreams does not change the health of that upstream', async () => {
    const { baseUrl } = azure();
    gateway = await startCloudGateway({
      upstreams: [azure(), { ...azure(), weight: 1, names: { '*': 'x-*' } }],
      baseUrl,
    });
    await gateway.say();
    isTaken = (token) => !token.endsWith('-1');
    for (let asked = 0; asked < 6; asked++) expect((await gateway.say())[0]).toBe(200);
    const models = vendor.received.slice(-4).map(({ body }) => JSON.parse(body.toString()).model);
    expect(new Set(models)).toEqual(new Set(['claude-sonnet-4-5', 'x-claude-sonnet-4-5']));
  });
});

/** Breaks the connection, with or without the beginning of a stream. */
const breaking =
  (begins: boolean): Respond =>
  (_, response) => {
    if (!begins) return void response.destroy();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1"}}\n\n`);
    setTimeout(() => response.destroy(), 50);
  };

test.each([
  ['before its head', false],
  ['in the middle of a stream', true],
])('an answer that breaks off %s counts against an upstream with credentials', async (_, begins) => {
  const broken = await startUpstream(breaking(begins));
  try {
    gateway = await startCloudGateway(
      { ...azure(), upstreams: [{ baseUrl: broken.url, credentials: 'azure' }] },
      { ejection: { failures: 1 } },
    );
    for (let asked = 0; asked < 9; asked++)
      await (await gateway.ask('/v1/messages', { stream: true })).text();
    expect([broken.received.length, vendor.received.length]).toEqual([1, 8]);
  } finally {
    await broken.close();
  }
});

test('is shown to nobody, even if the vendor quotes it', async () => {
  const saying: Respond = ({ headers }, response) => {
    const quoted = String(headers.authorization).replace('Bearer ', '');
    json(
      response,
      { type: 'error', error: { type: 'invalid_request_error', message: `not ${quoted}` } },
      400,
    );
  };
  const quoting = await startUpstream(saying);
  gateway = await startCloudGateway({ baseUrl: quoting.url, credentials: 'azure' });
  for (const path of ['/v1/messages', '/v1/chat/completions']) {
    const text = await (await gateway.ask(path, {})).text();
    expect(text).toContain('not [hidden]');
    expect(text).not.toContain('entra-token');
  }
  await quoting.close();
});

test('a new configuration keeps a token that is still valid, and the last user stops its renewal', async () => {
  const tokens = openCloudTokens(() => {});
  const open = (more: object) =>
    openGateway(configSchema.parse({ vendors: { anthropic: { ...azure(), ...more } } }), {
      cloudTokens: tokens,
    });
  lives = 3;
  const first = await open({});
  await until(() => number === 1);
  const second = await open({ connections: 5 });
  await first.close();
  const [served] = second.gateway.vendors.all;
  if (served === undefined) throw new Error('There is no vendor.');
  expect((await tokens.get(served)).secret).toBe('entra-token-number-1');
  await until(() => number === 2);
  await second.close();
  const asked = cloud.received.length;
  const third = await open({});
  await until(() => cloud.received.length > asked);
  await third.close();
});
