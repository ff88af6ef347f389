/** The user of a Redis is another one while a gateway runs, as secret managers rotate them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { postJson } from '../support/post-json.ts';
import { spawnGateway } from '../support/process.ts';
import { eventually } from '../support/raw.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

test.runIf(hasRedis()).each([1, 2])(
  'P-11 another user in REDIS_URL_FILE is the one of each new connection, of limits and of the cache (%d)',
  async (workers) => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    // A password with signs that an address escapes.
    const as = (name: string): string => server.url.replace('redis://', `redis://${name}:${name}%2Fp%40ss@`);
    const allow = (name: string) =>
      admin.call('ACL', 'SETUSER', name, 'on', `>${name}/p@ss`, '~*', '&*', '+@all');
    await allow('first');
    const folder = mkdtempSync(join(tmpdir(), 'gateway-redis-user-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'url');
    writeFileSync(file, as('first'));
    const gateway = await spawnGateway(
      {
        workers,
        groups: [{ name: 'some', limits: { requestsPerMinute: 1_000 } }],
        cache: { store: 'redis' },
      },
      { env: { REDIS_URL_FILE: file } },
    );
    onTestFinished(() => gateway.close());
    const users = async (): Promise<readonly string[]> =>
      [...String(await admin.client('LIST')).matchAll(/ user=(\w+)/g)].flatMap(([, name = '']) =>
        name === 'default' ? [] : [name],
      );
    await expect.poll(users).toEqual(Array.from({ length: 2 * workers }, () => 'first'));

    await allow('second');
    writeFileSync(file, as('second'));
    await eventually(() => gateway.output().includes('reloaded and is in force.'), 'it is read again');
    // The cache of the new configuration has connected, and that of the old one is closed.
    const each = (name: string): readonly string[] => Array.from({ length: workers }, () => name);
    await expect.poll(async () => (await users()).toSorted()).toEqual([...each('first'), ...each('second')]);
    // Its connections end with it.
    await admin.call('ACL', 'DELUSER', 'first');
    const ask = async (): Promise<number> => {
      const messages = [{ role: 'user', content: 'Hello.' }];
      const answer = await postJson(`${gateway.url}/v1/chat/completions`, {
        model: 'openai/gpt-5.4',
        messages,
      });
      await answer.text();
      return answer.status;
    };
    for (let turn = 0; turn < 2 * workers; turn++) expect(await ask()).toBe(200);
    await expect.poll(users).toEqual(Array.from({ length: 2 * workers }, () => 'second'));
    expect(gateway.output()).not.toMatch(/take effect|WRONGPASS/);
  },
);
