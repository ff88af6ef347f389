/** The effective configuration as administrators see it: no secret is in it, and each value has its source. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../src/config/load.ts';

test('each value says where it comes from, and secrets are only said to be set', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-describe-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = {
    port: 9000,
    keys: [{ name: 'app', key: 'gw-SECRET-of-the-app' }],
    vendors: {
      openai: { apiKey: 'SECRET-in-a-file', headers: { 'x-team': 'SECRET-header' } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how a file names a variable.
      mistralai: { apiKey: '${FILLED}' },
    },
  };
  await writeFile(join(directory, 'gateway.config.json'), JSON.stringify(file));
  const { describe } = await readSettings(
    {
      FILLED: 'SECRET-filled-in',
      ANTHROPIC_API_KEY: 'SECRET-in-the-environment',
      DATABASE_URL: 'postgres://user:SECRET-password@db.example/gateway?sslpassword=SECRET',
      GATEWAY_ADMIN_KEY: 'SECRET-admin-key-of-the-test',
      HOST: '127.0.0.2',
    },
    directory,
  );
  const entries = describe();
  expect(JSON.stringify(entries)).not.toContain('SECRET');
  const of = (path: string) => entries.find((entry) => entry.path === path);
  expect(of('port')).toMatchObject({ value: 9000, source: 'file' });
  expect(of('host')).toMatchObject({ value: '127.0.0.2', source: 'HOST' });
  expect(of('workers')).toMatchObject({ source: 'default' });
  expect(of('keys.0.name')).toMatchObject({ value: 'app', source: 'file' });
  expect(of('keys.0.key')).toMatchObject({ isSecret: true, source: 'file' });
  expect(of('vendors.openai.apiKey')).toMatchObject({ isSecret: true, source: 'file' });
  expect(of('vendors.openai.headers.x-team')).toMatchObject({ isSecret: true, source: 'file' });
  expect(of('vendors.anthropic.apiKey')).toMatchObject({ isSecret: true, source: 'ANTHROPIC_API_KEY' });
  expect(of('store.url')).toMatchObject({ value: 'postgres://db.example/gateway', source: 'DATABASE_URL' });
  expect(of('admin.key')).toMatchObject({ isSecret: true, source: 'GATEWAY_ADMIN_KEY' });
});
