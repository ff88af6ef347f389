/** What a configuration may say about credentials, what it means, and what is refused at once. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/load.ts';
import { configuredVendors } from '../../../src/config/vendors.ts';
import type { Environment } from '../../../src/lib/environment.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-credentials-'));
afterAll(() => rmSync(directory, { recursive: true }));

const at = (name: string): string => join(directory, name);
writeFileSync(at('account.json'), JSON.stringify({ type: 'service_account' }));
writeFileSync(at('key.json'), JSON.stringify({ type: 'api_key' }));
writeFileSync(at('torn.json'), '{"type": "service_account", "private_key": "-----BEGIN');

function read(vendors: object, environment: Environment = {}) {
  writeFileSync(at('house.json'), JSON.stringify({ vendors }));
  return readConfig({ GATEWAY_CONFIG: 'house.json', ...environment }, directory);
}

const MANTLE = 'https://bedrock-mantle.us-east-1.api.aws/anthropic';
const RUNTIME = 'https://bedrock-runtime.us-gov-west-1.amazonaws.com/openai/v1';
const VPC = 'https://vpce-0a1b-x.bedrock-runtime-fips.ap-southeast-2.vpce.amazonaws.com/openai/v1';
const AZURE = 'https://resource.openai.azure.com/openai/v1';
const FOUNDRY = 'https://resource.services.ai.azure.com/anthropic';
const VERTEX = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google';

test.each<[string, object | string, object]>([
  [MANTLE, 'aws', { type: 'aws', region: 'us-east-1', service: 'bedrock-mantle' }],
  [RUNTIME, 'aws', { type: 'aws', region: 'us-gov-west-1', service: 'bedrock' }],
  [VPC, { type: 'aws' }, { type: 'aws', region: 'ap-southeast-2', service: 'bedrock' }],
  [
    MANTLE,
    { type: 'aws', region: 'eu-west-1', service: 'bedrock', profile: 'ours' },
    { type: 'aws', region: 'eu-west-1', service: 'bedrock', profile: 'ours' },
  ],
  [AZURE, 'azure', { type: 'azure', scope: 'https://cognitiveservices.azure.com/.default' }],
  [FOUNDRY, 'azure', { type: 'azure', scope: 'https://ai.azure.com/.default' }],
  [
    'https://resource.openai.azure.us/openai/v1',
    'azure',
    { type: 'azure', scope: 'https://cognitiveservices.azure.us/.default' },
  ],
  [VERTEX, 'google', { type: 'google' }],
])('%s, %j', async (baseUrl, credentials, meant) => {
  const { all } = configuredVendors(await read({ openai: { baseUrl, credentials } }));
  expect(all).toMatchObject([{ name: 'openai', key: '', credentials: meant }]);
});

test('the credentials of one of several upstreams are used for no other, and they use its proxy', async () => {
  const upstreams = [{ apiKey: 'key' }, { baseUrl: FOUNDRY, credentials: 'azure' }];
  const config = await read(
    { anthropic: { baseUrl: MANTLE, credentials: 'aws', upstreams } },
    {
      HTTPS_PROXY: 'http://proxy:3128',
    },
  );
  const [vendor] = configuredVendors(config).all;
  expect(
    vendor?.upstreams?.map(({ key, credentials }) => [key, credentials?.type, credentials?.proxy?.url]),
  ).toEqual([
    ['', 'aws', 'http://proxy:3128'],
    ['key', undefined, undefined],
    ['', 'azure', 'http://proxy:3128'],
  ]);
});

test("Google's own API accepts tokens too", async () => {
  const [vendor] = configuredVendors(await read({ google: { credentials: 'google' } })).all;
  expect(vendor?.origin).toBe('https://generativelanguage.googleapis.com');
});

const google = (file: string) => ({ google: { credentials: { type: 'google', file } } });
const KINDS = 'must be "google", "azure" or "aws", or an object whose type is one of these';
const NOT_GOOGLE = 'is not a Google credentials file (JSON with a type such as service_account)';

test.each<[object, Environment, string]>([
  [{ openai: { baseUrl: AZURE, credentials: 'gcp' } }, {}, `vendors.openai.credentials.type: ${KINDS}`],
  [{ openai: { baseUrl: AZURE, credentials: 7 } }, {}, `vendors.openai.credentials: ${KINDS}`],
  [
    { openai: { baseUrl: AZURE, credentials: { type: 'azure', tenant: 'x' } } },
    {},
    'vendors.openai.credentials: Unrecognized key: "tenant" (there are type, scope, tenantId, clientId, clientSecret)',
  ],
  [
    { openai: { baseUrl: AZURE, credentials: { type: 'azure', tenantId: '../x' } } },
    {},
    'vendors.openai.credentials.tenantId: must be one word',
  ],
  [
    { openai: { baseUrl: AZURE, credentials: 'azure' } },
    { OPENAI_API_KEY: 'sk-1' },
    'vendors.openai.apiKey: cannot be set together with credentials (OPENAI_API_KEY)',
  ],
  [
    { openai: { upstreams: [{ baseUrl: AZURE, credentials: 'azure', apiKey: 'x' }] } },
    {},
    'vendors.openai.upstreams.0.apiKey: cannot be set together with credentials',
  ],
  [
    { openai: { upstreams: [{ baseUrl: AZURE }] } },
    {},
    'vendors.openai.upstreams.0.apiKey: is required if there are no credentials',
  ],
  [
    { anthropic: { credentials: 'aws' } },
    {},
    'vendors.anthropic.credentials: needs a baseUrl, the address of this vendor in the cloud',
  ],
  [
    { anthropic: { apiKey: 'x', upstreams: [{ credentials: 'google' }] } },
    {},
    'vendors.anthropic.upstreams.0.credentials: needs a baseUrl, the address of this vendor in the cloud',
  ],
  [
    { anthropic: { baseUrl: 'https://bedrock.example/anthropic', credentials: 'aws' } },
    {},
    'vendors.anthropic.credentials: needs a region, because the address does not name one',
  ],
  [
    { anthropic: { baseUrl: MANTLE, credentials: { type: 'aws', region: 'us east' } } },
    {},
    'vendors.anthropic.credentials.region: must be a region such as us-east-1',
  ],
  [
    { openai: { baseUrl: AZURE, credentials: { type: 'azure', clientId: 'c', clientSecret: 's' } } },
    {},
    'vendors.openai.credentials: needs tenantId (or AZURE_TENANT_ID)',
  ],
  [google('nope'), {}, `vendors.google.credentials.file: ${at('nope')} cannot be read (ENOENT)`],
  [google('torn.json'), {}, `vendors.google.credentials.file: ${at('torn.json')} ${NOT_GOOGLE}`],
  [google('key.json'), {}, `vendors.google.credentials.file: ${at('key.json')} ${NOT_GOOGLE}`],
  [
    { google: { credentials: 'google' } },
    { GOOGLE_APPLICATION_CREDENTIALS: at('nope') },
    `vendors.google.credentials: GOOGLE_APPLICATION_CREDENTIALS: ${at('nope')} cannot be read (ENOENT)`,
  ],
])('%j with %j is refused, naming the field', async (vendors, environment, message) => {
  const file = message.endsWith('(OPENAI_API_KEY)') ? '' : `${at('house.json')}: `;
  await expect(read(vendors, environment)).rejects.toThrow(
    new RegExp(`^The configuration is not valid: ${RegExp.escape(file + message)}$`),
  );
});

test('the example of docs/configuration.md is valid', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');
  const [, shown = ''] = /## Azure, Bedrock, Vertex AI\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const file = at('account.json');
  const alternative = /'google', \/\/ or (\{ type: 'google', file: '[^']+' \})/;
  expect(shown).toMatch(alternative);
  writeFileSync(
    at('readme.ts'),
    shown.replace(alternative, '$1,').replace('/run/secrets/service-account.json', file),
  );
  const config = await readConfig({ GATEWAY_CONFIG: 'readme.ts' }, directory);
  const all = configuredVendors(config).all.flatMap(({ name, credentials, upstreams }) =>
    (upstreams ?? [{ credentials }]).map((each) => [name, each.credentials]),
  );
  expect(all).toEqual([
    ['openai', { type: 'azure', scope: 'https://cognitiveservices.azure.com/.default' }],
    ['anthropic', { type: 'aws', region: 'us-east-1', service: 'bedrock-mantle' }],
    ['anthropic', { type: 'azure', scope: 'https://ai.azure.com/.default' }],
    ['anthropic', { type: 'google', file }],
    ['google', { type: 'google' }],
  ]);
});

test('valid settings are accepted', async () => {
  await expect(read(google('account.json'))).resolves.toBeDefined();
});
