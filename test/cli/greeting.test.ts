/** What a first start shows a new user. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { greeting } from '../../src/cli/greeting.ts';
import { BUILT_PROGRAM } from '../support/built-program.ts';
import { textOfPages } from '../support/pages.ts';
import { firstKeyFile, firstKeyOf, type GatewayProcess, spawnGateway } from '../support/process.ts';
import { isAvailable, SCRIPT } from '../support/programs.ts';
import { soon } from '../support/soon.ts';

let running: GatewayProcess | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

test.each([
  ['openai', 'openai/gpt-6-luna'],
  ['google', 'google/gemini-3.8-flash'],
  ['mistralai', /^mistralai\//],
])('with a key for %s alone, the request to paste uses one of their models', async (vendor, model) => {
  const gateway = await spawnGateway(
    { vendors: { [vendor]: { apiKey: 'sk-of-theirs', baseUrl: 'http://127.0.0.1:9/v1' } } },
    { keyless: true },
  );
  running = gateway;
  const key = await firstKeyOf(gateway);
  const [, shown = ''] =
    /"model":"([^"]+)"/.exec(await readFile(firstKeyFile(gateway.directory), 'utf8')) ?? [];
  expect(shown).toMatch(model);
  const served = await fetch(`${gateway.url}/v1/models/${shown}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(served.status).toBe(200);
});

test('in the sandbox the request to paste is the one in the README', async () => {
  const gateway = await spawnGateway({}, { keyless: true });
  running = gateway;
  await firstKeyOf(gateway);
  expect(await readFile(firstKeyFile(gateway.directory), 'utf8')).toContain(
    '"model":"anthropic/claude-sonnet-5-5"',
  );
});

test.each([1, 2])(
  'without a terminal a first start of %d processes prints no key, but the path of a file that only its owner can read',
  async (workers) => {
    const gateway = await spawnGateway({ workers }, { keyless: true });
    running = gateway;
    const key = await firstKeyOf(gateway);
    const file = firstKeyFile(gateway.directory);
    expect(gateway.output()).not.toMatch(/gw_|#key=/);
    expect(gateway.output()).toContain(
      `Your first API key is in ${await realpath(file)}, readable by this user only.`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const text = await readFile(file, 'utf8');
    expect(text).toContain(`/#key=${key}`);
    expect(text).toContain(`Authorization: Bearer ${key}`);
    const served = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(served.status).toBe(200);
  },
);

test('a file that others can read is replaced, so that they cannot read the key', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-first-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'first-key.txt');
  await writeFile(join(directory, 'others'), '');
  await symlink(join(directory, 'others'), file);
  const gateway = await spawnGateway({ store: { path: join(directory, 'gateway.db') } }, { keyless: true });
  running = gateway;
  await soon(() => expect(gateway.output()).toContain(`Your first API key is in ${file}`));
  expect((await lstat(file)).isFile()).toBe(true);
  expect((await lstat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(directory, 'others'), 'utf8')).toBe('');
});

test.runIf(isAvailable(SCRIPT))('on a terminal a first start shows the key', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-first-'));
  const command = [process.execPath, BUILT_PROGRAM, 'start', '--port', '0'].join(' ');
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    // Ctrl-C, since a signal would end `script` alone.
    child.stdin.write('\u0003');
    await once(child, 'exit');
    await rm(directory, { recursive: true });
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await soon(() => expect(output).toMatch(/\/#key=gw_/));
  expect(existsSync(firstKeyFile(directory))).toBe(false);
});

test.each([
  ['http://0.0.0.0:8787', 'http://localhost:8787'],
  ['http://[::]:8787', 'http://localhost:8787'],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
])('listening on %s, the request to paste is sent to %s', (url, asked) => {
  const said = { url, sandboxed: true, models: ['openai/gpt-6-luna'], hints: [] };
  const text = greeting({ ...said, made: 'gw_key' });
  expect(text).toContain(`Gateway on ${url} `);
  expect(text).toContain(`curl -N ${asked}/v1/`);
  expect(text).toContain(`in the browser: ${asked}/#key=gw_key`);
  expect(greeting({ ...said, made: undefined })).toContain(`Console: ${asked}/`);
  expect(greeting({ ...said, made: undefined, admin: url })).toContain(
    `Admin API on ${url}. Console with administration: ${asked}/`,
  );
});

const FIRST = {
  url: 'http://[::1]:8787',
  sandboxed: true,
  models: ['openai/gpt-6-luna'],
  hints: [],
  made: 'gw_key',
};

test('an address in brackets is quoted, since zsh would expand it as a pattern', () => {
  expect(greeting(FIRST, 'darwin')).toContain("curl -N 'http://[::1]:8787/v1/chat/completions' \\\n");
});

test('on Windows the request is for PowerShell, which keeps no quotes within an argument', () => {
  const lines = greeting({ ...FIRST, url: 'http://127.0.0.1:8787' }, 'win32').split('\n');
  const at = lines.findIndex((line) => line.includes('curl'));
  expect(lines[at - 1]).toMatch(/^ {2}'\{"model":"openai\/gpt-6-luna",[^']*\}' \|$/);
  expect(lines[at]).toMatch(
    /^ {4}curl\.exe -N http:\/\/127\.0\.0\.1:8787\/v1\/chat\/completions [^"]+ -d '@-'$/,
  );
});

test('the commands in the pages can be pasted into zsh too, which treats a comment as a command', () => {
  const blocks = [...textOfPages().matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.split('\n'),
  );
  expect(blocks.length).toBeGreaterThan(3);
  const comments = blocks.flat().filter((line) => line.startsWith('#'));
  expect(comments.filter((line) => /['"`()[\]*?;&|<>$]/.test(line))).toEqual([]);
});
