/** A program that is started by what cannot run it says so in one line, with what to do in its place. */

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_PROGRAM } from '../support/built-program.ts';

const CLONE = resolve(import.meta.dirname, '../../src/cli/gateway.js');
const OLD = 'The gateway needs Node 22.19 or later; this is v20.20.2.';

/** Starts a program in a Node that gives itself out for something else. */
function startAs(versions: Record<string, string>, program: string) {
  const disguise = [
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(versions)} } });`,
    `Object.defineProperty(process, 'version', { value: 'v' + process.versions.node });`,
  ];
  const preload = `data:text/javascript,${encodeURIComponent(disguise.join('\n'))}`;
  return spawnSync(process.execPath, ['--import', preload, program, 'start'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
}

test.each([
  [
    'in a clone, where npm installs a newer one',
    CLONE,
    /^ On most systems npm installs a newer Node .* npm start\./,
  ],
  [
    'of the package, beside which none is installed',
    BUILT_PROGRAM,
    /^ Install a newer one \(https:\/\/nodejs\.org\)/,
  ],
])('by a Node that is too old, the program %s', (_, program, advice) => {
  const { status, stdout, stderr } = startAs({ node: '20.20.2' }, program);
  expect({ status, stdout, lines: stderr.split('\n').length }).toEqual({ status: 1, stdout: '', lines: 2 });
  expect(stderr).toContain(OLD);
  expect(stderr.slice(OLD.length)).toMatch(advice);
});

test.each([
  ['Bun', { bun: '1.4.5', node: '26.3.0' }],
  ['Deno', { deno: '2.9.6', node: '26.3.0' }],
])('by %s, which runs the gateway as a function alone', (name, versions) => {
  for (const program of [CLONE, BUILT_PROGRAM])
    expect(startAs(versions, program)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        `^The program needs Node 22\\.19 or later; this is ${name}\\. In ${name}, mount the gateway .*\\n$`,
      ),
    });
});
