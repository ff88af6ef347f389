/** An unknown argument of a bench is rejected in one line, before anything is measured. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const BENCH = join(import.meta.dirname, '../../bench');

function bench(name: string, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(BENCH, `${name}.ts`), ...words], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each([
  ['run', '--rounds=1', "Unknown option '--rounds'. There is: --json"],
  ['load', '--rouns=1', "Unknown option '--rouns'. There is: --filter=… --json --seconds=… --rounds=…"],
  ['load', '--rounds=x', '--rounds: x is no number above 0'],
  ['peers', '--url=nonsense', '--url: nonsense is no URL'],
  ['peers', '--peers=litellm,nonsense', '--peers: nonsense is none of litellm, portkey, one-api;'],
  ['peers', '--note=nobody=slow', '--note: nobody is not measured'],
  ['paced', '--rounds=0', '--rounds: 0 is no number above 0'],
  ['streams', '--streams=many', '--streams: many is no number above 0'],
  ['watched', '--help', "Unknown option '--help'. There is: "],
  ['workers', '--workers=-1', '--workers'],
  ['soak', '--seconds', "Option '--seconds <value>' argument missing. There is: "],
  ['translators', '--fitler=x', "Unknown option '--fitler'. There is: "],
  ['picture', '--kep', "Unknown option '--kep'. There is: --markdown --page --kept"],
])('%s %s', (name, words, told) => {
  const { status, stdout, stderr } = bench(name, words);
  expect(stderr.startsWith(told), stderr).toBe(true);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect([status, stdout]).toEqual([64, '']);
});

test('an unknown part is reported, and earlier measurements stay', () => {
  const file = join(BENCH, 'results/translators.json');
  const before = existsSync(file) && readFileSync(file, 'utf8');
  const { status, stderr } = bench('translators', '--filter=nonsense');
  expect([status, stderr]).toEqual([
    64,
    'translators: there is nothing to measure whose name has "nonsense".\n',
  ]);
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(before);
});
