/** Processes with cloud credentials: what they print, keep over a reload and leave behind, and how they end. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { runCommand } from '../../support/command.ts';
import { KEY } from '../../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../../support/process.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { wrongWith } from './signature.ts';
import { answering, until } from './support.ts';

const TOKEN = 'entra-token-of-the-tests';
const SECRET = 'secret-of-the-client';
const AWS = { AWS_ACCESS_KEY_ID: 'AKIAOFTHETESTS000001', AWS_SECRET_ACCESS_KEY: 'secret/of+the/tests' };

let cloud: TestUpstream;
let vendor: TestUpstream;
let entra: Respond;
let respond: Respond;
let gateway: GatewayProcess | undefined;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-clouds-'));
  cloud = await startUpstream((...all) => entra(...all));
  vendor = await startUpstream((...all) => respond(...all));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await Promise.all([cloud.close(), vendor.close()]);
});
beforeEach(() => {
  entra = (_, response) => json(response, { access_token: TOKEN, expires_in: 3_599 });
  respond = answering;
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  cloud.received.length = 0;
  vendor.received.length = 0;
});

const azure = () => ({ AZURE_AUTHORITY_HOST: cloud.url, AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c' });
const house = (more: object = {}): ConfigInput => ({
  vendors: {
    anthropic: {
      baseUrl: vendor.url,
      credentials: { type: 'azure', clientSecret: SECRET },
      ...more,
    },
  },
  log: 'json',
});

async function say({ url }: GatewayProcess): Promise<number> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  await response.text();
  return response.status;
}

describe('gateway start', () => {
  test('a reload keeps the token, and no output contains it', async () => {
    gateway = await spawnGateway(house(), { env: azure() });
    expect(await say(gateway)).toBe(200);
    const file = join(gateway.directory, 'gateway.config.json');
    const given = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...given, ...house({ connections: 3 }) }));
    const { output } = gateway;
    await until(() => output().includes('The configuration was reloaded and is in force.'));
    expect(await say(gateway)).toBe(200);
    expect(vendor.received.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer ${TOKEN}`),
    );
    expect(cloud.received).toHaveLength(1);
    for (const secret of [TOKEN, SECRET]) expect(output()).not.toContain(secret);
  });

  test('without credentials it starts, warns, and serves the other vendors', async () => {
    entra = (_, response) =>
      json(response, { error: 'invalid_client', error_description: `AADSTS7000215: not ${SECRET}` }, 401);
    gateway = await spawnGateway(house({ upstreams: [{ apiKey: 'key-of-another' }] }), { env: azure() });
    const { output } = gateway;
    await until(() => output().includes('could not get an access token of Microsoft Entra ID for anthropic'));
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
    expect(await say(gateway)).toBe(200);
    expect(output()).not.toContain(SECRET);
  });

  test('it ends at once, even while a token is awaited or due for renewal', async () => {
    gateway = await spawnGateway(house(), { env: azure() });
    expect(await say(gateway)).toBe(200);
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toBe(0);
    await gateway.close();
    entra = () => undefined;
    gateway = await spawnGateway(house(), { env: azure() });
    await until(() => cloud.received.length === 2);
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });

  test.each([
    [
      'keys beside a profile',
      'aws',
      { ...AWS, AWS_PROFILE: 'ours' },
      'Multiple credential sources detected: Both AWS_PROFILE',
    ],
    [
      'credentials of a machine that have expired',
      'aws',
      { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'cloud', AWS_EC2_METADATA_DISABLED: 'false' },
      'Attempting credential expiration extension',
    ],
    [
      'another server than the one of Google',
      'google',
      { GCE_METADATA_HOST: 'cloud' },
      'MetadataLookupWarning: received unexpected error',
    ],
  ] as const)('%s: what the library warns of is one line of the log', async (_, type, given, warning) => {
    entra = ({ url }, response) => {
      if (url.endsWith('/token')) return response.end('token-of-the-machine');
      if (url.endsWith('/security-credentials/')) return response.end('role');
      const keys = { AccessKeyId: 'ASIAOFTHETESTS000002', SecretAccessKey: SECRET, Token: TOKEN };
      return json(response, { ...keys, Expiration: new Date(Date.now() - 60_000).toISOString() });
    };
    const address = { aws: cloud.url, google: cloud.url.replace('http://', '') }[type];
    const env = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value === 'cloud' ? address : value]),
    );
    const credentials = type === 'aws' ? { type, region: 'us-east-1' } : { type };
    gateway = await spawnGateway(house({ credentials }), { env: { ...env, HOME: '/nonexistent' } });
    await say(gateway);
    const { lines, output } = gateway;
    await until(() => output().includes(warning));
    // Google's library asks again after a second, and then after two.
    if (type === 'google') await until(() => cloud.received.length >= 3);
    await say(gateway);
    const messages = lines().map((line): string => JSON.parse(line).msg);
    expect(messages.filter((message) => message.includes(warning))).toHaveLength(1);
  });

  test('each worker has its own token', async () => {
    const aws = { credentials: { type: 'aws', region: 'us-east-1' } };
    gateway = await spawnGateway({ ...house(aws), workers: 2 }, { env: AWS });
    expect(await say(gateway)).toBe(200);
    expect(vendor.received[0]?.headers.authorization).toContain(`Credential=${AWS.AWS_ACCESS_KEY_ID}/`);
    for (const secret of Object.values(AWS)) expect(gateway.output()).not.toContain(secret);
  });
});

async function command(config: ConfigInput, words: readonly string[], env: Readonly<Record<string, string>>) {
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(config));
  return runCommand(directory, words, env);
}

test('an invalid credentials file ends the start with one line', async () => {
  const credentials = { type: 'google' as const, file: 'nope.json' };
  for (const words of [['start'], ['check']]) {
    expect(await command(house({ credentials }), words, {})).toEqual({
      code: 78,
      stdout: '',
      stderr: `The configuration is not valid: ${join(directory, 'gateway.config.json')}: vendors.anthropic.credentials.file: ${join(directory, 'nope.json')} cannot be read (ENOENT)\n`,
    });
  }
});

test('gateway check prints which credentials each vendor uses', async () => {
  const config: ConfigInput = {
    vendors: {
      openai: {
        baseUrl: 'https://r.openai.azure.com/openai/v1',
        credentials: { type: 'azure', clientSecret: SECRET },
      },
      anthropic: {
        upstreams: [
          { baseUrl: 'https://bedrock-mantle.us-east-1.api.aws/anthropic', credentials: 'aws' },
          { apiKey: 'key' },
        ],
      },
      google: { credentials: 'google' },
    },
  };
  const { code, stdout } = await command(config, ['check'], azure());
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Vendors with a key: openai, anthropic, google, serving \d+ models\.$/m);
  expect(stdout.match(/^The vendor .*$/gm)).toEqual([
    'The vendor openai uses an access token of Microsoft Entra ID (from a client secret, for https://cognitiveservices.azure.com/.default).',
    'The vendor anthropic uses AWS credentials (bedrock-mantle, us-east-1).',
    'The vendor google uses an access token of Google (application default credentials).',
  ]);
  expect(stdout).not.toContain(SECRET);
});

const signed = () =>
  house({
    credentials: { type: 'aws', region: 'us-east-1', service: 'bedrock-mantle' },
    baseUrl: vendor.url,
  });
const signer = {
  accessKeyId: AWS.AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS.AWS_SECRET_ACCESS_KEY,
  region: 'us-east-1',
  service: 'bedrock-mantle',
};

test('gateway models sync signs its request', async () => {
  respond = (_, response) => json(response, { data: [], has_more: false });
  const { code } = await command(signed(), ['models', 'sync'], AWS);
  expect(code).toBe(0);
  const [asked] = vendor.received;
  expect(asked && [asked.method, wrongWith(asked, signer)]).toEqual(['GET', undefined]);
});

test('gateway models sync says that it has no credentials', async () => {
  const { code, stderr } = await command(signed(), ['models', 'sync'], { AWS_EC2_METADATA_DISABLED: 'true' });
  expect([code, stderr]).toEqual([
    69,
    'The models of anthropic could not be listed: The gateway could not get AWS credentials for the vendor anthropic (CredentialsProviderError).\n',
  ]);
});

test('gateway record signs its request, and writes no credentials', async () => {
  respond = ({ headers }, response) =>
    json(response, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: `${headers['x-amz-security-token']} ${headers.authorization}` }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  writeFileSync(
    join(directory, 'request.json'),
    JSON.stringify({ model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
  );
  const words = ['record', '--request=request.json', '--name=signed', '--out=out'];
  const { code, stderr } = await command(signed(), words, {
    ...AWS,
    AWS_SESSION_TOKEN: 'session/token+of-tests',
  });
  expect([code, stderr]).toEqual([0, '']);
  const [asked] = vendor.received;
  expect(asked && wrongWith(asked, signer)).toBeUndefined();
  const written = readFileSync(join(directory, 'out/replies/messages/signed.json'), 'utf8');
  expect(written).not.toMatch(/session.token|AKIA|Signature=[0-9a-f]{64}/);
});
