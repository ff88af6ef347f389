/** Tables of the console as CSV files. */

import { expect, test } from 'vitest';
import { toCsv } from '../../src/console/admin/csv.ts';

test.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(1)'])(
  'a text that a spreadsheet takes for a formula begins with an apostrophe: %j',
  (text) => {
    expect(toCsv(['a'], [[text], [1], [null]]).replaceAll('"', '')).toBe(`a\r\n'${text}\r\n1\r\n\r\n`);
  },
);
