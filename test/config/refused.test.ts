/**
 * Settings that are rejected because they would grant, send or count something other than they seem to: each
 * error names its field.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/load.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-refused-'));
afterAll(() => rmSync(directory, { recursive: true }));

const KEY = 'a-key-of-the-team';
const HASH = 'a'.repeat(64);
const MODEL = {
  id: 'house/one',
  name: 'One',
  created: 0,
  contextWindow: 1_000,
  maxOutputTokens: 100,
  prices: { input: 1, output: 2 },
};
const key = (said: object) => ({ keys: [{ name: 'team', ...said }] });
const vendor = (said: object) => ({ vendors: { openai: { apiKey: 'k', ...said } } });
const model = (said: object) => ({ models: [{ ...MODEL, ...said }] });
const ISSUER = 'https://login.example';
const identity = (said: object) => ({
  identities: [{ name: 'okta', issuer: ISSUER, audience: 'gateway', ...said }],
});
const identities = (...said: object[]) => ({ identities: said.flatMap((one) => identity(one).identities) });
const prices = (said: object) => model({ prices: { ...MODEL.prices, ...said } });

const pem = (name: string): string => readFileSync(join(import.meta.dirname, '../faults/tls', name), 'utf8');
const cert = pem('good.pem');
const tls = (said: object) => vendor({ baseUrl: 'https://a.test/v1', tls: said });

test.each<[object, RegExp]>([
  [
    vendor({ apiKey: 'sk-1,sk-2' }),
    /openai\.apiKey: must be one key, not a list: further keys go under upstreams/,
  ],
  [vendor({ upstreams: [{ apiKey: 'sk-1; sk-2' }] }), /upstreams\.0\.apiKey: must be one key, not a list/],
  [
    key({ key: 'gw-key-one,gw-key-two' }),
    /keys\.0\.key: must be one key, not a list: further keys go under keys/,
  ],
  [
    { proxy: { except: 'a.test, 10.0.0.0/99' } },
    /proxy\.except: has 10\.0\.0\.0\/99, which is not a network/,
  ],
  [{ tls: { cert: 'no', key: pem('server.key') } }, /: tls\.cert: must be a certificate in PEM/],
  [{ tls: { cert } }, /: tls: needs certFile and keyFile, or cert and key/],
  [{ tls: { ca: cert } }, /: tls: Unrecognized key: "ca" \(there are cert, certFile, key, keyFile\)/],
  [{ admin: { tls: { cert, key: cert } } }, /admin\.tls\.key: must be the private key of cert, in PEM/],
  [tls({ ca: 'no' }), /openai\.tls\.ca: must be a certificate in PEM/],
  [tls({ cert }), /openai\.tls: needs both cert and key, or neither/],
  [tls({ key: pem('server.key') }), /openai\.tls: needs both cert and key, or neither/],
  [tls({ cert, key: cert }), /openai\.tls\.key: must be the private key of cert, in PEM and not encrypted/],
  [
    vendor({ baseUrl: 'http://a.test/v1', tls: { ca: cert } }),
    /vendors\.openai\.tls: needs an address that begins with https/,
  ],
  [
    {
      vendors: {
        a: { baseUrl: 'https://a.test/v1', apiKey: 'k' },
        b: { baseUrl: 'https://a.test/v2', apiKey: 'k', tls: { ca: cert } },
      },
    },
    /vendors\.b\.tls: must be the same as for a, which has the same address/,
  ],
  [key({}), /keys\.0: needs either key or hash/],
  [key({ key: KEY, hash: HASH }), /keys\.0: needs either key or hash/],
  [key({ key: 'short' }), /keys\.0\.key: /],
  [key({ key: 'a key with spaces' }), /keys\.0\.key: must be printable ASCII without spaces/],
  [key({ hash: HASH.toUpperCase() }), /keys\.0\.hash: must be a SHA-256 hash: 64 lower-case hex digits/],
  [key({ hash: KEY }), /keys\.0\.hash: /],
  [key({ key: KEY, models: ['gpt-4.1'] }), /keys\.0\.models\.0: must be <vendor>/],
  [key({ key: KEY, model: ['openai/*'] }), /keys\.0: .*model/],
  [key({ key: KEY, expires: '2027-01-31' }), /keys\.0\.expires: must be a time such as 2027-01-31T12:00:00Z/],
  [key({ key: KEY, limits: { budgetDay: -1 } }), /keys\.0\.limits\.budgetDay: /],
  [key({ key: KEY, limits: { budget: 1 } }), /keys\.0\.limits: .*budget/],
  [key({ key: KEY, limits: { requestsPerMinute: 0 } }), /keys\.0\.limits\.requestsPerMinute: /],
  [identity({ name: 'Okta' }), /identities\.0\.name: must be 1 to 32 lower-case letters, digits, _ or -/],
  [identity({ name: 'a/b' }), /identities\.0\.name: /],
  [identity({ name: undefined }), /identities\.0\.name: is required/],
  [
    identity({ issuer: 'http://login.example' }),
    /identities\.0\.issuer: must be https:\/\/…, .* or jwks must be set/,
  ],
  [identity({ issuer: 'okta' }), /identities\.0\.issuer: must be https/],
  [identity({ issuer: 'https://a:b@login.example' }), /identities\.0\.issuer: must be https/],
  [identity({ issuer: 'https://169.254.169.254' }), /identities\.0\.issuer: must be https/],
  [identity({ issuer: `${ISSUER}/?p=x` }), /identities\.0\.issuer: must be https/],
  [identity({ jwks: 'http://login.example/keys' }), /identities\.0\.jwks: must be https/],
  [identity({ jwks: '/keys.json' }), /identities\.0\.jwks: must be https/],
  [identity({ audience: undefined }), /identities\.0\.audience: /],
  [identity({ audience: '' }), /identities\.0\.audience: /],
  [identity({ audience: [] }), /identities\.0\.audience: /],
  [identity({ algorithms: ['HS256'] }), /identities\.0\.algorithms\.0: must be one of RS256, /],
  [identity({ algorithms: ['none'] }), /identities\.0\.algorithms\.0: must be one of RS256, /],
  [identity({ algorithms: [] }), /identities\.0\.algorithms: /],
  [identity({ require: { groups: [] } }), /identities\.0\.require\.groups: /],
  [identity({ require: { groups: { a: 1 } } }), /identities\.0\.require\.groups: must be a value or a list/],
  [identity({ models: ['gpt-4.1'] }), /identities\.0\.models\.0: must be <vendor>/],
  [identity({ limits: { budget: 1 } }), /identities\.0\.limits: .*budget/],
  [
    identity({ clientId: 'x' }),
    /identities\.0: Unrecognized key: "clientId" \(there are name, issuer, audience/,
  ],
  [
    identity({ issuer: 'https://token.actions.githubusercontent.com' }),
    /identities\.0\.require: is required, because this issuer gives tokens for any audience to everyone/,
  ],
  [identity({ issuer: 'https://accounts.google.com', require: {} }), /identities\.0\.require: is required/],
  [identities({}, { issuer: `${ISSUER}/other` }), /identities\.1\.name: is also the name of identities\.0/],
  [identities({}, { name: 'entra' }), /identities\.1\.issuer: is also the issuer of identities\.0/],
  [
    { ...identity({}), ...key({ name: 'okta/alice', key: KEY }) },
    /keys\.0\.name: must not begin like the names of callers of identities\.0/,
  ],
  [{ admin: { key: 'fifteen-letters' } }, /admin\.key: must have at least 16 characters/],
  [{ redis: { url: 'redis://:100%@localhost' } }, /redis\.url: must have special characters .* as %40/],
  [{ proxy: { url: 'me:100%@localhost:8080' } }, /proxy\.url: must have special characters .* as %40/],
  [{ redis: { url: 'http://localhost' } }, /redis\.url: must be redis:\/\//],
  [vendor({ apiKey: 'k\r\nx: y' }), /vendors\.openai\.apiKey: must be printable ASCII/],
  [vendor({ apiKey: '"sk-quoted"' }), /vendors\.openai\.apiKey: must not be in quotes/],
  [vendor({ apiKey: '' }), /vendors\.openai\.apiKey: /],
  [vendor({ headers: { 'x y': 'z' } }), /vendors\.openai\.headers/],
  [vendor({ headers: { x: 'y\nz: 1' } }), /vendors\.openai\.headers\.x: must be printable ASCII/],
  [vendor({ baseUrl: 'http://169.254.169.254/v1' }), /vendors\.openai\.baseUrl: must not be a link-local/],
  [vendor({ baseUrl: 'http://[fe80::1]/v1' }), /vendors\.openai\.baseUrl: must not be a link-local/],
  [vendor({ baseUrl: 'file:///etc/passwd' }), /vendors\.openai\.baseUrl: /],
  [vendor({ upstreams: [{ apiKey: 'k', baseUrl: 'http://169.254.169.254' }] }), /upstreams\.0\.baseUrl: /],
  [{ models: [MODEL, { ...MODEL, name: 'Two' }] }, /models: house\/one is listed more than once/],
  [model({ id: 'House/one' }), /models\.0\.id: must be <vendor>\/<model_name> in lower case/],
  [model({ id: 'one' }), /models\.0\.id: /],
  [prices({ input: -1 }), /models\.0\.prices\.input: /],
  [prices({ output: null }), /models\.0\.prices\.output: /],
  [prices({ tiers: { cheap: 0.5 } }), /models\.0\.prices\.tiers/],
  [{ aliases: { fast: 'openai/gpt-4.1' } }, /aliases\.fast: the alias must be <vendor>\/<model_name>/],
  [{ limits: { memory: 85 } }, /limits\.memory: /],
  [{ timeouts: { total: '5s' } }, /timeouts\.total: /],
  [{ model_list: [], general_settings: {} }, /: .*gateway\.config\.json is a configuration of LiteLLM\. /],
  [
    { strategy: { mode: 'fallback' }, targets: [] },
    /: .* is a configuration of Portkey\. To turn it into one of this gateway \(docs\/coming-from\.md\): gateway import /,
  ],
  [{ budgets: {} }, /: Unrecognized key: "budgets" \(there are \$schema, host, port, workers, vendors, /],
  [vendor({ apikey: 'k' }), /vendors\.openai: Unrecognized key: "apikey" \(there are baseUrl, apiKey, /],
  [key({ key: KEY, limits: { rpm: 1 } }), /keys\.0\.limits: .*"rpm" \(there are requestsPerMinute, /],
  [
    key({ key: KEY, group: 'search' }),
    /keys\.0\.group: the key \S+ names the group search, which is not in groups/,
  ],
  [
    identity({ group: 'a' }),
    /identities\.0\.group: callers of okta are to be in the group a, which is not in groups/,
  ],
  [
    identity({ group: { claim: 'teams' } }),
    /identities\.0\.group: groups is empty, so no claim can name one/,
  ],
  [identity({ group: { of: 'teams' } }), /identities\.0\.group/],
  [{ groups: [{ name: 'a' }, { name: 'a' }] }, /groups: a is listed more than once/],
  [{ groups: [{ name: '' }] }, /groups\.0\.name: /],
  [
    { groups: [{ name: 'a', limits: { rpm: 1 } }] },
    /groups\.0\.limits: .*"rpm" \(there are requestsPerMinute, /,
  ],
  [{ groups: [{ name: 'a', models: ['gpt-4o'] }] }, /groups\.0\.models\.0: must be <vendor>\//],
  [{ keys: [{ key: KEY }] }, /keys\.0\.name: is required$/],
  [{ vendors: { OpenAI: { apiKey: 'k' } } }, /vendors\.OpenAI: the name of a vendor must be in lower case/],
  [{ vendors: { 'my/own': { apiKey: 'k' } } }, /vendors\.my\/own: .*without slashes/],
  [vendor({ headers: { 'x y': 'z' } }), /vendors\.openai\.headers\.x y: is not the name of a header/],
  [vendor({ baseUrl: 'localhost:8000/v1' }), /vendors\.openai\.baseUrl: must be http:\/\/… or https:\/\/…$/],
  // Settings that are not sent must not look as if they were: a version at Azure's old addresses, a password
  // of a proxy.
  [vendor({ baseUrl: 'https://house.example/v1?api-version=1' }), /baseUrl: must not have a user, a \?query/],
  [vendor({ baseUrl: 'https://me:secret@house.example/v1' }), /baseUrl: must not have a user/],
  // An address that is copied from a vendor's documentation, with the endpoint at its end.
  [vendor({ baseUrl: 'https://house.example/v1/chat/completions' }), /baseUrl: must end before the endpoint/],
  [vendor({ baseUrl: 'https://house.example/v1/messages/' }), /baseUrl: must end before the endpoint/],
  [
    { fallbacks: { 'gpt-5.4': [] } },
    /fallbacks\.gpt-5\.4: must be <vendor>\/<model_name>, <vendor>\/\* or \*$/,
  ],
  [
    { longPromptFallbacks: { 'openai/gpt-5.4': ['gpt-5.4'] } },
    /longPromptFallbacks\.openai\/gpt-5\.4\.0: must be <vendor>\/<model_name>$/,
  ],
  [{ timeouts: { total: '5s' } }, /timeouts\.total: must be a number of milliseconds$/],
  [{ limits: { bodyBytes: '32MB' } }, /limits\.bodyBytes: must be a number of bytes$/],
  // Of two entries with one key only one is found: the other's limits would have no effect.
  [
    {
      keys: [
        { name: 'a', key: KEY },
        { name: 'b', key: KEY },
      ],
    },
    /keys\.1: is the same key as keys\.0$/,
  ],
  [
    { port: 9_000, admin: { key: 'a-key-of-the-admin', port: 9_000 } },
    /admin\.port: must differ from port, which is also 9000/,
  ],
  [{ host: '::', admin: { key: 'a-key-of-the-admin', port: 8_787 } }, /admin\.port: must differ/],
  // Browsers never send such an origin, so it would never be allowed.
  ...[
    'example.com',
    'https://example.com/',
    'https://*.example.com',
    'https://Example.com',
    'https://a.b:443',
  ].map((origin): [object, RegExp] => [
    { cors: { origins: [origin] } },
    /cors\.origins: must be "\*", or a list of/,
  ]),
  [{ cors: { origins: 'https://example.com' } }, /cors\.origins: must be "\*", or a list of/],
])('%j is rejected', async (config, said) => {
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(config));
  await expect(readConfig({}, directory)).rejects.toThrow(said);
});

test('the key of GATEWAY_API_KEY must not be in the file too, where its limits would have no effect', async () => {
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(key({ key: KEY, models: [] })));
  await expect(readConfig({ GATEWAY_API_KEY: KEY }, directory)).rejects.toThrow(
    'keys.1: is the same key as keys.0 (GATEWAY_API_KEY)',
  );
});

test.each([
  [{ cors: { origins: ['*'] } }, { cors: { origins: '*' } }],
  [
    {
      cors: {
        origins: ['https://chat.example.com', 'http://localhost:3000', 'null', 'chrome-extension://abc'],
      },
    },
    {
      cors: {
        origins: ['https://chat.example.com', 'http://localhost:3000', 'null', 'chrome-extension://abc'],
      },
    },
  ],
  // This part of a model is only shown to people.
  [
    { models: [{ ...MODEL, name: undefined, created: undefined }] },
    { models: [{ ...MODEL, name: 'one', created: 0 }] },
  ],
  [model({ name: 'The One', created: 5 }), { models: [{ ...MODEL, name: 'The One', created: 5 }] }],
  // The two listeners have different addresses, so both can use the port.
  [
    { host: '192.0.2.1', port: 9_000, admin: { key: 'a-key-of-the-admin', port: 9_000 } },
    { port: 9_000, admin: { port: 9_000 } },
  ],
])('%j is accepted', async (config, read) => {
  writeFileSync(join(directory, 'gateway.config.json'), JSON.stringify(config));
  await expect(readConfig({}, directory)).resolves.toMatchObject(read);
});
