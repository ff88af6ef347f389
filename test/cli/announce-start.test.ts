/** The greeting of a start that has made a key, on a disk that has become full meanwhile. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { announceStart } from '../../src/cli/announce-start.ts';
import { configSchema } from '../../src/config/schema.ts';
import { openDiagnostics } from '../../src/lib/diagnostics.ts';
import { openStore } from '../../src/store/store.ts';

test('a file of a first key that takes no more keeps the key, and the gateway goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-announce-'));
  const store = await openStore({ path: join(folder, 'gateway.db') });
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(async () => {
    said.mockRestore();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'first-key.txt');
  writeFileSync(file, 'gw_the-key\n');
  // A folder where the new text would be written first: root, who runs tests, may write everywhere.
  mkdirSync(`${file}.part`);
  const config = configSchema.parse({});
  const announce = announceStart({ key: 'gw_the-key', file }, config, store, openDiagnostics(), []);
  announce({ url: 'http://127.0.0.1:1', sandboxed: true, models: [] }, undefined);
  const text = said.mock.calls.flat().join('\n');
  expect(text).toContain(`Your first API key is in ${file}`);
  expect(text).toMatch(/It has nothing but the key, because more could not be written to it \(\w+\)\./);
  expect(text).not.toContain('gw_the-key');
  expect(readFileSync(file, 'utf8')).toBe('gw_the-key\n');
});
