/** Google access tokens, by each kind of credentials. */

import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { getPort } from '../../../src/upstream/net/bind.ts';
import { KEY } from '../../support/gateway.ts';
import {
  json,
  type Received,
  type Respond,
  startUpstream,
  type TestUpstream,
} from '../../support/upstream.ts';
import { type CloudGateway, startCloudGateway, startVendor, stubCloud } from './support.ts';

type Credentials = NonNullable<NonNullable<ConfigInput['vendors']>[string]['credentials']>;

const TOKEN = 'ya29.token-of-the-tests';
const directory = mkdtempSync(join(tmpdir(), 'gateway-google-'));

let cloud: TestUpstream;
let vendor: TestUpstream;
let gateway: CloudGateway | undefined;
let giving: Respond;

/**
 * Google's own endpoint, whose address is fixed in its library: behind a proxy, every name resolves to this machine.
 */
const cert = readFileSync(join(import.meta.dirname, 'oauth2.pem'), 'utf8');
const key = readFileSync(join(import.meta.dirname, '../../faults/tls/server.key'), 'utf8');
const oauth: string[] = [];
const tunnels: string[] = [];
const endpoint = createTlsServer({ cert, key }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    oauth.push(Buffer.concat(chunks).toString());
    json(response, { access_token: TOKEN, expires_in: 3_599, token_type: 'Bearer' });
  });
});
const proxy = createServer().on('connect', ({ url = '' }, socket) => {
  tunnels.push(url);
  const tunnel = connect(getPort(endpoint), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    tunnel.pipe(socket).pipe(tunnel);
  }).on('error', () => socket.destroy());
  socket.on('error', () => tunnel.destroy());
});

const before = getCACertificates('default');
beforeAll(async () => {
  setDefaultCACertificates([...before, cert]);
  for (const server of [endpoint, proxy])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cloud = await startUpstream((...all) => giving(...all));
  vendor = await startVendor(({ headers }) => headers.authorization === `Bearer ${TOKEN}`);
});
afterAll(async () => {
  setDefaultCACertificates(before);
  rmSync(directory, { recursive: true });
  await Promise.all([cloud.close(), vendor.close()]);
  for (const server of [endpoint, proxy]) await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  giving = (_, response) => json(response, { access_token: TOKEN, expires_in: 3_599, token_type: 'Bearer' });
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  cloud.received.length = 0;
  vendor.received.length = 0;
  oauth.length = 0;
  tunnels.length = 0;
  vi.unstubAllEnvs();
});

/** What the vendor receives from a gateway with these credentials; the vendor then accepts the token. */
async function shownBy(
  credentials: Credentials,
  environment: Readonly<Record<string, string>> = {},
): Promise<Received> {
  stubCloud({ METADATA_SERVER_DETECTION: 'none', ...environment });
  const place = '/v1/projects/p/locations/global/publishers/anthropic';
  gateway = await startCloudGateway(
    { baseUrl: `${vendor.url}${place}`, credentials },
    { proxy: { url: `http://127.0.0.1:${getPort(proxy)}` } },
  );
  expect(await gateway.say()).toEqual([200, expect.stringContaining('Hello')]);
  const [received] = vendor.received;
  if (received === undefined) throw new Error('The vendor was not asked.');
  expect(received.url).toBe(`${place}/models/claude-sonnet-4-5:rawPredict`);
  return received;
}

function fileWith(name: string, value: object): string {
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const account = {
  type: 'service_account',
  project_id: 'p',
  private_key_id: 'key-1',
  private_key: privateKey,
  client_email: 'gateway@p.iam.gserviceaccount.com',
  client_id: '1',
  token_uri: 'https://oauth2.googleapis.com/token',
};

test.each<[string, (file: string) => readonly [Credentials, Readonly<Record<string, string>>]]>([
  ['named', (file) => [{ type: 'google', file }, {}]],
  [
    'in the place that Google’s libraries search',
    (file) => ['google', { GOOGLE_APPLICATION_CREDENTIALS: file }],
  ],
])('a service account file, %s, through a proxy', async (_, by) => {
  await shownBy(...by(fileWith('account.json', account)));
  expect(tunnels).toEqual(['oauth2.googleapis.com:443']);
  const form = new URLSearchParams(oauth[0]);
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: 'gateway@p.iam.gserviceaccount.com',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  });
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
});

test("a user's own credentials, with the project that pays", async () => {
  const file = fileWith('user.json', {
    type: 'authorized_user',
    client_id: 'id',
    client_secret: 'secret',
    refresh_token: 'refresh-token',
    quota_project_id: 'payer',
  });
  const { headers } = await shownBy({ type: 'google', file });
  expect(headers['x-goog-user-project']).toBe('payer');
  expect(Object.fromEntries(new URLSearchParams(oauth[0]))).toMatchObject({ refresh_token: 'refresh-token' });
});

test("workload identity federation: a third party's token is exchanged for a Google token", async () => {
  const subject = join(directory, 'subject');
  writeFileSync(subject, 'token-of-the-pod');
  const audience = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k8s';
  const file = fileWith('external.json', {
    type: 'external_account',
    audience,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${cloud.url}/v1/token`,
    credential_source: { file: subject },
  });
  await shownBy({ type: 'google', file });
  const form = new URLSearchParams(cloud.received[0]?.body.toString());
  expect(Object.fromEntries(form)).toMatchObject({ audience, subject_token: 'token-of-the-pod' });
});

test('the metadata server, even if it is unavailable at first', async () => {
  const metadata = { GCE_METADATA_HOST: cloud.url.replace('http://', ''), METADATA_SERVER_DETECTION: '' };
  const given = giving;
  giving = (_, response) => json(response, {}, 503);
  await expect(shownBy('google', metadata)).rejects.toThrow();
  await gateway?.close();
  vendor.received.length = 0;
  giving = (received, response, request) => {
    response.setHeader('metadata-flavor', 'Google');
    given(received, response, request);
  };
  await shownBy('google', metadata);
  const asked = cloud.received.find(({ url }) => url.includes('/token'));
  expect(asked?.url).toMatch(/^\/computeMetadata\/v1\/instance\/service-accounts\/default\/token/);
  expect(asked?.headers['metadata-flavor']).toBe('Google');
});

test('two vendors with the same credentials share a token', async () => {
  stubCloud({});
  const file = fileWith('account.json', account);
  const place = `${vendor.url}/v1/projects/p/locations/global/publishers`;
  const credentials = { type: 'google' as const, file };
  gateway = await startCloudGateway(
    { baseUrl: `${place}/anthropic`, credentials },
    {
      proxy: { url: `http://127.0.0.1:${getPort(proxy)}` },
      vendors: {
        anthropic: { baseUrl: `${place}/anthropic`, credentials },
        google: { baseUrl: `${place}/google`, credentials },
      },
    },
  );
  await gateway.say();
  const gemini = `${gateway.url}/v1beta/models/gemini-2.5-flash:generateContent`;
  const headers = { 'x-goog-api-key': KEY, 'content-type': 'application/json' };
  await fetch(gemini, { method: 'POST', headers, body: '{"contents":[]}' });
  expect(vendor.received.map(({ headers }) => headers.authorization)).toEqual(
    Array(2).fill(`Bearer ${TOKEN}`),
  );
  expect(vendor.received[1]?.headers).not.toHaveProperty('x-goog-api-key');
  expect(oauth).toHaveLength(1);
});

test("a subject token that Google rejects: the error includes Google's code", async () => {
  stubCloud({});
  const file = fileWith('external.json', {
    type: 'external_account',
    audience: 'a',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${cloud.url}/v1/token`,
    credential_source: { file: join(directory, 'account.json') },
  });
  giving = (_, response) => json(response, { error: 'invalid_grant', error_description: 'No.' }, 400);
  gateway = await startCloudGateway({ baseUrl: vendor.url, credentials: { type: 'google', file } });
  const [status, text] = await gateway.say();
  expect([status, JSON.parse(text).error.message]).toEqual([
    502,
    'The gateway could not get an access token of Google for the vendor anthropic (invalid_grant).',
  ]);
});
