/** `gateway check`, and what a start prints for the same configuration. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { textOfPages } from '../support/pages.ts';
import { spawnGateway } from '../support/process.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-check-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** The file that `check` writes. Errors in its fields name the file. */
const file = () => join(directory, 'gateway.config.json');

async function check(config: ConfigInput) {
  await writeFile(file(), JSON.stringify(config));
  return runCommand(directory, ['check']);
}

const certificates = join(import.meta.dirname, '../faults/tls');
const certified = (name: string) => ({
  certFile: join(certificates, name),
  keyFile: join(certificates, 'server.key'),
});

const at = (baseUrl: string) => ({ apiKey: 'sk-of-a-vendor', baseUrl });

test('reports what a valid configuration contains', async () => {
  const { code, stdout } = await check({ port: 8_123, vendors: { openai: { apiKey: 'sk-of-a-vendor' } } });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^The configuration is valid\.\nRead from .*[\\/]gateway\.config\.json\.\nVendors with a key: openai, serving \d\d models\.\nWould listen on 127\.0\.0\.1:8123\. API keys in the configuration: 0\.\n$/,
  );
});

test('names an invalid field, with exit code 78', async () => {
  const { code, stderr } = await check({ port: -1 });
  expect([code, stderr]).toEqual([
    78,
    `The configuration is not valid: ${file()}: port: must be at least 0\n`,
  ]);
});

const KINDS: readonly (readonly [file: string, text: string])[] = [
  ['house.json', '{"port": 8123}'],
  ['house.mjs', 'export default { port: 8123 };'],
  ['house.cjs', 'module.exports = { port: 8123 };'],
  ['house.ts', 'export default { port: 8123 };'],
  ['house.yaml', 'port: 8123'],
];

test.each(KINDS)('a file with another name is read: %s', async (file, text) => {
  await writeFile(join(directory, file), text);
  const named = await runCommand(directory, ['check', file]);
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('127.0.0.1:8123') });
  const inVariable = await runCommand(directory, ['check'], { GATEWAY_CONFIG: join(directory, file) });
  expect(inVariable).toMatchObject({ code: 0, stdout: expect.stringContaining('127.0.0.1:8123') });
});

test('a JSON file may begin with the byte order mark that editors on Windows write', async () => {
  await writeFile(join(directory, 'marked.json'), '\uFEFF{"port": 8123}');
  const { code, stdout } = await runCommand(directory, ['check', 'marked.json']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('127.0.0.1:8123')]);
});

test('rejects an alias of a model that does not exist', async () => {
  const known = { 'house/fast': 'openai/gpt-4o', 'house/usual': 'HOUSE/fast' };
  expect((await check({ aliases: known })).code).toBe(0);
  const { code, stderr } = await check({ aliases: { ...known, 'house/best': 'openai/gpt4o' } });
  expect([code, stderr]).toEqual([
    78,
    `The configuration is not valid: ${file()}: aliases.house/best: the catalog has no model openai/gpt4o. Did you mean openai/gpt-4o?\n`,
  ]);
});

test('the configuration shown in docs/configuration.md is valid', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const [, shown = ''] = /```ts\n(export default \{\n[\s\S]*?\n\};\n)```/.exec(page) ?? [];
  await writeFile(join(directory, 'readme.ts'), shown.replace(/<sha256 [^>]*>/, '0'.repeat(64)));
  const env = { OPENAI_API_KEY: 'sk-1', DEEPSEEK_API_KEY: 'sk-2', TEAM_KEY: 'a-key-of-a-team' };
  const { stderr, stdout } = await runCommand(directory, ['check', 'readme.ts'], env);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Vendors with a key: openai, deepseek, vllm, serving \d\d models\.$/m);
  expect(stdout).not.toContain('The vendor');
});

test('reports that there is no file, for users who are in the wrong folder', async () => {
  const elsewhere = await mkdtemp(join(directory, 'elsewhere-'));
  const { code, stdout } = await runCommand(elsewhere, ['check']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`There is no gateway.config.* in ${elsewhere}: using `),
  ]);
});

test('reports unknown models of keys and groups, and an unknown dialect', async () => {
  const { code, stdout } = await check({
    keys: [
      { name: 'team', key: 'a-key-of-a-team', models: ['openai/gpt-5.4', 'openai/gpt5', 'anthropic/*'] },
    ],
    groups: [{ name: 'search', models: ['openai/*', 'openai/gpt-none'] }],
    vendors: {
      openai: { apiKey: 'sk-1', dialect: 'opnai' },
      vllm: { ...at('http://localhost:8000/v1'), dialect: 'vllm' },
    },
  });
  expect(code).toBe(0);
  expect(stdout.match(/^Note: .*$/gm)).toEqual([
    'Note: the catalog has no model openai/gpt5 (see "gateway models").',
    'Note: the catalog has no model openai/gpt-none (see "gateway models").',
  ]);
  expect(stdout).toContain('The vendor openai has an unknown dialect, opnai, so ');
  expect(stdout).not.toContain('The vendor vllm has an unknown dialect');
});

test('reports fallbacks that are never used, and those that are the model itself', async () => {
  const fallbacks = {
    'openai/gpt-5.4': ['x-ai/grok-4.7', 'house/usual', 'openai/gpt-4o', 'OPENAI/gpt-5.4'],
    'anthropic/claude-sonnet-5-5': ['openai/gpt-4o'],
    'anthropic/*': ['openai/gpt-4o'],
    'openai/*': ['x-ai/grok-4.7', 'openai/gpt-4o'],
    '*': ['anthropic/claude-sonnet-5-5', 'openai/gpt-4o'],
  };
  const longPromptFallbacks = { 'openai/gpt-4.1': ['openai/gpt-4o', 'openai/gpt-4.1'] };
  const contentPolicyFallbacks = { '*': ['x-ai/grok-4.7'] };
  const aliases = { 'house/usual': 'openai/gpt-5.4' };
  const vendors = { openai: { apiKey: 'sk-1' } };
  const { code, stdout } = await check({
    vendors,
    aliases,
    fallbacks,
    longPromptFallbacks,
    contentPolicyFallbacks,
  });
  expect(code).toBe(0);
  expect(stdout.match(/^.*\bfallback.*$/gm)).toEqual([
    'The fallback x-ai/grok-4.7 of openai/gpt-5.4 is never used, because no vendor with a key serves it.',
    'The fallback house/usual of openai/gpt-5.4 is the same model, so it is skipped.',
    'The fallback OPENAI/gpt-5.4 of openai/gpt-5.4 is the same model, so it is skipped.',
    'Of the 4 fallbacks of openai/gpt-5.4 a request asks at most 1 (retries.limit).',
    'The fallbacks of anthropic/claude-sonnet-5-5 are never used, because no vendor with a key serves anthropic/claude-sonnet-5-5.',
    'The fallbacks of anthropic/* are never used, because no vendor with a key serves anthropic/*.',
    'The fallback x-ai/grok-4.7 of openai/* is never used, because no vendor with a key serves it.',
    'Of the 2 fallbacks of openai/* a request asks at most 1 (retries.limit).',
    'The fallback anthropic/claude-sonnet-5-5 of * is never used, because no vendor with a key serves it.',
    'Of the 2 fallbacks of * a request asks at most 1 (retries.limit).',
    'The long-prompt fallback openai/gpt-4o of openai/gpt-4.1 takes no longer prompts: it has 128000 tokens, and openai/gpt-4.1 1047576.',
    'The long-prompt fallback openai/gpt-4.1 of openai/gpt-4.1 is the same model, so it is skipped.',
    'Of the 2 long-prompt fallbacks of openai/gpt-4.1 a request asks at most 1 (retries.limit).',
    'The content-policy fallback x-ai/grok-4.7 of * is never used, because no vendor with a key serves it.',
  ]);
  // The sandbox serves every model.
  expect((await check({ fallbacks: { 'openai/gpt-5.4': ['x-ai/grok-4.7'] } })).stdout).not.toContain(
    'The fallback',
  );
});

test('reports unknown models of limits, each once', async () => {
  const { code, stdout } = await check({
    keys: [
      {
        name: 'team',
        key: 'a-key-of-a-team',
        models: ['openai/nope'],
        modelLimits: [{ models: ['openai/nope', 'openai/gpt-5.4', 'antropic/*'], budgetDay: 1 }],
      },
    ],
    groups: [{ name: 'search', modelLimits: [{ models: ['openai/*', 'openai/gpt-none'], budgetDay: 1 }] }],
    vendors: { openai: { apiKey: 'sk-1' } },
  });
  expect(code).toBe(0);
  expect(stdout.match(/^Note: .*$/gm)).toEqual(
    ['openai/nope', 'antropic/*', 'openai/gpt-none'].map(
      (model) => `Note: the catalog has no model ${model} (see "gateway models").`,
    ),
  );
});

test('a key that other gateways would read from the environment is sent literally, with a warning', async () => {
  const baseUrl = 'http://localhost:8000/v1';
  const { code, stdout } = await check({
    vendors: {
      openai: { apiKey: 'os.environ/OPENAI_API_KEY' },
      anthropic: { apiKey: 'sk-ant-env.X', upstreams: [{ apiKey: 'env.ANTHROPIC_KEY' }] },
      vllm: { baseUrl, apiKey: '$VLLM_KEY' },
      google: { apiKey: 'environment' },
    },
  });
  expect(code).toBe(0);
  expect(stdout.match(/^A key of .*$/gm)).toEqual([
    `A key of the vendor openai is the name of a variable, and is sent as it is. Write \${OPENAI_API_KEY} in JSON, YAML or TOML, or process.env.OPENAI_API_KEY in code.`,
    expect.stringContaining(
      `vendor anthropic is the name of a variable, and is sent as it is. Write \${ANTHROPIC_KEY} `,
    ),
    expect.stringContaining('vendor vllm is'),
  ]);
});

test('options of the commands in the pages come after --, otherwise npm would take them', () => {
  for (const [command] of textOfPages().matchAll(/npm run (?:gateway|bench)[^`\n]*/g))
    expect(command).not.toMatch(/^(?:(?! -- ).)* --\w/);
});

test('a missing file is named, with the folder that was searched', async () => {
  const { code, stderr } = await runCommand(directory, ['check', 'none.json']);
  expect(code).toBe(78);
  expect(stderr).toBe(
    `The configuration file cannot be read: ${join(directory, 'none.json')} does not exist\n`,
  );
});

test('rejects a key of a group that does not exist, with exit code 78', async () => {
  const { code, stderr } = await check({
    groups: [{ name: 'search' }],
    keys: [{ name: 'ranker', key: 'a-key-of-a-team', group: 'serach' }],
  });
  expect([code, stderr]).toEqual([
    78,
    `The configuration is not valid: ${file()}: keys.0.group: the key ranker names the group serach, which is not in groups\n`,
  ]);
});

test('reports the line at which a TypeScript file breaks off', async () => {
  await writeFile(join(directory, 'broken.ts'), 'export default {\n  port: 8123,\n  keys: [\n');
  const { code, stderr } = await runCommand(directory, ['check', 'broken.ts']);
  expect(code).toBe(78);
  expect(stderr).toMatch(/^The configuration file cannot be read: .*\S \(line 4 column 0\)\n$/);
});

test('for a vendor that serves nothing, the right name is suggested', async () => {
  const { stdout } = await check({
    vendors: {
      xai: at('https://api.x.ai/v1'),
      mistral: at('https://api.mistral.ai/v1'),
      'z-ai': at('https://api.z.ai/v1'),
      elsewhere: at('https://models.example/v1'),
      // A vendor with openai's models exists: a second entry is another address of it, or has models of its
      // own.
      openai: at('https://api.openai.com/v1'),
      'openai-eu': at('https://eu.api.openai.com/v1'),
    },
  });
  expect(stdout).toContain(
    'The vendor openai-eu serves no model, because no model id begins with openai-eu/',
  );
  expect(stdout).toContain('The vendor xai serves no model: the ids in the catalog begin with x-ai/');
  expect(stdout).toContain('so rename the vendor to mistralai.');
  expect(stdout).toContain(
    'The vendor elsewhere serves no model, because no model id begins with elsewhere/',
  );
  expect(stdout).not.toContain('vendor z-ai');
});

test('times in seconds and prices for one token, as other gateways have them, are reported', async () => {
  const model = { id: 'openai/ours', contextWindow: 8_192, maxOutputTokens: 4_096 };
  const { code, stdout } = await check({
    vendors: { openai: { apiKey: 'sk-of-a-vendor' } },
    timeouts: { total: 120, firstByte: 60_000, keepAlive: 1_000 },
    models: [
      { ...model, prices: { input: 0.000_000_3, output: 0.000_001_2 } },
      { ...model, id: 'openai/free', prices: { input: 0, output: 0 } },
      { ...model, id: 'openai/cheap', prices: { input: 0.01, output: 0.02 } },
    ],
  });
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => /milliseconds|prices/.test(line))).toEqual([
    'timeouts.total is 120 milliseconds. For 120 seconds, write 120000.',
    'The prices of openai/ours are in dollars per million tokens, and so low that they may be meant for one token.',
  ]);
});

test('a vendor with an address and no key is reported to serve nothing', async () => {
  const baseUrl = 'http://localhost:11434/v1';
  const { code, stdout } = await check({
    vendors: { openai: { apiKey: 'sk-of-a-vendor' }, ollama: { baseUrl }, vllm: at(baseUrl) },
  });
  expect(code).toBe(0);
  expect(stdout).toContain('The vendor ollama has an address but no key, so it serves nothing.');
  expect(stdout).not.toMatch(/vendor (?:openai|vllm) has/);
});

test.each([
  [
    'GEMINI',
    'http://localhost:9/v1/',
    'http://localhost:9/v1/v1beta/models: its baseUrl should not end in /v1.',
  ],
  [
    'OPENAI',
    'https://api.openai.com',
    'https://api.openai.com/chat/completions: its baseUrl should end in /v1.',
  ],
  ['ANTHROPIC', 'https://api.deepseek.com/anthropic', undefined],
  ['ANTHROPIC', 'https://api.anthropic.com/v1/', undefined],
  ['GEMINI', 'http://localhost:9/v1beta', undefined],
  ['OPENAI', 'https://api.openai.com/v1', undefined],
  [
    'OPENAI',
    'http://localhost:11434/',
    'http://localhost:11434/chat/completions: its baseUrl should end in /v1 if it is that of Ollama, vLLM, LM Studio or the like.',
  ],
  // Some services have their paths directly under the host.
  ['OPENAI', 'https://api.deepseek.com', undefined],
])('%s_BASE_URL=%s: a path that would be duplicated or missing is reported', async (vendor, url, words) => {
  await check({});
  const env = { [`${vendor}_API_KEY`]: 'sk-of-a-vendor', [`${vendor}_BASE_URL`]: url };
  const { code, stdout } = await runCommand(directory, ['check'], env);
  expect(code).toBe(0);
  if (words === undefined) expect(stdout).not.toContain('should');
  else expect(stdout).toContain(`go to ${words}\n`);
});

test('a vendor with a key and no address is rejected: otherwise simulated vendors would answer in its place', async () => {
  const { code, stderr } = await check({ vendors: { homemade: { apiKey: 'sk-of-a-vendor' } } });
  expect([code, stderr]).toEqual([
    78,
    `The configuration is not valid: ${file()}: vendors.homemade.baseUrl: is required, because this vendor has a key\n`,
  ]);
  await check({});
  const compatible = await runCommand(directory, ['check'], { COMPATIBLE_API_KEY: 'sk-of-a-service' });
  expect(compatible).toMatchObject({ code: 78, stderr: expect.stringContaining('COMPATIBLE_BASE_URL') });
  const further = { upstreams: [{ apiKey: 'sk-of-a-vendor', baseUrl: 'https://models.example/v1' }] };
  expect((await check({ vendors: { homemade: further } })).code).toBe(0);
  const nowhere = { upstreams: [{ apiKey: 'sk-of-a-vendor' }] };
  expect((await check({ vendors: { homemade: nowhere } })).code).toBe(78);
  expect((await check({ vendors: { homemade: {} } })).code).toBe(0);
});

test.each([
  ['xai', 'x-ai'],
  ['mistral', 'mistralai'],
  ['opnai', 'openai'],
  ['antropic', 'anthropic'],
  ['gemini', 'google'],
  ['homemade', undefined],
])('a vendor %s without an address may be a misspelt %s', async (name, meant) => {
  const { code, stderr } = await check({ vendors: { [name]: { apiKey: 'sk-of-a-vendor' } } });
  const advice = meant === undefined ? '' : `. Did you mean the vendor ${meant}?`;
  expect([code, stderr]).toEqual([
    78,
    `The configuration is not valid: ${file()}: vendors.${name}.baseUrl: is required, because this vendor has a key${advice}\n`,
  ]);
});

test('a gateway that would send requests to itself is rejected, also if the shell sets the address', async () => {
  await check({ port: 8_123 });
  const asClients = { OPENAI_API_KEY: 'a-key-of-mine', OPENAI_BASE_URL: 'http://localhost:8123/v1' };
  const refused = {
    code: 78,
    stderr:
      'The configuration is not valid: vendors.openai.baseUrl: is the address of this gateway itself (OPENAI_BASE_URL)\n',
  };
  expect(await runCommand(directory, ['check'], asClients)).toMatchObject(refused);
  expect(await runCommand(directory, ['start'], asClients)).toMatchObject(refused);
  await check({ port: 8_123, tls: certified('good.pem') });
  expect(await runCommand(directory, ['check'], asClients)).toMatchObject({ code: 0 });
  const asSecureClients = { ...asClients, OPENAI_BASE_URL: 'https://localhost:8123/v1' };
  expect(await runCommand(directory, ['check'], asSecureClients)).toMatchObject(refused);
  // Other commands serve no requests.
  expect(await runCommand(directory, ['models', '--json'], asClients)).toMatchObject({ code: 0 });
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:8123/v1', 78],
  ['0.0.0.0', 'http://[::1]:8123/v1', 78],
  ['::', 'http://127.0.0.1:8123/v1', 78],
  ['10.1.2.3', 'http://10.1.2.3:8123/v1', 78],
  ['fd00::1', 'http://[fd00::1]:8123/v1', 78],
  ['10.1.2.3', 'http://localhost:8123/v1', 0],
  ['127.0.0.1', 'http://localhost:8124/v1', 0],
  ['127.0.0.1', 'http://models.example:8123/v1', 0],
  // A TLS address is not this gateway, but a proxy may stand in front of it.
  ['127.0.0.1', 'https://localhost:8123/v1', 0],
])('on %s, a vendor at %s: exit code %i', async (host, baseUrl, code) => {
  const own = { apiKey: 'sk-of-a-vendor' };
  expect((await check({ host, port: 8_123, vendors: { openai: { ...own, baseUrl } } })).code).toBe(code);
  const further = { ...own, upstreams: [{ ...own, baseUrl }] };
  expect((await check({ host, port: 8_123, vendors: { openai: further } })).code).toBe(code);
});

test('an address without a port means port 80', async () => {
  const openai = { apiKey: 'sk-of-a-vendor', baseUrl: 'http://localhost/v1' };
  expect((await check({ port: 80, vendors: { openai } })).code).toBe(78);
  expect((await check({ port: 8_123, vendors: { openai } })).code).toBe(0);
});

test.each([
  ['PORT', 'abc', 'port: Invalid input: expected number'],
  ['WORKERS', '1.5', 'workers: '],
  ['OPENAI_BASE_URL', 'api.openai.com', 'vendors.openai.baseUrl: must be http://… or https://…'],
  ['GATEWAY_ADMIN_PORT', '70000', 'admin.port: '],
  ['GATEWAY_LOG', 'xml', 'log: '],
])('%s=%s is rejected, and the error names the variable', async (variable, value, words) => {
  await check({ port: 1234 });
  const { code, stderr } = await runCommand(directory, ['check'], { [variable]: value });
  expect(code).toBe(78);
  expect(stderr).toContain(`The configuration is not valid: ${words}`);
  expect(stderr).toContain(` (${variable})\n`);
});

test('an error in the file names its field, even if the environment sets another value', async () => {
  await check({ port: -1, keys: [{ name: 'team' }] });
  const { stderr } = await runCommand(directory, ['check'], {
    HOST: '::1',
    GATEWAY_API_KEY: 'a-key-of-mine',
  });
  expect(stderr).toMatch(/not valid: .*gateway\.config\.json: port: .*; keys\.0: /);
});

test.each(['GATEWAY_API_KEY', 'GATEWAY_ADMIN_KEY'])(
  '%s that ends in a line break, so that no client could send it, is rejected',
  async (variable) => {
    await check({});
    const { code, stderr } = await runCommand(directory, ['check'], { [variable]: 'a-key-from-a-file\n' });
    expect(code).toBe(78);
    expect(stderr).toContain(`must be printable ASCII without spaces or line breaks (${variable})`);
    expect(stderr).not.toContain('a-key-from');
  },
);

test('a vendor with models in the configuration serves them', async () => {
  const { stdout } = await check({
    vendors: { elsewhere: at('https://models.example/v1') },
    models: [
      {
        id: 'elsewhere/one',
        name: 'One',
        created: 0,
        contextWindow: 1_000,
        maxOutputTokens: 100,
        prices: { input: 1, output: 2 },
      },
    ],
  });
  expect(stdout).toContain('Vendors with a key: elsewhere, serving 1 model.');
  expect(stdout).not.toContain('serves no model');
});

test('a start reports it too', async () => {
  const gateway = await spawnGateway({ vendors: { xai: at('http://127.0.0.1:9') } });
  try {
    expect(gateway.output()).toContain('so rename the vendor to x-ai.');
  } finally {
    await gateway.close();
  }
});

test.each([
  ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ['ANTROPIC_API_KEY', 'ANTHROPIC_API_KEY'],
])('a vendor key under an unknown name is reported, without its value: %s', async (name, own) => {
  const bare = await mkdtemp(join(tmpdir(), 'gateway-variables-'));
  try {
    const told = `The variable ${name} is set but not read: the gateway reads ${own}.`;
    const checked = await runCommand(bare, ['check'], { [name]: 'sk-of-a-vendor' });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(told) });
    expect(checked.stdout).not.toContain('sk-of-a-vendor');
    // Both may be set, for the gateway and for a program beside it.
    const both = await runCommand(bare, ['check'], { [name]: 'sk-of-a-vendor', [own]: 'sk-of-another' });
    expect(both.stdout).not.toContain('is not read');
    const gateway = await spawnGateway({}, { env: { [name]: 'sk-of-a-vendor' } });
    try {
      await expect.poll(gateway.output).toContain(told);
    } finally {
      await gateway.close();
    }
  } finally {
    await rm(bare, { recursive: true });
  }
});

test('a .env is read, and reported', async () => {
  const bare = await mkdtemp(join(tmpdir(), 'gateway-dotenv-'));
  try {
    await writeFile(join(bare, '.env'), 'OPENAI_API_KEY=sk-of-a-vendor');
    const { stdout } = await runCommand(bare, ['check']);
    expect(stdout).toContain('Vendors with a key: openai,');
    expect(stdout).toMatch(/^Variables that the environment does not set come from .*\.env\.$/m);
    const overridden = await runCommand(bare, ['check'], { OPENAI_API_KEY: 'sk-1,sk-2' });
    expect(overridden.stderr).toContain('must be one key, not a list');
  } finally {
    await rm(bare, { recursive: true });
  }
});

test('a variable in .env that Node reads earlier is named by every command', async () => {
  const bare = await mkdtemp(join(tmpdir(), 'gateway-dotenv-'));
  try {
    await writeFile(join(bare, '.env'), 'NODE_EXTRA_CA_CERTS=/etc/ssl/corporate.pem');
    const told =
      'NODE_EXTRA_CA_CERTS is in .env, but Node reads it before that file. Set it in the environment.\n';
    expect((await runCommand(bare, ['check'])).stderr).toBe(told);
    expect((await runCommand(bare, ['check'], { NODE_EXTRA_CA_CERTS: '' })).stderr).toBe('');
    const gateway = startCommand(bare, ['start'], { PORT: '0' });
    await expect.poll(gateway.stderr).toContain(told);
    gateway.child.kill();
    await gateway.ended;
  } finally {
    await rm(bare, { recursive: true });
  }
});

test('reports keys of the configuration that have expired', async () => {
  const { code, stdout } = await check({
    keys: [
      { name: 'spring', key: 'a-key-of-the-spring', expires: '2026-01-01T00:00:00Z' },
      { name: 'later', key: 'a-key-of-a-later-time', expires: '2999-01-01T00:00:00Z' },
      { name: 'always', key: 'a-key-of-all-times' },
    ],
  });
  expect(code).toBe(0);
  expect(stdout.match(/^Note: .*$/gm)).toEqual(['Note: the key spring expired on 2026-01-01.']);
});

test('reports certificates that have expired', async () => {
  const expired = certified('expired.pem');
  const { code, stdout } = await check({
    tls: expired,
    admin: { tls: certified('good.pem') },
    vendors: {
      openai: {
        apiKey: 'sk-of-a-vendor',
        upstreams: [{ apiKey: 'sk-2', baseUrl: 'https://b.test/v1', tls: expired }],
      },
    },
  });
  expect(code).toBe(0);
  expect(stdout.match(/^Note: the cert.*$/gm)).toEqual([
    'Note: the certificate of tls expired on 2020-02-01.',
    'Note: the certificate of vendors.openai.upstreams.0.tls expired on 2020-02-01.',
  ]);
});

test.runIf(hasRedis())('reports a Redis that drops counters, and one that cannot be reached', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const client = new Redis(redis.url);
  await client.config('SET', 'maxmemory-policy', 'allkeys-random');
  await client.config('SET', 'maxmemory', '100mb');
  client.disconnect();
  const dropping = await check({ redis: { url: redis.url } });
  expect([dropping.code, dropping.stderr]).toEqual([0, '']);
  expect(dropping.stdout.match(/^Redis .*$/gm)).toEqual([
    'Redis drops counters of limits without a word when its memory is full (its maxmemory-policy is allkeys-random), and callers can then exceed their limits. Set the policy to volatile-lru, or to noeviction if it has nothing but limits.',
  ]);
  await redis.stop();
  const away = await check({ redis: { url: redis.url } });
  expect([away.code, away.stderr]).toEqual([0, '']);
  expect(away.stdout.match(/^Redis .*$/gm)).toEqual([
    expect.stringMatching(/^Redis cannot be reached \(connect ECONNREFUSED /),
  ]);
});
