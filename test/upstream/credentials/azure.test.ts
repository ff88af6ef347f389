/** Tokens of Microsoft Entra ID, by each way to get one. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readGiven } from '../../../src/config/load.ts';
import { type ConfigInput, configSchema } from '../../../src/config/schema.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { openCloudTokens } from '../../../src/upstream/credentials/cloud-tokens.ts';
import { json, type Received, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { type CloudGateway, startCloudGateway, startVendor, stubCloud, until } from './support.ts';

type Credentials = NonNullable<NonNullable<ConfigInput['vendors']>[string]['credentials']>;

const directory = mkdtempSync(join(tmpdir(), 'gateway-azure-'));
afterAll(() => rmSync(directory, { recursive: true }));

let cloud: TestUpstream;
let vendor: TestUpstream;
let gateway: CloudGateway | undefined;
let answer: object;
let status: number;

beforeAll(async () => {
  cloud = await startUpstream((_, response) => json(response, answer, status));
  vendor = await startVendor(({ headers }) => headers.authorization === 'Bearer entra-token-of-the-tests');
});
afterAll(() => Promise.all([cloud.close(), vendor.close()]));
beforeEach(() => {
  status = 200;
  answer = { token_type: 'Bearer', expires_in: 3_599, access_token: 'entra-token-of-the-tests' };
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  cloud.received.length = 0;
  vendor.received.length = 0;
  vi.unstubAllEnvs();
});

/** What a gateway with these credentials asks Entra for; the vendor then accepts the token. */
async function askedBy(
  credentials: Credentials,
  environment: Readonly<Record<string, string>>,
): Promise<Received> {
  stubCloud(environment);
  gateway = await startCloudGateway({ baseUrl: `${vendor.url}/anthropic`, credentials });
  expect(await gateway.say()).toEqual([200, expect.stringContaining('Hello')]);
  expect(vendor.received[0]?.headers).not.toHaveProperty('x-api-key');
  expect(cloud.received).toHaveLength(1);
  const [asked] = cloud.received;
  if (asked === undefined) throw new Error('The cloud was not asked.');
  return asked;
}

const formOf = ({ body }: Received) => Object.fromEntries(new URLSearchParams(body.toString()));
const queryOf = ({ url }: Received) => Object.fromEntries(new URL(url, cloud.url).searchParams);

test('with a client secret from the environment', async () => {
  const asked = await askedBy('azure', {
    AZURE_AUTHORITY_HOST: `${cloud.url}/`,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    AZURE_CLIENT_SECRET: 'a secret & more',
  });
  expect(asked.url).toBe('/tenant-1/oauth2/v2.0/token');
  expect(formOf(asked)).toEqual({
    grant_type: 'client_credentials',
    client_id: 'client-1',
    client_secret: 'a secret & more',
    scope: 'https://cognitiveservices.azure.com/.default',
  });
});

test('with a client secret from the configuration, which takes precedence over the environment', async () => {
  const asked = await askedBy(
    {
      type: 'azure',
      tenantId: 't',
      clientId: 'c',
      clientSecret: 's',
      scope: 'https://ai.azure.com/.default',
    },
    { AZURE_AUTHORITY_HOST: cloud.url, AZURE_TENANT_ID: 'tenant-1', AZURE_CLIENT_SECRET: 'other' },
  );
  expect(asked.url).toBe('/t/oauth2/v2.0/token');
  expect(formOf(asked)).toMatchObject({
    client_id: 'c',
    client_secret: 's',
    scope: 'https://ai.azure.com/.default',
  });
});

test('with the token of a Kubernetes pod (AKS)', async () => {
  const file = join(directory, 'token');
  writeFileSync(file, 'token-of-the-pod\n');
  const asked = await askedBy('azure', {
    AZURE_AUTHORITY_HOST: cloud.url,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    AZURE_FEDERATED_TOKEN_FILE: file,
  });
  expect(formOf(asked)).toMatchObject({
    client_assertion: 'token-of-the-pod',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });
});

test('with the token of a pod that comes after the start', async () => {
  const file = join(directory, 'late-token');
  stubCloud({
    AZURE_AUTHORITY_HOST: cloud.url,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    AZURE_FEDERATED_TOKEN_FILE: file,
  });
  const vendors = { anthropic: { baseUrl: `${vendor.url}/anthropic`, credentials: 'azure' } } as const;
  const read = await readGiven({ vendors }, process.env, directory);
  const told: string[] = [];
  const cloudTokens = openCloudTokens((line) => void told.push(line));
  const { close } = await openGateway(read, { cloudTokens });
  await until(() => told.length > 0);
  await close();
  expect(told).toEqual([expect.stringMatching(/^The gateway could not get .* requests there fail: ENOENT/)]);
  gateway = await startCloudGateway(vendors.anthropic);
  expect(await gateway.say()).toEqual([502, expect.stringContaining('(ENOENT)')]);
  expect(vendor.received).toEqual([]);
  writeFileSync(file, 'token-of-the-pod');
  await vi.waitFor(async () => expect((await gateway?.say())?.[0]).toBe(200), { timeout: 60_000 });
});

test('with the managed identity of a machine', async () => {
  answer = { access_token: 'entra-token-of-the-tests', expires_in: '86399', expires_on: '4102444800' };
  const asked = await askedBy(
    { type: 'azure', clientId: 'client-2' },
    { AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.url },
  );
  expect([asked.method, asked.headers['metadata']]).toEqual(['GET', 'true']);
  expect(asked.url).toMatch(/^\/metadata\/identity\/oauth2\/token\?/);
  expect(queryOf(asked)).toEqual({
    'api-version': '2018-02-01',
    resource: 'https://cognitiveservices.azure.com',
    client_id: 'client-2',
  });
});

test('with the managed identity of an app (App Service, Container Apps)', async () => {
  answer = { access_token: 'entra-token-of-the-tests', expires_on: '4102444800' };
  const asked = await askedBy('azure', {
    IDENTITY_ENDPOINT: `${cloud.url}/msi/token`,
    IDENTITY_HEADER: 'header-of-the-app',
  });
  expect(asked.headers['x-identity-header']).toBe('header-of-the-app');
  expect(queryOf(asked)).toEqual({
    'api-version': '2019-08-01',
    resource: 'https://cognitiveservices.azure.com',
  });
});

test('an app whose identity is unknown: the log has the reason of App Service', async () => {
  stubCloud({ IDENTITY_ENDPOINT: `${cloud.url}/msi/token`, IDENTITY_HEADER: 'secret-of-the-app' });
  const message =
    'No User Assigned or Delegated Managed Identity found for specified ClientId/ResourceId/PrincipalId.';
  answer = { statusCode: 400, message, correlationId: '1' };
  status = 400;
  const told: string[] = [];
  const cloudTokens = openCloudTokens((line) => void told.push(line));
  const config = configSchema.parse({
    vendors: { anthropic: { baseUrl: vendor.url, credentials: 'azure' } },
  });
  const { close } = await openGateway(config, { cloudTokens });
  await until(() => told.length > 0);
  await close();
  expect(told).toEqual([
    `The gateway could not get an access token of Microsoft Entra ID for anthropic. It tries again, and until then requests there fail: HTTP_400: ${message}`,
  ]);
});

test('an answer of many megabytes is not read to its end', async () => {
  answer = { ...answer, padding: 'x'.repeat(2 * 1024 * 1024) };
  stubCloud({
    AZURE_AUTHORITY_HOST: `${cloud.url}/`,
    AZURE_TENANT_ID: 'tenant-1',
    AZURE_CLIENT_ID: 'client-1',
    AZURE_CLIENT_SECRET: 'a secret',
  });
  gateway = await startCloudGateway({ baseUrl: `${vendor.url}/anthropic`, credentials: 'azure' });
  expect(await gateway.say()).toEqual([expect.any(Number), expect.not.stringContaining('Hello')]);
  expect(vendor.received).toEqual([]);
});
