/** A start that reads a large store says what it is doing. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { openStoreAccess } from '../../../src/server/process/store-access.ts';
import { openStore } from '../../../src/store/store.ts';

/** The sentences of a start whose every query takes so many milliseconds. */
async function startTaking(milliseconds: number): Promise<readonly string[]> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(directory, { recursive: true, force: true });
  });
  const store = await openStore({ path: join(directory, 'store.db') });
  const db = store.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      vi.advanceTimersByTime(milliseconds);
      return result;
    },
  });
  const sentences: string[] = [];
  const diagnostics = { info: (sentence: string) => void sentences.push(sentence), problem: () => {} };
  const access = await openStoreAccess({ ...store, db }, configSchema.parse({}), diagnostics);
  const told = [...sentences];
  await access.close();
  return told;
}

test('a start that takes long says so once', async () => {
  expect(await startTaking(3_000)).toEqual([
    expect.stringMatching(/^The keys, .* are being read from the store .*store\.db\./),
  ]);
});

test('a short one says nothing', async () => {
  expect(await startTaking(0)).toEqual([]);
});
