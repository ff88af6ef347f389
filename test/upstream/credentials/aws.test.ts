/** Requests signed for Bedrock, with credentials from every source that AWS's own programs search. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ConfigInput, configSchema } from '../../../src/config/schema.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { openCloudTokens } from '../../../src/upstream/credentials/cloud-tokens.ts';
import {
  json,
  type Received,
  type Respond,
  startUpstream,
  type TestUpstream,
} from '../../support/upstream.ts';
import { type Signer, wrongWith } from './signature.ts';
import { answering, type CloudGateway, startCloudGateway, stubCloud, until } from './support.ts';

type Credentials = NonNullable<NonNullable<ConfigInput['vendors']>[string]['credentials']>;

const directory = mkdtempSync(join(tmpdir(), 'gateway-aws-'));
afterAll(() => rmSync(directory, { recursive: true }));

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAOFTHETESTS000001', AWS_SECRET_ACCESS_KEY: 'secret/of+the/tests' };
const MANTLE: Credentials = { type: 'aws', region: 'eu-west-1', service: 'bedrock-mantle' };
const own: Signer = {
  accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
  secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
  region: 'eu-west-1',
  service: 'bedrock-mantle',
};

let cloud: TestUpstream;
let vendor: TestUpstream;
let gateway: CloudGateway | undefined;
let giving: Respond;
/** What Bedrock says about a request; undefined if it answers. */
let refuses: (received: Received) => Respond | undefined;

beforeAll(async () => {
  cloud = await startUpstream((...all) => giving(...all));
  vendor = await startUpstream((received, ...rest) => (refuses(received) ?? answering)(received, ...rest));
});
afterAll(() => Promise.all([cloud.close(), vendor.close()]));
beforeEach(() => {
  refuses = () => undefined;
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  cloud.received.length = 0;
  vendor.received.length = 0;
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** Refuses as AWS does, in Bedrock's words. */
const forbidding =
  (type: string, message: string, headers: Readonly<Record<string, string>> = {}): Respond =>
  (_, response) => {
    for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
    response.setHeader('x-amzn-errortype', `${type}:http://internal.amazon.com/`);
    json(response, { message }, 403);
  };

async function start(
  credentials: Credentials,
  environment: Readonly<Record<string, string>>,
  more?: ConfigInput,
) {
  stubCloud(environment);
  gateway = await startCloudGateway({ baseUrl: `${vendor.url}/anthropic`, credentials }, more);
  return gateway;
}

function last(): Received {
  const received = vendor.received.at(-1);
  if (received === undefined) throw new Error('The vendor was not asked.');
  return received;
}

describe('the gateway sends exactly what it signed', () => {
  const tools = [{ name: 'größe', description: 'ü\u2028', input_schema: { type: 'object', properties: {} } }];

  test.each<[string, string, object]>([
    ['native', '/v1/messages', {}],
    ['native, with a query', '/v1/messages?beta=true&x=a%20b*%2F~&x=', { tools }],
    ['a count of tokens', '/v1/messages/count_tokens', { max_tokens: undefined }],
    ['translated', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Grüße, 你好' }] }],
    ['a stream', '/v1/messages', { stream: true }],
    ['a translated stream', '/v1/chat/completions', { stream: true }],
  ])('%s', async (_, path, body) => {
    const { ask } = await start(MANTLE, KEYS);
    const response = await ask(path, body, { 'anthropic-beta': 'x', accept: '*/*', traceparent: 'none' });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    expect(wrongWith(last(), own)).toBeUndefined();
    expect(last().headers).toMatchObject({ 'anthropic-version': '2023-06-01' });
    expect(last().headers).not.toHaveProperty('x-api-key');
  });

  test('configured headers are sent too, and those of AWS are signed', async () => {
    stubCloud(KEYS);
    const headers = { 'X-Amz-Ours': 'ours', Authorization: 'Bearer no', 'X-Title': 'Ours' };
    gateway = await startCloudGateway({ baseUrl: vendor.url, credentials: MANTLE, headers });
    await gateway.say();
    expect(wrongWith(last(), own)).toBeUndefined();
    expect(last().headers).toMatchObject({ 'x-amz-ours': 'ours', 'x-title': 'Ours' });
  });

  test("the test's own check finds wrong signatures", async () => {
    await (await start(MANTLE, KEYS)).say();
    const good = last();
    expect(wrongWith(good, own)).toBeUndefined();
    expect(wrongWith({ ...good, body: Buffer.from('{}') }, own)).toBe('the digest is of another body');
    expect(wrongWith({ ...good, url: `${good.url}?x=1` }, own)).toBe('the signature is wrong');
    expect(wrongWith(good, { ...own, secretAccessKey: 'x' })).toBe('the signature is wrong');
  });
});

describe('credentials', () => {
  const temporary = (expires: Date) => ({
    AccessKeyId: 'ASIAOFTHETESTS000002',
    SecretAccessKey: 'secret-for-a-while',
    Token: 'session-token-for-a-while',
    Expiration: expires.toISOString(),
  });
  const theirs: Signer = {
    ...own,
    accessKeyId: 'ASIAOFTHETESTS000002',
    secretAccessKey: 'secret-for-a-while',
  };
  const inAnHour = () => new Date(Date.now() + 3_600_000);

  test('from the environment, with a session token', async () => {
    await (await start(MANTLE, { ...KEYS, AWS_SESSION_TOKEN: 'session-of-the-environment' })).say();
    expect(wrongWith(last(), own)).toBeUndefined();
    expect(last().headers['x-amz-security-token']).toBe('session-of-the-environment');
  });

  test('from a profile', async () => {
    const file = join(directory, 'credentials');
    writeFileSync(
      file,
      '[default]\naws_access_key_id = no\naws_secret_access_key = no\n[ours]\naws_access_key_id = AKIAOFTHEPROFILE0003\naws_secret_access_key = secret-of-the-profile\n',
    );
    await (await start({ ...MANTLE, profile: 'ours' }, { AWS_SHARED_CREDENTIALS_FILE: file })).say();
    const signer = { ...own, accessKeyId: 'AKIAOFTHEPROFILE0003', secretAccessKey: 'secret-of-the-profile' };
    expect(wrongWith(last(), signer)).toBeUndefined();
  });

  test('from a Kubernetes service account (IRSA), renewed before they expire', async () => {
    const file = join(directory, 'web-identity');
    writeFileSync(file, 'token-of-the-pod');
    giving = (_, response) => {
      const { AccessKeyId, SecretAccessKey, Token, Expiration } = temporary(new Date(Date.now() + 4_000));
      response.setHeader('content-type', 'text/xml');
      response.end(
        `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey><SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
    };
    await (
      await start(MANTLE, {
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
        AWS_WEB_IDENTITY_TOKEN_FILE: file,
        AWS_ENDPOINT_URL_STS: cloud.url,
      })
    ).say();
    expect(wrongWith(last(), theirs)).toBeUndefined();
    expect(last().headers['x-amz-security-token']).toBe('session-token-for-a-while');
    const form = new URLSearchParams(cloud.received[0]?.body.toString());
    expect(Object.fromEntries(form)).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      WebIdentityToken: 'token-of-the-pod',
    });
    await until(() => cloud.received.length >= 2);
  });

  test('from a container (ECS, EKS Pod Identity)', async () => {
    giving = (_, response) => json(response, temporary(inAnHour()));
    const environment = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.url}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'token-of-the-container',
    };
    await (await start(MANTLE, environment)).say();
    expect(wrongWith(last(), theirs)).toBeUndefined();
    expect(cloud.received[0]?.headers.authorization).toBe('token-of-the-container');
  });

  test('from an instance (EC2)', async () => {
    giving = ({ url }, response) => {
      if (url === '/latest/api/token') return response.end('token-of-the-machine');
      if (url === '/latest/meta-data/iam/security-credentials/') return response.end('role');
      return json(response, { Code: 'Success', ...temporary(inAnHour()) });
    };
    const environment = {
      AWS_EC2_METADATA_DISABLED: 'false',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: cloud.url,
    };
    await (await start(MANTLE, environment)).say();
    expect(wrongWith(last(), theirs)).toBeUndefined();
    expect(cloud.received.at(-1)?.headers['x-aws-ec2-metadata-token']).toBe('token-of-the-machine');
  });

  test('none: 502 that names the credentials', async () => {
    const [status, text] = await (await start(MANTLE, {})).say();
    expect([status, JSON.parse(text).error.message]).toEqual([
      502,
      'The gateway could not get AWS credentials for the vendor anthropic (CredentialsProviderError).',
    ]);
  });

  test('none from a container: the log names the address, and not the one that the library tries last', async () => {
    stubCloud({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.2:1/v1/credentials' });
    const told: string[] = [];
    const tokens = openCloudTokens((line) => void told.push(line));
    const config = configSchema.parse({
      vendors: { anthropic: { baseUrl: vendor.url, credentials: MANTLE } },
    });
    const { close } = await openGateway(config, { cloudTokens: tokens });
    await until(() => told.length > 0);
    await close();
    expect(told).toEqual([
      'The gateway could not get AWS credentials for anthropic. It tries again, and until then requests there fail: the address in AWS_CONTAINER_CREDENTIALS_FULL_URI gave none, or could not be reached.',
    ]);
  });

  test('that have expired at their source are renewed', async () => {
    let given = 0;
    giving = (_, response) => {
      given += 1;
      json(response, { ...temporary(inAnHour()), Token: `session-token-${given}` });
    };
    refuses = ({ headers }) =>
      headers['x-amz-security-token'] === 'session-token-1'
        ? forbidding('ExpiredTokenException', 'The security token included in the request is expired')
        : undefined;
    const environment = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.url}/v1/credentials` };
    expect((await (await start(MANTLE, environment)).say())[0]).toBe(200);
    expect(given).toBe(2);
    expect(wrongWith(last(), theirs)).toBeUndefined();
  });
});

test('a wrong clock is named in the error', async () => {
  refuses = () =>
    forbidding('InvalidSignatureException', 'Signature not yet current', {
      date: new Date(Date.now() - 1_200_000).toUTCString(),
    });
  const [status, text] = await (await start(MANTLE, KEYS)).say();
  expect([status, JSON.parse(text).error.message]).toEqual([
    502,
    "The vendor anthropic refused the signature of a request, because the gateway's clock is 20 minutes ahead.",
  ]);
  const records = gateway?.records ?? [];
  await until(() => records.length === 1);
  expect(records[0]).toMatchObject({ fault: 'upstream-auth', cause: 'CLOCK_SKEW' });
});

test('what AWS quotes from a refused request is shown to nobody', async () => {
  refuses =
    ({ headers }) =>
    (_, response) =>
      json(
        response,
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: `should have been\nx-amz-security-token:${headers['x-amz-security-token']}\n${headers.authorization}`,
          },
        },
        400,
      );
  const { ask } = await start(MANTLE, { ...KEYS, AWS_SESSION_TOKEN: 'session/of+the/environment==' });
  for (const path of ['/v1/messages', '/v1/chat/completions']) {
    const text = await (await ask(path, {})).text();
    expect(text).toContain('should have been');
    for (const secret of ['session/of', KEYS.AWS_ACCESS_KEY_ID, /[0-9a-f]{64}/])
      expect(text).not.toMatch(secret);
  }
});
