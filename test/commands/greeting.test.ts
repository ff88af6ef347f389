/** What a first start tells a newcomer. */

import { afterEach, expect, test } from 'vitest';
import { greeting } from '../../src/commands/greeting.ts';
import { textOfPages } from '../support/pages.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';
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
])('with a key for %s alone, the request to paste asks for a model of theirs', async (vendor, model) => {
  const gateway = await spawnGateway(
    { vendors: { [vendor]: { apiKey: 'sk-of-theirs', baseUrl: 'http://127.0.0.1:9/v1' } } },
    { keyless: true },
  );
  running = gateway;
  await soon(() => expect(gateway.output()).toContain('/#key='));
  const [, shown = ''] = /"model":"([^"]+)"/.exec(gateway.output()) ?? [];
  expect(shown).toMatch(model);
  const [key] = /gw_\S+/.exec(gateway.output()) ?? [];
  const served = await fetch(`${gateway.url}/v1/models/${shown}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(served.status).toBe(200);
});

test('in the sandbox the request to paste is the README’s', async () => {
  const gateway = await spawnGateway({}, { keyless: true });
  running = gateway;
  await soon(() => expect(gateway.output()).toContain('"model":"anthropic/claude-sonnet-5-5"'));
});

test.each([
  ['http://0.0.0.0:8787', 'http://localhost:8787'],
  ['http://[::]:8787', 'http://localhost:8787'],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
])('listening on %s, what is to be pasted asks %s', (url, asked) => {
  const said = { url, sandboxed: true, models: ['openai/gpt-6-luna'], hints: [] };
  const text = greeting({ ...said, made: 'gw_key' });
  expect(text).toContain(`Gateway on ${url} `);
  expect(text).toContain(`curl -N ${asked}/v1/`);
  expect(text).toContain(`in the browser: ${asked}/#key=gw_key`);
  expect(greeting({ ...said, made: undefined })).toContain(`Playground: ${asked}/`);
});

const FIRST = {
  url: 'http://[::1]:8787',
  sandboxed: true,
  models: ['openai/gpt-6-luna'],
  hints: [],
  made: 'gw_key',
};

test('an address in brackets is quoted: zsh looks for files of such a name', () => {
  expect(greeting(FIRST, 'darwin')).toContain("curl -N 'http://[::1]:8787/v1/chat/completions' \\\n");
});

test('on Windows the request is one for PowerShell, of which an argument has no quotes in it', () => {
  const lines = greeting({ ...FIRST, url: 'http://127.0.0.1:8787' }, 'win32').split('\n');
  const at = lines.findIndex((line) => line.includes('curl'));
  expect(lines[at - 1]).toMatch(/^ {2}'\{"model":"openai\/gpt-6-luna",[^']*\}' \|$/);
  expect(lines[at]).toMatch(
    /^ {4}curl\.exe -N http:\/\/127\.0\.0\.1:8787\/v1\/chat\/completions [^"]+ -d '@-'$/,
  );
});

test('what the pages have to paste can be pasted into zsh too, where a comment is a command', () => {
  const blocks = [...textOfPages().matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.split('\n'),
  );
  expect(blocks.length).toBeGreaterThan(3);
  const comments = blocks.flat().filter((line) => line.startsWith('#'));
  expect(comments.filter((line) => /['"`()[\]*?;&|<>$]/.test(line))).toEqual([]);
});
