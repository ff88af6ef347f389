/** `/admin/exchanges`: which exchanges it lists, in which order, and what it says of them. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { logToStderr } from '../../../src/lib/diagnostics.ts';
import { createAdminApp } from '../../../src/server/http/admin/app.ts';
import { exchangeList } from '../../../src/server/http/admin/exchanges-route.ts';
import type { Store } from '../../../src/store/store.ts';
import { exchange, noon, rowOf } from '../../accounting/usage/records.ts';
import { admitByKey, serveApp } from '../../support/admin.ts';
import { describeStores } from '../../support/stores.ts';

const ADMIN = 'the-admin-key-of-the-exchanges';
const NOON = noon('2026-11-20');

/** One an hour, the first at noon. */
const EXCHANGES = [
  { id: 'plain' },
  { id: 'of-another-key', key: 'other', tag: 'nightly' },
  { id: 'of-another-model', model: 'anthropic/claude-sonnet-5', spoken: 'messages' },
  { id: 'refused', status: 429, fault: 'rate-limited', vendor: undefined, spoken: undefined },
  { id: 'left', outcome: 'client-closed' },
  { id: 'without-a-key', key: '', model: '', status: 401, fault: 'unauthenticated', vendor: '' },
] as const;

describeStores('exchanges', ({ open }) => {
  let server: Awaited<ReturnType<typeof serveApp>>;
  let store: Store;
  beforeEach(async () => {
    store = await open();
    const records = EXCHANGES.map((fields, at) => exchange({ ...fields, time: NOON + at * 3_600_000 }));
    await writeUsage(
      store,
      records.map((record, place) => rowOf(record, place)),
    );
    const app = createAdminApp(store, { admit: admitByKey(ADMIN), problem: logToStderr });
    server = await serveApp(app);
  });
  afterEach(() => server.close());

  const ask = (query: Readonly<Record<string, string>>) => {
    const headers = { authorization: `Bearer ${ADMIN}` };
    return fetch(`${server.url}/admin/exchanges?${new URLSearchParams(query)}`, { headers });
  };
  const readPage = async (query: Readonly<Record<string, string>>) =>
    exchangeList.parse(await (await ask(query)).json());
  const read = async (query: Readonly<Record<string, string>>) => (await readPage(query)).data;

  /** All pages, one after the other. */
  async function readAll(query: Readonly<Record<string, string>>): Promise<readonly (readonly string[])[]> {
    const pages: string[][] = [];
    let page: string | null = null;
    do {
      const list = await readPage({ ...query, ...(page !== null && { page }) });
      pages.push(list.data.map(({ id }) => id));
      expect(list.has_more).toBe(list.next_page !== null);
      page = list.next_page;
    } while (page !== null);
    return pages;
  }

  test.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ['without-a-key', 'left', 'refused', 'of-another-model', 'of-another-key', 'plain']],
    [{ limit: '2' }, ['without-a-key', 'left']],
    [{ key: 'other' }, ['of-another-key']],
    [{ key: '' }, ['without-a-key']],
    [{ key: "o' or 1=1 --" }, []],
    [{ tag: 'nightly' }, ['of-another-key']],
    [{ model: 'anthropic/claude-sonnet-5' }, ['of-another-model']],
    [{ errors: 'true' }, ['without-a-key', 'left', 'refused']],
    [{ errors: 'true', key: 'team' }, ['left', 'refused']],
    // In another time zone, the hour of the third one: only those that began before it.
    [{ before: '2026-11-20T15:00:00+01:00' }, ['of-another-key', 'plain']],
  ])('%j', async (query, ids) => {
    expect((await read(query)).map(({ id }) => id)).toEqual(ids);
  });

  test('pages lose none and repeat none, of one time, of several batches, or of one id', async () => {
    const time = NOON - 1;
    for (const [batch, ids] of [
      ['two', ['a', 'same', 'c']],
      ['three.1', ['d', 'same']],
    ] as const)
      await writeUsage(
        store,
        ids.map((id, place) => ({ ...rowOf(exchange({ id, time, tag: 'paged' }), place), batch })),
      );
    const all = ['d', 'same', 'a', 'same', 'c'];
    expect(await readAll({ tag: 'paged', limit: '1' })).toEqual(all.map((id) => [id]));
    expect(await readAll({ tag: 'paged', limit: '2' })).toEqual([['d', 'same'], ['a', 'same'], ['c']]);
    expect(await readAll({ tag: 'paged', limit: '5' })).toEqual([all]);
    expect((await readAll({ limit: '4' })).flat()).toEqual([
      ...(await read({})).slice(0, EXCHANGES.length).map(({ id }) => id),
      ...all,
    ]);
  });

  test.each(['', '1', '1-2', '1-2-', 'x-2-one', '1-2-o\0ne', `${'1'.repeat(20)}-0-one`])(
    'a page %j that no answer names is refused',
    async (page) => {
      const response = await ask({ page });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: 'page' } });
    },
  );

  test('say what was asked, and null for what is not known', async () => {
    const [keyless, , refused, translated] = await read({});
    expect(translated).toMatchObject({ path: 'translated', spoken: 'messages', key: 'team' });
    expect(refused).toMatchObject({
      path: null,
      spoken: null,
      vendor: null,
      status: 429,
      fault: 'rate-limited',
    });
    expect(keyless).toMatchObject({ key: null, model: null, vendor: null });
  });
});
