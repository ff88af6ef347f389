/** A new configuration while requests are in progress: it is applied whole or not at all, and no caller notices. */

import { existsSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { defaultModels } from '../../src/catalog/default.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { call } from '../support/caller.ts';
import { startCommand } from '../support/command.ts';
import { KEY, vendorsAtUrl } from '../support/gateway.ts';
import { readStat } from '../support/process-tree.ts';
import { eventually, rawClient } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { openStage, requestOf, type Stage, streamEvents, ways } from './stage.ts';

const ADMIN_KEY = 'admin-key-of-the-tests';

let stage: Stage;
afterEach(() => stage?.close());

const [native, translated] = ways;
const IN_FORCE = 'The configuration was reloaded and is in force.';
const told = (line: string): number => stage.gateway.output().split(line).length - 1;

function write(text: string): void {
  // As editors and mounts do it: another file replaces the old one.
  const file = join(stage.gateway.directory, 'gateway.config.json');
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Another configuration, as text; KEY is among its keys unless the test says otherwise. */
function config(input: ConfigInput, keys: ConfigInput['keys'] = [{ name: 'test', key: KEY }]): string {
  return JSON.stringify({ port: 0, vendors: vendorsAtUrl(stage.upstream.url), ...input, keys });
}

const ask = async (model: string, key = KEY): Promise<number> => {
  const answer = await call(stage.gateway.url, native.path, requestOf({ model }, false), key);
  return answer.status;
};

describe('P-11 a SIGHUP during the start', () => {
  test.each([1, 2])('P-11 is carried out once the process serves, and ends nothing (%d)', async (workers) => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
    // The first when almost nothing of the program is loaded, the second just after the configuration has been read.
    writeFileSync(
      join(directory, 'early.mjs'),
      `import { registerHooks } from 'node:module';
      registerHooks({
        load(url, context, next) {
          if (url.includes('/.built/main-')) {
            console.log('almost nothing is loaded');
            process.kill(process.pid, 'SIGHUP');
          }
          return next(url, context);
        },
      });`,
    );
    writeFileSync(
      join(directory, 'gateway.config.mjs'),
      `globalThis.reads = (globalThis.reads ?? 0) + 1;
      if (globalThis.reads === 1) process.kill(process.pid, 'SIGHUP');
      export default {
        port: 0,
        workers: ${workers},
        sandbox: { pace: 'none' },
        aliases: globalThis.reads > 1 ? { 'house/fast': 'openai/gpt-4o' } : {},
      };`,
    );
    const preload = pathToFileURL(join(directory, 'early.mjs')).href;
    const env = { GATEWAY_API_KEY: KEY, NODE_OPTIONS: `--import=${preload}` };
    const running = startCommand(directory, ['start'], env);
    try {
      await eventually(() => running.stdout().includes(IN_FORCE), 'it is read again');
      expect(running.stdout()).toContain('almost nothing is loaded');
      const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(running.stdout()) ?? [];
      const body = requestOf({ model: 'house/fast' }, false);
      await expect.poll(async () => (await call(url, native.path, body)).status).toBe(200);
    } finally {
      running.child.kill('SIGTERM');
      expect((await running.ended).code).toBe(0);
      rmSync(directory, { recursive: true });
    }
  });
});

describe('P-11 signals that come while the configuration is read', () => {
  test.each([1, 2])('P-11 are one more reload, however many they are (%d)', async (workers) => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
    const [reading, mayEnd] = [join(directory, 'reading'), join(directory, 'may-end')];
    // The second reading of the file lasts until another file exists.
    writeFileSync(
      join(directory, 'gateway.config.mjs'),
      `import { existsSync, writeFileSync } from 'node:fs';
      globalThis.reads = (globalThis.reads ?? 0) + 1;
      if (globalThis.reads === 2) {
        writeFileSync(${JSON.stringify(reading)}, '');
        while (!existsSync(${JSON.stringify(mayEnd)})) await new Promise((wake) => setTimeout(wake, 10));
      }
      export default { port: 0, workers: ${workers}, sandbox: { pace: 'none' } };`,
    );
    const running = startCommand(directory, ['start'], { GATEWAY_API_KEY: KEY });
    const reloads = (): number => running.stdout().split(IN_FORCE).length - 1;
    try {
      await eventually(() => running.stdout().includes('Gateway on'), 'it serves');
      running.child.kill('SIGHUP');
      await eventually(() => existsSync(reading), 'the file is being read');
      for (let signal = 0; signal < 3; signal++) running.child.kill('SIGHUP');
      // Until the process has heard them.
      await sleep(500);
      expect(reloads()).toBe(0);
      writeFileSync(mayEnd, '');
      await eventually(() => reloads() === 2, 'both reloads are reported');
      await sleep(500);
      expect(reloads()).toBe(2);
    } finally {
      writeFileSync(mayEnd, '');
      running.child.kill('SIGTERM');
      expect((await running.ended).code).toBe(0);
      rmSync(directory, { recursive: true });
    }
  });
});

describe.each(['one process', 'two workers'])('%s', (name) => {
  const workers = name === 'one process' ? 1 : 2;
  const open = async (): Promise<void> => {
    stage = await openStage({ workers });
  };

  test('P-11 a good one applies from the next request on, by SIGHUP or by the change of the file alone', async () => {
    await open();
    expect(await ask('house/fast')).toBe(404);
    write(config({ workers, aliases: { 'house/fast': 'openai/gpt-4o' } }));
    stage.gateway.signal('SIGHUP');
    await expect.poll(() => ask('house/fast')).toBe(200);
    await eventually(() => told(IN_FORCE) > 0, 'it is reported');
    write(config({ workers, aliases: { 'house/small': 'openai/gpt-4o' } }));
    await expect.poll(() => ask('house/small')).toBe(200);
    await expect.poll(() => ask('house/fast')).toBe(404);
  });

  test('P-11 the idle time of connections is that of the new one', async () => {
    await open();
    write(config({ workers, timeouts: { connectionIdle: 500 }, aliases: { 'house/fast': 'openai/gpt-4o' } }));
    await expect.poll(() => ask('house/fast')).toBe(200);
    const request = 'GET /health/live HTTP/1.1\r\nHost: gateway\r\n\r\n';
    // Another worker may have the old one for a moment longer.
    await expect
      .poll(() => Promise.race([rawClient(stage.gateway.port, request).over, sleep(3_000, 'kept')]))
      .toContain('"ok"');
  });

  test('P-11 the idle time of connections is that of the admin listener too', async () => {
    stage = await openStage({ workers, admin: { key: ADMIN_KEY, port: 0 } });
    const [, adminUrl = ''] = /Admin API on (http:[^ ]+)\./.exec(stage.gateway.output()) ?? [];
    const promised = async (): Promise<string | null> => (await fetch(adminUrl)).headers.get('keep-alive');
    expect(await promised()).toBe('timeout=130');
    const admin = { key: ADMIN_KEY, port: 0 };
    write(config({ workers, admin, timeouts: { connectionIdle: 620_000 } }));
    await expect.poll(promised).toBe('timeout=620');
  });

  test('P-11 a file that is missing for a while changes nothing', async () => {
    await open();
    const file = join(stage.gateway.directory, 'gateway.config.json');
    rmSync(file);
    // The file is checked once a second.
    await sleep(2_500);
    expect(await ask('openai/gpt-4o')).toBe(200);
    expect(stage.gateway.output()).not.toContain('The configuration');
    writeFileSync(file, config({ workers, aliases: { 'house/fast': 'openai/gpt-4o' } }));
    await expect.poll(() => ask('house/fast')).toBe(200);
    await eventually(() => told(IN_FORCE) === 1, 'it is reported');
  });

  test('P-11 another file of the same age is noticed, and a changed port is logged', async () => {
    await open();
    const file = join(stage.gateway.directory, 'gateway.config.json');
    utimesSync(file, 1_000_000_000, 1_000_000_000);
    await eventually(() => told(IN_FORCE) === 1, 'it is read again');
    const text = config({ workers, port: 1, aliases: { 'house/fast': 'openai/gpt-4o' } });
    writeFileSync(`${file}.new`, text);
    utimesSync(`${file}.new`, 1_000_000_000, 1_000_000_000);
    renameSync(`${file}.new`, file);
    await expect.poll(() => ask('house/fast')).toBe(200);
    await eventually(
      () => told(`${IN_FORCE} Changes to port take effect when the gateway is restarted.`) === 1,
      'it is reported',
    );
  });

  test('P-11 a signal and the change of a file that it announces are one reload, told in one line', async () => {
    await open();
    // It is stopped meanwhile: it looks at its files once a second, and must not find the change before the signal.
    stage.gateway.signal('SIGSTOP');
    await eventually(() => readStat(stage.gateway.pid)[0] === 'T', 'it is stopped');
    write(config({ workers, aliases: { 'house/fast': 'openai/gpt-4o' }, log: 'none' }));
    stage.gateway.signal('SIGHUP');
    stage.gateway.signal('SIGCONT');
    await eventually(() => told(IN_FORCE) > 0, 'it is reported');
    await sleep(2_500);
    expect(told(IN_FORCE)).toBe(1);
    expect(told(`${IN_FORCE} Changes to log take effect when the gateway is restarted.`)).toBe(1);
  });

  test('P-11 a changed admin key counts from then on, and the old one no more', async () => {
    const admin = { key: 'the-first-admin-key', port: 0 };
    stage = await openStage({ workers, admin });
    const [, url = ''] = /Admin API on (\S+)\./.exec(stage.gateway.output()) ?? [];
    const statuses = (): Promise<readonly number[]> =>
      Promise.all(
        ['/admin/keys', '/metrics'].flatMap((path) =>
          ['the-first-admin-key', 'the-second-admin-key'].map(async (key) => {
            const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
            await answer.text();
            return answer.status;
          }),
        ),
      );
    expect(await statuses()).toEqual([200, 401, 200, 401]);
    write(config({ workers, admin: { ...admin, key: 'the-second-admin-key' } }));
    stage.gateway.signal('SIGHUP');
    await expect.poll(statuses).toEqual([401, 200, 401, 200]);
    expect(stage.gateway.output()).not.toContain('take effect');
    // The API that is open does not close, nor does one without a key.
    write(config({ workers, admin: { port: 0 } }));
    stage.gateway.signal('SIGHUP');
    await eventually(() => told(`${IN_FORCE} Changes to admin take effect`) === 1, 'it is reported');
    expect(await statuses()).toEqual([401, 200, 401, 200]);
  });

  test('P-11 a key in a file is read again when the file changes', async () => {
    await open();
    const sent = (): string | undefined => stage.upstream.received.at(-1)?.headers.authorization;
    const renew = (token: string): void => {
      writeFileSync(join(stage.gateway.directory, 'token.new'), `${token}\n`);
      renameSync(join(stage.gateway.directory, 'token.new'), join(stage.gateway.directory, 'token'));
    };
    renew('first-token');
    const vendors = { openai: { baseUrl: `${stage.upstream.url}/v1`, apiKeyFile: 'token' } };
    write(JSON.stringify({ port: 0, workers, vendors, keys: [{ name: 'test', key: KEY }] }));
    const seen = async () => {
      await ask('openai/gpt-4o');
      return sent();
    };
    await expect.poll(seen).toBe('Bearer first-token');
    renew('second-token');
    await expect.poll(seen).toBe('Bearer second-token');
    renew('');
    await eventually(() => told('token is empty') === 1, 'it is reported');
    expect(await seen()).toBe('Bearer second-token');
    renew('third-token');
    await expect.poll(seen).toBe('Bearer third-token');
    expect(stage.gateway.output()).not.toMatch(/(?:first|second|third)-token/);
  });

  test('P-10 one that names a file that has yet to come is taken once the file is there', async () => {
    await open();
    const token = join(stage.gateway.directory, 'token');
    const vendors = { openai: { baseUrl: `${stage.upstream.url}/v1`, apiKeyFile: 'token' } };
    write(JSON.stringify({ port: 0, workers, vendors, keys: [{ name: 'test', key: KEY }] }));
    await eventually(() => told('token cannot be read (ENOENT)') === 1, 'it is refused');
    writeFileSync(token, '');
    await eventually(() => told('token is empty') === 1, 'it is refused again');
    writeFileSync(token, 'late-token');
    await eventually(() => told(IN_FORCE) === 1, 'it is taken');
    expect(await ask('openai/gpt-4o')).toBe(200);
    expect(stage.upstream.received.at(-1)?.headers.authorization).toBe('Bearer late-token');
  });

  test('P-10 a bad one is refused whole, in a line; the old one stays', async () => {
    await open();
    const model = {
      id: 'openai/twice',
      name: 'Twice',
      created: 1,
      contextWindow: 1,
      maxOutputTokens: 1,
      prices: { input: 1, output: 1 },
    };
    const bad: readonly (readonly [what: string, text: string, said: RegExp])[] = [
      ['not JSON', '{"vendors": {"openai": {"apiKey": "a-key-of-theirs" "', /not valid JSON/],
      [
        'a wrong field',
        config({ workers, aliases: { 'house/fast': 'openai/gpt-4o' }, limits: { bodyBytes: -1 } }),
        /limits\.bodyBytes/,
      ],
      ['a duplicate model', config({ workers, models: [model, model] }), /openai\/twice/],
      ['no vendor left', config({ workers, vendors: {} }), /No vendor/],
    ];
    for (const [what, text, said] of bad) {
      write(text);
      stage.gateway.signal('SIGHUP');
      const refusals = (): string[] => stage.gateway.lines().filter((line) => said.test(line));
      await eventually(() => refusals().length > 0, `${what} is refused`);
      expect(refusals()[0], what).toMatch(
        /"msg":"The new configuration was refused, and the old one stays in force\. /,
      );
      expect(await ask('house/fast'), what).toBe(404);
      expect(await ask('openai/gpt-4o'), what).toBe(200);
    }
    expect(stage.gateway.output()).not.toContain('a-key-of-theirs');
    expect(told(IN_FORCE)).toBe(0);
    write(config({ workers, aliases: { 'house/fast': 'openai/gpt-4o' } }));
    await expect.poll(() => ask('house/fast')).toBe(200);
  });

  test('P-10 a file that was emptied, commented out or removed is refused, also with vendors of the environment', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
    const file = join(directory, 'house.yaml');
    const text = `port: 0\nworkers: ${workers}\nkeys:\n  - { name: test, key: ${KEY} }\n`;
    writeFileSync(file, text);
    const env = {
      GATEWAY_CONFIG: file,
      OPENAI_API_KEY: 'vendor-key',
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    };
    stage = await openStage({}, { env });
    const headers = { authorization: `Bearer ${KEY}` };
    const served = async (): Promise<number> =>
      (await fetch(`${stage.gateway.url}/v1/models`, { headers })).status;
    try {
      for (const [at, empty] of ['', '\n', text.replaceAll(/^/gm, '# '), '{}', undefined].entries()) {
        if (empty === undefined) rmSync(file);
        else writeFileSync(file, empty);
        stage.gateway.signal('SIGHUP');
        const refused = (): number =>
          told('The new configuration was refused, and the old one stays in force. ');
        await eventually(() => refused() > at, `${empty} is refused`);
        expect(await served(), empty).toBe(200);
      }
      expect(told(`The configuration file ${file} sets nothing any more. If that is meant, restart`)).toBe(2);
      expect(told(IN_FORCE)).toBe(0);
      writeFileSync(file, `# again\n${text}`);
      await eventually(() => told(IN_FORCE) > 0, 'the next one is taken');
      expect(await served()).toBe(200);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('P-11 many, under load: no request is lost, no stream is cut', async () => {
    await open();
    stage.respondWith((received, response) =>
      received.body.includes('"stream":true') ? streamEvents(response, 20, 100) : json(response, {}),
    );
    const streams = await Promise.all(
      Array.from({ length: 60 }, (_, at) => {
        const way = ways[at % 2] ?? native;
        return stage.ask(way);
      }),
    );
    let over = false;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (!over) statuses.push(await ask('openai/gpt-4o'));
    });
    for (let round = 1; round <= 20; round++) {
      write(config({ workers, aliases: { [`house/round-${round}`]: 'openai/gpt-4o' } }));
      stage.gateway.signal('SIGHUP');
      const before = statuses.length;
      await expect.poll(() => statuses.length).toBeGreaterThan(before + 4);
    }
    await expect.poll(() => ask('house/round-20')).toBe(200);
    for (const stream of streams) {
      expect(await stream.over).toMatchObject({ complete: true, text: expect.stringContaining('word 19') });
    }
    over = true;
    await Promise.all(load);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('P-11 simulated vendors get the models and the pace of the new one', async () => {
    stage = await openStage({ workers, vendors: {} });
    const model = {
      ...defaultModels().find(({ id }) => id === 'openai/gpt-4o'),
      id: 'openai/gpt-4o-of-ours',
      aliases: [],
    };
    const took = async (name: string): Promise<[status: number, milliseconds: number]> => {
      const began = performance.now();
      return [await ask(name), performance.now() - began];
    };
    expect((await took(model.id))[0]).toBe(404);
    write(JSON.stringify({ port: 0, workers, models: [model], keys: [{ name: 'test', key: KEY }] }));
    // A realistic pace, which is the default: at least a quarter of a second to the first word.
    await expect.poll(() => took(model.id)).toEqual([200, expect.toSatisfy((ms) => ms > 240)]);
  });

  test('P-13 a key that is removed in the middle of a stream: the stream goes on, the next request is a 401', async () => {
    await open();
    stage.respondWith((_, response) => streamEvents(response, 30, 150));
    const live = await Promise.all([stage.ask(native), stage.ask(translated)]);
    write(config({ workers }, [{ name: 'other', key: 'another-key-of-the-tests' }]));
    stage.gateway.signal('SIGHUP');
    await expect.poll(() => ask('openai/gpt-4o')).toBe(401);
    for (const { over } of live) {
      expect(await over).toMatchObject({ complete: true, text: expect.stringContaining('word 29') });
    }
  });
});
