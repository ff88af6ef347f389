/** The settings of several processes: the same, whenever each of them was started. */

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { call } from '../support/caller.ts';
import { runCommand } from '../support/command.ts';
import { KEY, vendorsAtUrl } from '../support/gateway.ts';
import { childrenOf } from '../support/process-tree.ts';
import { eventually } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { openStage, requestOf, type Stage, twoWorkersOf, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage?.close());

const [native] = ways;
const told = (line: string): number => stage.gateway.output().split(line).length - 1;

const ask = async (model: string, key: string): Promise<number> =>
  (await call(stage.gateway.url, native.path, requestOf({ model }, false), key)).status;

function rewrite(input: ConfigInput): void {
  const file = join(stage.gateway.directory, 'gateway.config.json');
  const vendors = vendorsAtUrl(stage.upstream.url);
  writeFileSync(
    `${file}.new`,
    JSON.stringify({ port: 0, vendors, keys: [{ name: 'test', key: KEY }], ...input }),
  );
  renameSync(`${file}.new`, file);
}

/** A key in the store that the directory's configuration names. */
async function keyOfStore(): Promise<string> {
  const { stdout } = await runCommand(stage.gateway.directory, ['keys', 'create', 'stored']);
  return stdout.trim();
}

/** Replaces every worker, one by one. */
async function replaceWorkers(): Promise<void> {
  for (const victim of twoWorkersOf(stage)) {
    const before = told('A new worker is serving.');
    process.kill(victim, 'SIGKILL');
    await eventually(() => told('A new worker is serving.') > before, 'another one serves');
  }
  expect(childrenOf(stage.gateway.pid)).toHaveLength(2);
}

describe('P-20 a worker that replaces another', () => {
  test('P-20 keeps the settings that apply from the next start, and gets those that apply at once', async () => {
    stage = await openStage({ workers: 2 });
    const key = await keyOfStore();
    rewrite({
      workers: 4,
      host: '127.0.0.2',
      store: { path: 'elsewhere.db' },
      redis: { url: 'redis://127.0.0.1:1' },
      log: 'none',
      aliases: { 'house/fast': 'openai/gpt-4o' },
    });
    await expect.poll(() => ask('house/fast', key)).toBe(200);
    await eventually(
      () =>
        told('Changes to host, workers, store, redis, and log take effect when the gateway is restarted.') ===
        1,
      'it is reported',
    );
    await replaceWorkers();
    const statuses = await Promise.all(Array.from({ length: 12 }, () => ask('house/fast', key)));
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 200));
    expect(existsSync(join(stage.gateway.directory, 'elsewhere.db'))).toBe(false);
    expect(stage.gateway.output()).not.toContain('Redis cannot be reached');
  });

  test('P-20 serves by the configuration in force, even if the file has become invalid since', async () => {
    stage = await openStage({ workers: 2 });
    rewrite({ workers: 2, retries: { limit: 9 } });
    await eventually(
      () => told('The new configuration was refused, and the old one stays in force.') > 0,
      'it is refused',
    );
    await replaceWorkers();
    expect(await ask('openai/gpt-4o', KEY)).toBe(200);
  });

  test('P-20 limits are shared by the current number of workers, not by that of the next start', async () => {
    const limits: ConfigInput['limits'] = { eventLoopDelay: 600_000, inFlight: 8 };
    stage = await openStage({ workers: 2, limits });
    rewrite({ workers: 8, limits, aliases: { 'house/fast': 'openai/gpt-4o' } });
    await expect.poll(() => ask('house/fast', KEY)).toBe(200);
    // Two of three are one worker's share.
    const open: ServerResponse[] = [];
    stage.respondWith((_, response) => void open.push(response));
    const asked = Array.from({ length: 3 }, () => ask('openai/gpt-4o', KEY));
    await expect.poll(() => open.length).toBe(3);
    for (const response of open) json(response, {});
    expect(await Promise.all(asked)).toEqual([200, 200, 200]);
  });

  test('P-20 the limit of requests in flight is that of all of them together', async () => {
    const open: ServerResponse[] = [];
    let refused = 0;
    stage = await openStage({ workers: 2, limits: { eventLoopDelay: 600_000, inFlight: 2 } });
    stage.respondWith((_, response) => void open.push(response));
    const asked = Array.from({ length: 10 }, async () => {
      const status = await ask('openai/gpt-4o', KEY);
      if (status === 503) refused += 1;
      return status;
    });
    await expect.poll(() => refused + open.length).toBe(10);
    expect(open.length).toBeLessThanOrEqual(2);
    for (const response of open) json(response, {});
    expect((await Promise.all(asked)).filter((status) => status === 200)).toHaveLength(open.length);
  });
});
