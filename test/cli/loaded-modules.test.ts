/** The modules that a command loads: help must not wait for the code of a gateway. */

import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_GRACE_DAYS } from '../../src/store/keys/rotate-key.ts';
import { SOURCE_PROGRAM } from '../support/command.ts';

/** Prints the address of every module that Node loads, one a line, when the process ends (Node's documentation, "module.registerHooks"). */
const LIST_MODULES = `
import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
const urls = [];
registerHooks({
  load(url, context, next) {
    urls.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeSync(2, urls.join('\\n')));
`;

/** The program's output, and the modules that it loaded: those of packages, and those of the gateway. */
function run(...words: readonly string[]) {
  const preload = `data:text/javascript,${encodeURIComponent(LIST_MODULES)}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, SOURCE_PROGRAM, ...words],
    {
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    },
  );
  expect(status, stderr).toBe(0);
  const urls = stderr.split('\n');
  const packages = urls.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
  return {
    stdout,
    packages: new Set(packages.filter((name) => name !== undefined)),
    own: urls.filter((url) => /\/src\/.*\.[jt]s$/.test(url) && !url.includes('node_modules')),
  };
}

describe.each([
  [['--help']],
  [['keys', '--help']],
  [['keys', 'create', '--help']],
  [['groups', '--help']],
  [['models', 'sync', '--help']],
  [['start', '--help']],
  [['record', '--help']],
])('gateway %j', (words) => {
  let ran: ReturnType<typeof run>;
  beforeAll(() => {
    ran = run(...words);
  });

  test('loads citty and no other package', () => {
    const { stdout, packages } = ran;
    expect(stdout).toContain('USAGE gateway');
    expect([...packages]).toEqual(['citty']);
  });

  test('loads the commands, and almost nothing of the gateway', () => {
    const { own } = ran;
    const notCli = own.filter((url) => !/\/src\/(?:cli\/|main\.ts)/.test(url));
    expect(own.length).toBeGreaterThan(2);
    expect(notCli.length, notCli.join('\n')).toBeLessThanOrEqual(10);
    // One for each command, and what they share.
    expect(own.length, own.join('\n')).toBeLessThanOrEqual(32);
  });
});

test('a command that needs no cloud and no database loads neither', () => {
  const { packages } = run('models', 'list', '--json');
  const heavy = /^(?:pg|kysely|google-auth-library|@aws-sdk|@smithy|@opentelemetry|ioredis|h3|ws)/;
  expect([...packages].filter((name) => heavy.test(name))).toEqual([]);
});

test('the help of rotate names the longest grace period', () => {
  expect(run('keys', 'rotate', '--help').stdout).toContain(`at most ${MAX_GRACE_DAYS}d`);
});
