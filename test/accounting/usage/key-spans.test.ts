/** A list of the exchanges of one key reads the days that have it, and finds the same as a walk over all. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { deleteOldSums } from '../../../src/accounting/usage/delete-old-sums.ts';
import { exchangeQuery, listExchanges } from '../../../src/accounting/usage/list-exchanges.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { formatDay } from '../../../src/lib/calendar.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { describeStores } from '../../support/stores.ts';
import { exchange, noon, rowOf } from './records.ts';

const DAY = 86_400_000;
const END = noon('2026-11-20');

/** Writes one exchange at each of the times. @param zone of their days. */
async function write(store: Store, key: string, times: readonly number[], zone = 'UTC'): Promise<void> {
  const rows = times.map((time, place) => ({
    ...rowOf(exchange({ id: `${key}-${time}`, key, time }), place),
    batch: `of-${key}`,
    day: formatDay(time, zone),
  }));
  await writeUsage(store, rows);
}

/** The times of all exchanges of a key, page after page. */
async function readTimes(store: Store, key: string, limit: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let page: string | null | undefined; page !== null; ) {
    const query = exchangeQuery.parse({ key, limit: String(limit), ...(page !== undefined && { page }) });
    const { exchanges, next } = await listExchanges(store, query);
    times.push(...exchanges.map(({ time }) => Date.parse(time)));
    page = next;
  }
  return times;
}

describeStores('exchanges of a key', ({ open }) => {
  const apart = [0, 1, 2, 5, 6, 30, 31, 60, 399, 400, 401, 700].map((days) => END - days * DAY);

  test.each([1, 3, 4, 100])('days that are apart, %i on a page', async (limit) => {
    const store = await open();
    await write(store, 'other', [END + DAY / 2, END - 800 * DAY]);
    await write(store, 'team', apart);
    expect(await readTimes(store, 'team', limit)).toEqual(apart);
    expect(await readTimes(store, 'nobody', limit)).toEqual([]);
  });

  test.each(['Pacific/Kiritimati', 'Etc/GMT+12'])('days of %s', async (zone) => {
    const store = await open();
    const times = [0, 3, 6, 9, 12, 15, 18, 21, 24].map((hours) => END - (12 + hours) * 3_600_000);
    await write(store, 'team', times, zone);
    expect(await readTimes(store, 'team', 2)).toEqual(times);
  });

  test('exchanges that are kept longer than their sums', async () => {
    const store = await open();
    await write(store, 'team', apart);
    await deleteOldSums(store, '2026-11');
    expect(await readTimes(store, 'team', 100)).toEqual(apart);
    await deleteOldSums(store, '2026-12');
    expect(await readTimes(store, 'team', 100)).toEqual(apart);
  });
});

test('a key that nobody has does not read what is kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-spans-'));
  const store = await openStore({ path: join(folder, 'gateway.db') });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  await write(store, 'team', [END - 80 * DAY, END]);
  await sql`create table numbers as
    with recursive n (n) as (select 1 union all select n + 1 from n where n < 150000) select n from n`.execute(
    store.db,
  );
  await sql`insert into gateway_exchanges
      (batch, place, id, time, day, key, model, vendor, format, operation, streamed, status, outcome, duration, attempts)
    select 'many', n, 'id', ${END} - n * 1000, '2026-11-20', 'team', 'a-model', 'a-vendor', 'messages', 'generate', 1, 200,
      'complete', 1, 1 from numbers`.execute(store.db);
  /** The least processor time of several looks, in microseconds. */
  async function measureCost(query: Readonly<Record<string, string>>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let look = 0; look < 8; look += 1) {
      const before = process.cpuUsage();
      const { exchanges } = await listExchanges(store, exchangeQuery.parse(query));
      const { user, system } = process.cpuUsage(before);
      expect(exchanges).toEqual([]);
      least = Math.min(least, user + system);
    }
    return least;
  }
  const walk = await measureCost({ tag: 'nobody' });
  expect(await measureCost({ key: 'nobody' })).toBeLessThan(walk / 3);
});
