import { expect, test } from 'vitest';
import { textTable } from '../../src/cli/text-table.ts';

test('a table has as many rows as there are: a function takes some hundred thousand arguments at most', () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => `key-${at}`);
  const lines = textTable([{ title: 'name', text: (row) => row }], rows).split('\n');
  expect(lines).toHaveLength(300_001);
  expect(lines.at(-1)).toBe('key-299999');
});
