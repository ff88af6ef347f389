/**
 * What the pages show can be pasted, in the order in which a reader meets it: every command of a page runs against one
 * gateway with simulated vendors. What cannot run here is listed with the reason.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from './support/command.ts';
import { KEY } from './support/gateway.ts';
import { PAGES } from './support/pages.ts';
import { type GatewayProcess, spawnGateway } from './support/process.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Commands that no test can run, and why. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^(?:[A-Z_]+=\S+ )*npm (?:ci|start|run dev)\b/, 'the start itself: CI and every test do it'],
  [/^npm install /, 'installs packages'],
  [/^export /, 'sets what an agent reads'],
  [/^(?:curl -fsSO?|tar|sha256sum) /, 'downloads a Node'],
  [/--url https:\/\/api\.openai\.com/, 'asks a real vendor'],
  [/^npm run bench:/, 'measures for minutes, with programs that it installs'],
  [/127\.0\.0\.1:8788/, 'asks the admin listener, which the tests of test/server/admin do'],
];

/** The commands in the shell blocks of a page, in its order. A line that ends in a backslash goes on. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
}

/** The words of a command, as a shell splits them. */
async function wordsOf(command: string): Promise<readonly string[]> {
  const { stdout } = await run('bash', ['-c', `printf '%s\\0' ${command}`], { env: { ...process.env, KEY } });
  return stdout.split('\0').slice(0, -1);
}

let gateway: GatewayProcess;
beforeAll(async () => {
  // The tests beside it may leave it less time than it takes work with.
  gateway = await spawnGateway({ limits: { eventLoopDelay: 600_000 } });
});
afterAll(() => gateway.close());

/** A folder of its own for a page: what one page has made is not there for the next. */
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-docs-'));
  symlinkSync(join(root, 'fixtures'), join(directory, 'fixtures'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const pages = PAGES.map((page) => [page, commandsOf(page)] as const).filter(([, { length }]) => length > 0);

test('pages have commands at all', () => {
  expect(pages.length).toBeGreaterThan(5);
});

describe.each(pages)('%s', (page, commands) => {
  test('every command runs, one after the other', async () => {
    const env = { KEY, ...(page === 'docs/coming-from.md' && VARIABLES) };
    for (const command of commands) {
      if (ELSEWHERE.some(([cannot]) => cannot.test(command))) continue;
      if (command.startsWith('curl ')) {
        const there = command.replaceAll(/(?:127\.0\.0\.1|localhost):8787/g, new URL(gateway.url).host);
        const { stdout } = await run('bash', ['-c', `${there} --silent --show-error --fail-with-body`], {
          env: { ...process.env, KEY },
        });
        expect(stdout, command).toMatch(/data: |"data"|"object"|"content"/);
        continue;
      }
      const [, words = ''] = /^npm run gateway (.*)$/.exec(command) ?? [];
      expect(words, `unknown command: ${command}`).not.toBe('');
      const given = (await wordsOf(words.replaceAll(/127\.0\.0\.1:8787/g, new URL(gateway.url).host))).filter(
        (word) => word !== '--',
      );
      const { code, stderr } = await runCommand(directory, given, env);
      expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
    }
  });
});

/** The variables that the imported configuration of the page for newcomers names. */
const VARIABLES = Object.fromEntries(
  [
    'OPENAI_API_KEY',
    'OPENAI_KEY_2',
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
    'ACME_KEY',
    'REDIS_HOST',
    'REDIS_PASSWORD',
  ]
    .map((name) => [name, 'a-value'])
    .concat([
      ['MASTER_KEY', 'a-key-of-the-administrator'],
      ['DATABASE_URL', 'postgres://localhost/gateway'],
    ]),
);
