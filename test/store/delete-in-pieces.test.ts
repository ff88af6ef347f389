/** What is older than it is to be kept is deleted in pieces, between which others can write. */

import { expect, onTestFinished, test } from 'vitest';
import { deleteOldSums } from '../../src/accounting/usage/delete-old-sums.ts';
import { auditIdAt } from '../../src/store/audit.ts';
import { DAY } from '../../src/store/delete-hourly.ts';
import { scheduleAuditDeletion } from '../../src/store/delete-old-audit.ts';
import { insertRows } from '../../src/store/insert-rows.ts';
import type { Store } from '../../src/store/store.ts';
import { scheduleStoredIdDeletion } from '../../src/store/stored-ids.ts';
import { type Tables, USAGE_SUMS } from '../../src/store/tables.ts';
import { soon } from '../support/soon.ts';
import { describeStores } from '../support/stores.ts';

/** The most that a statement may delete. */
const MOST = 6_000;
const MANY = 12_000;

/** The store, and the number of rows that each of its statements deletes. */
function counted(store: Store): { readonly counting: Store; readonly deleted: number[] } {
  const deleted: number[] = [];
  const db = store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      if (result.numAffectedRows !== undefined) deleted.push(Number(result.numAffectedRows));
      return Promise.resolve(result);
    },
  });
  return { counting: { ...store, db }, deleted };
}

async function fill(store: Store, table: keyof Tables, rows: readonly object[]): Promise<void> {
  await store.db.transaction().execute(async (transaction) => {
    for (let at = 0; at < rows.length; at += 1_000)
      await insertRows(
        transaction,
        store.kind,
        table,
        Object.keys(rows[0] ?? {}),
        rows.slice(at, at + 1_000),
      );
  });
}

function makeMany(makeRow: (at: number) => object): object[] {
  return Array.from({ length: MANY }, (_, at) => makeRow(at));
}

describeStores('old rows', ({ open }) => {
  async function countRows({ db }: Store, table: keyof Tables): Promise<number> {
    const { count } = await db
      .selectFrom(table)
      .select((of) => of.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  test('of what is stored at vendors', async () => {
    const store = await open();
    const now = Date.now();
    const old = makeMany((at) => ({ id: `resp_${at}`, key: 'team', made_at: now - 91 * DAY + (at % 100) }));
    await fill(store, 'gateway_stored', [...old, { id: 'resp_new', key: 'team', made_at: now }]);
    const { counting, deleted } = counted(store);
    const deleting = scheduleStoredIdDeletion(counting, (reason) => expect.fail(String(reason)));
    onTestFinished(() => deleting.stop());
    await soon(async () => expect(await countRows(store, 'gateway_stored')).toBe(1));
    expect(Math.max(...deleted)).toBeLessThanOrEqual(MOST);
  });

  test('of the audit trail', async () => {
    const store = await open();
    const entry = (id: string, time: number) => ({
      id: `${auditIdAt(time)}${id.padStart(12, '0')}`,
      time,
      via: 'admin',
      action: 'key.changed',
      target: 'team',
    });
    const now = Date.now();
    const old = makeMany((at) => entry(`${at}`, now - 31 * DAY + (at % 100)));
    await fill(store, 'gateway_audit', [...old, entry('1', now)]);
    const { counting, deleted } = counted(store);
    const deleting = scheduleAuditDeletion(counting, 30, (reason) => expect.fail(String(reason)));
    onTestFinished(() => deleting.stop());
    await soon(async () => expect(await countRows(store, 'gateway_audit')).toBe(1));
    expect(Math.max(...deleted)).toBeLessThanOrEqual(MOST);
  });

  test('of the sums of a month and of a day, however many there are', async () => {
    const store = await open();
    const sums = Object.fromEntries(USAGE_SUMS.map((sum) => [sum, 1]));
    const row = { model: 'openai/o3', vendor: 'openai', ...sums };
    const make = (column: string, kept: string, old: string) => [
      ...makeMany((at) => ({ [column]: old, key: `key-${at}`, ...row })),
      { [column]: kept, key: 'key-1', ...row },
    ];
    await fill(store, 'gateway_usage_months', make('month', '2026-05', '2026-04'));
    await fill(store, 'gateway_usage_days', make('day', '2026-05-01', '2026-04-30'));
    const { counting, deleted } = counted(store);
    await deleteOldSums(counting, '2026-05');
    expect(await countRows(store, 'gateway_usage_months')).toBe(1);
    expect(await countRows(store, 'gateway_usage_days')).toBe(1);
    expect(Math.max(...deleted)).toBeLessThanOrEqual(MOST);
    expect(deleted.reduce((sum, rows) => sum + rows, 0)).toBe(2 * MANY);
  });
});
