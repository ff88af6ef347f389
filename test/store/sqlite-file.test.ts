/** A file that a thread opens itself: how it is opened, and what the thread does between the rows of a statement. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteFile } from '../../src/store/sqlite/sqlite-file.ts';

const ROWS = Array.from({ length: 5 }, (_, at) => [at]);
const INSERT = { sql: 'insert into numbers values (?)', rows: ROWS };

async function open(rowsAtOnce?: number) {
  const file = join(mkdtempSync(join(tmpdir(), 'sqlite-file-')), 'numbers.db');
  const rests = rowsAtOnce === undefined ? {} : { rowsAtOnce };
  const opened = await openSqliteFile({ file, readOnly: false, busyTimeout: 0, ...rests });
  onTestFinished(() => opened.close());
  expect(await opened.run({ sql: 'create table numbers (n integer unique)', parameters: [] })).toEqual({
    rows: [],
    changes: 0,
  });
  return opened;
}

/** How many turns the event loop has while something is awaited. */
async function turnsDuring(awaited: Promise<unknown>): Promise<number> {
  let isOver = false;
  let turns = 0;
  const end = awaited.finally(() => {
    isOver = true;
  });
  for (; !isOver; turns += 1) await nextTurn();
  await end;
  return turns;
}

test('all rows are written, and the thread has its turn after so many of them', async () => {
  const file = await open(2);
  const writing = file.run(INSERT);
  expect(await turnsDuring(writing)).toBeGreaterThan(2);
  expect(await writing).toEqual({ rows: [], changes: 5 });
  expect(await file.run({ sql: 'select n from numbers order by n', parameters: [] })).toEqual({
    rows: ROWS.map(([n]) => ({ n })),
  });
});

test('without that, rows are written in one turn', async () => {
  const file = await open();
  expect(await turnsDuring(file.run(INSERT))).toBeLessThanOrEqual(1);
});

test('a row that is refused after a rest fails the statement', async () => {
  const file = await open(2);
  const outcome = await file.run({ ...INSERT, rows: [...ROWS, [0]] });
  expect(outcome).toMatchObject({ failure: expect.stringContaining('UNIQUE') });
});

test('a file that exists is opened and read while it cannot be written, as with a full disk', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'sqlite-file-')), 'numbers.db');
  const options = { file: path, readOnly: false, busyTimeout: 0 };
  const first = await openSqliteFile(options);
  onTestFinished(() => first.close());
  await first.run({ sql: 'create table numbers (n integer)', parameters: [] });
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  const second = await openSqliteFile(options);
  onTestFinished(() => second.close());
  expect(await second.run({ sql: 'select n from numbers', parameters: [] })).toEqual({ rows: [] });
  for (const [pragma, value] of [
    ['journal_mode', 'wal'],
    ['auto_vacuum', 2],
    ['synchronous', 2],
  ] as const)
    expect(await second.run({ sql: `pragma ${pragma}`, parameters: [] })).toEqual({
      rows: [{ [pragma]: value }],
    });
});
