/** Keys in files of their own. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../src/config/load.ts';
import type { Environment } from '../../src/lib/environment.ts';

const directory = mkdtempSync(join(tmpdir(), 'gateway-key-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

const at = (name: string): string => join(directory, name);
writeFileSync(at('token'), 'a-key-of-sixteen-or-more\n');
writeFileSync(at('url'), 'postgres://u:p@a/b\r\n');
writeFileSync(at('blank'), '\n');

/** Reads a configuration file that contains `input`. */
function read(input: object, environment: Environment = {}) {
  writeFileSync(at('house.json'), JSON.stringify(input));
  return readSettings({ GATEWAY_CONFIG: 'house.json', ...environment }, directory);
}

describe('a variable of a secret', () => {
  test.each<[string, object]>([
    ['GATEWAY_API_KEY', { keys: [{ name: 'GATEWAY_API_KEY', key: 'a-key-of-sixteen-or-more' }] }],
    ['GATEWAY_ADMIN_KEY', { admin: { key: 'a-key-of-sixteen-or-more' } }],
    ['OPENAI_API_KEY', { vendors: { openai: { apiKey: 'a-key-of-sixteen-or-more' } } }],
    ['ANTHROPIC_API_KEY', { vendors: { anthropic: { apiKey: 'a-key-of-sixteen-or-more' } } }],
    ['GEMINI_API_KEY', { vendors: { google: { apiKey: 'a-key-of-sixteen-or-more' } } }],
  ])('%s may be in the file that another variable names', async (name, config) => {
    expect(await read({}, { [`${name}_FILE`]: 'token' })).toMatchObject({
      config,
      files: [at('house.json'), at('token')],
    });
  });

  test('so may DATABASE_URL, at any path', async () => {
    const { config } = await read({}, { DATABASE_URL_FILE: at('url') });
    expect(config.store.url).toBe('postgres://u:p@a/b');
  });

  test.each<[Environment, string]>([
    [{ OPENAI_API_KEY_FILE: 'nope' }, `OPENAI_API_KEY_FILE: ${at('nope')} cannot be read (ENOENT)`],
    [{ OPENAI_API_KEY_FILE: '.' }, `OPENAI_API_KEY_FILE: ${directory} cannot be read (EISDIR)`],
    [{ OPENAI_API_KEY_FILE: 'blank' }, `OPENAI_API_KEY_FILE: ${at('blank')} is empty`],
    [
      { OPENAI_API_KEY_FILE: 'token', OPENAI_API_KEY: 'k' },
      'OPENAI_API_KEY_FILE: OPENAI_API_KEY is also set, but only one of them may be',
    ],
    [{ REDIS_URL_FILE: 'token' }, 'redis.url: must be redis://… or rediss://… (REDIS_URL)'],
  ])('%j is rejected, by name', async (environment, message) => {
    await expect(read({}, environment)).rejects.toThrow(`The configuration is not valid: ${message}`);
  });

  test('a pipe is refused at once, and not waited for, as a configuration is', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const message = `${at('pipe')} is not a regular file`;
    await expect(read({}, { OPENAI_API_KEY_FILE: 'pipe' })).rejects.toThrow(
      `OPENAI_API_KEY_FILE: ${message}`,
    );
    const vendors = { google: { credentials: { type: 'google', file: 'pipe' } } };
    await expect(read({ vendors })).rejects.toThrow(`vendors.google.credentials.file: ${message}`);
    const tls = { certFile: 'pipe', keyFile: 'pipe' };
    await expect(read({ tls })).rejects.toThrow(`tls.certFile: ${message}`);
  });

  test('other variables are not read from files', async () => {
    expect((await read({}, { PORT_FILE: 'nope', OPENAI_BASE_URL_FILE: 'nope' })).files).toEqual([
      at('house.json'),
    ]);
  });
});

test('the certificates of the gateway itself are read from their files, which are watched', async () => {
  const [certFile, keyFile] = ['good.pem', 'server.key'].map((name) =>
    join(import.meta.dirname, '../faults/tls', name),
  );
  const { config, files } = await read({ tls: { certFile, keyFile }, admin: { tls: { certFile, keyFile } } });
  const text = readFileSync(certFile ?? '', 'utf8').trim();
  expect(config).toMatchObject({ tls: { cert: text, certFile }, admin: { tls: { cert: text } } });
  expect(files).toEqual([at('house.json'), certFile, keyFile]);
});

test('certificates of a vendor and of its upstreams are read from their files, which are watched', async () => {
  const ca = join(import.meta.dirname, '../faults/tls/ca.pem');
  const upstreams = [{ apiKey: 'b', tls: { caFile: ca } }];
  const { config, files } = await read({
    vendors: { openai: { apiKey: 'a', tls: { caFile: ca }, upstreams } },
  });
  const text = readFileSync(ca, 'utf8').trim();
  expect(config.vendors['openai']).toMatchObject({ tls: { ca: text }, upstreams: [{ tls: { ca: text } }] });
  expect(files).toEqual([at('house.json'), ca]);
});

describe('apiKeyFile', () => {
  test('of a vendor and of its upstreams', async () => {
    const upstreams = [{ apiKeyFile: at('token') }, { apiKey: 'b' }];
    const { config, files } = await read({ vendors: { openai: { apiKeyFile: 'token', upstreams } } });
    expect(config.vendors['openai']).toMatchObject({
      apiKey: 'a-key-of-sixteen-or-more',
      upstreams: [{ apiKey: 'a-key-of-sixteen-or-more' }, { apiKey: 'b' }],
    });
    expect(files).toEqual([at('house.json'), at('token')]);
  });

  test('the environment overrides it', async () => {
    const { config } = await read({ vendors: { openai: { apiKeyFile: 'token' } } }, { OPENAI_API_KEY: 'k' });
    expect(config.vendors['openai']?.apiKey).toBe('k');
  });

  test.each<[object, string]>([
    [{ openai: { apiKeyFile: 'nope' } }, `vendors.openai.apiKeyFile: ${at('nope')} cannot be read (ENOENT)`],
    [
      { openai: { upstreams: [{ apiKeyFile: 'blank' }] } },
      `vendors.openai.upstreams.0.apiKeyFile: ${at('blank')} is empty`,
    ],
    [
      { openai: { apiKey: 'k', apiKeyFile: 'token' } },
      'vendors.openai: needs either apiKey or apiKeyFile, not both',
    ],
    [
      { openai: { apiKey: 'k', tls: { caFile: 'nope' } } },
      `vendors.openai.tls.caFile: ${at('nope')} cannot be read (ENOENT)`,
    ],
    [
      { openai: { apiKey: 'k', tls: { ca: 'x', caFile: 'token' } } },
      'vendors.openai.tls: needs either ca or caFile, not both',
    ],
    [{ openai: { apiKeyFile: 7 } }, 'vendors.openai.apiKeyFile: Invalid input: expected string'],
    [{ openai: { upstreams: 7 } }, 'vendors.openai.upstreams: Invalid input: expected array'],
  ])('%j is rejected, by name', async (vendors, message) => {
    await expect(read({ vendors })).rejects.toThrow(message);
  });
});
