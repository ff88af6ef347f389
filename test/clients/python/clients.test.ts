/**
 * Real Python SDKs and frameworks against a running gateway: each test in Python is one here. They are in groups, each with a
 * virtual environment of its own (`install`). The group `core` always runs; `FULL=1` runs all. `vitest -u` writes what
 * the runs say into `results.json`, from which the table in docs/clients.md is made.
 */

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAvailable, pythonClients } from '../../support/programs.ts';
import { parseResults } from '../table.ts';
import { renderResults, withRuns } from './results.ts';
import { type PythonCase, runPytest } from './run-pytest.ts';

const RESULTS = join(import.meta.dirname, 'results.json');

const lists = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.txt'));
const known = parseResults(readFileSync(RESULTS, 'utf8'));

const groups = process.env['FULL'] === '1' ? lists.map((file) => file.slice(0, -'.txt'.length)) : ['core'];
const available = groups.filter((group) => isAvailable(pythonClients(group)));

// The tests are not known before they have run. One group after the other: each keeps a processor busy.
const runs: [group: string, cases: readonly PythonCase[]][] = [];
for (const group of available) runs.push([group, await runPytest(group)]);

describe.skipIf(available.length < groups.length)('Python clients', () => {
  describe.each(runs)('%s', (_, cases) => {
    test.for(cases.map((one) => [`${one.file} ${one.name}`, one] as const))('%s', ([, one], { skip }) => {
      if (one.outcome === 'skipped') skip(one.message);
      expect(one.outcome, one.message).not.toBe('failed');
    });
  });

  test('the results are up to date', async () => {
    const ran = runs.flatMap(([, cases]) => cases);
    await expect(renderResults(withRuns(known, ran))).toMatchFileSnapshot(RESULTS);
  });
});

test('every result is of a client that is tested, in a version that a list installs', () => {
  const tests = globSync('*/test_*.py', { cwd: import.meta.dirname });
  const texts = tests.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('');
  expect(known.filter(({ client }) => !texts.includes(`"${client}"`))).toEqual([]);
  const pinned = lists.flatMap((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n'));
  const versions = new Set(pinned.map((line) => line.replace(/ ;.*/, '')));
  expect(known.filter(({ client, version }) => !versions.has(`${client}==${version}`))).toEqual([]);
});
