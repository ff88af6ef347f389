/**
 * The table in docs/clients.md says what the results of the languages say. `npx vitest run test/clients/table.test.ts -u` writes
 * it.
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allResults, PAGE, parseResults, renderTable, withTable } from './table.ts';

test('the table is up to date', async () => {
  const page = readFileSync(PAGE, 'utf8');
  await expect(withTable(page, renderTable(allResults()))).toMatchFileSnapshot(PAGE);
});

test('no version of a client has two rows', () => {
  const names = allResults().map(({ client, version, language }) => `${client} ${version} (${language})`);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('a row tells what works, what fails, and what was not tried', () => {
  const row = { client: 'some-sdk', version: '1.2', language: 'Go', models: ['openai', 'google'] };
  const table = renderTable([{ ...row, whole: true, stream: false }]);
  expect(table.split('\n').at(-1)).toBe('| some-sdk (Go) | 1.2 | openai, google | ✓ | fails |  |  |  |');
});

test('a result with a field that no row has is refused', () => {
  const result = { client: 'some-sdk', version: '1.2', language: 'Go', models: ['openai'], streams: true };
  expect(() => parseResults(JSON.stringify([result]))).toThrow(/streams/);
});

test('a page without a place for the table is refused', () => {
  expect(() => withTable('# Clients\n', '')).toThrow(/lacks/);
});
