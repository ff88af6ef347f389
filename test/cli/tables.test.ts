import { expect, test } from 'vitest';
import { textTable } from '../../src/cli/tables.ts';

test('a table may have more rows than a function takes arguments, which is a few hundred thousand', () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => `key-${at}`);
  const lines = textTable([{ title: 'name', text: (row) => row }], rows).split('\n');
  expect(lines).toHaveLength(300_001);
  expect(lines.at(-1)).toBe('key-299999');
});
