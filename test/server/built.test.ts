/** What `npm run build` makes runs by itself: in a folder that has no package beside it. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-built-'));
const dist = join(folder, 'dist');
const program = join(dist, 'gateway.js');
let running: GatewayProcess;

beforeAll(async () => {
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  execFileSync(process.execPath, [rolldown, '--config', 'rolldown.config.js', '--dir', dist], { cwd: ROOT });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  running = await spawnGateway({ log: 'json' }, { program });
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true, force: true });
});

test('it answers streams of every vendor, and records them', async () => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${running.url}/v1` });
  for (const model of ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash']) {
    const stream = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).not.toBe('');
  }
  // The lines of the log come from the accounting worker, and its rows go through a thread of their own.
  await expect.poll(() => running.output().split('"model":').length - 1).toBe(3);
  const usage = () =>
    execFileSync(process.execPath, [program, 'usage', '--simulated', '--json'], {
      cwd: running.directory,
      encoding: 'utf8',
    });
  await expect.poll(usage).toContain('openai/gpt-4.1');
});

test('it serves the pages, with the package that the browser loads', async () => {
  for (const path of ['/', '/playground/marked.js', '/openapi.json'])
    expect([path, (await fetch(running.url + path)).status]).toEqual([path, 200]);
});

test('it knows its version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' })).toContain(version);
});

test('it has the licences of what is in it', () => {
  const licenses = readFileSync(join(dist, 'LICENSES.txt'), 'utf8');
  for (const name of ['h3', 'undici', 'zod', 'marked', 'kysely', 'pino', 'eventsource-parser'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
});
