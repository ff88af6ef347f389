/** `/admin/budgets`: what is spent of budgets by key, group and model. */

import { expect, test, vi } from 'vitest';
import { openBudgetReport } from '../../../src/accounting/usage/budget-report.ts';
import { writeUsage } from '../../../src/accounting/usage/write-usage.ts';
import { addDays, formatDay } from '../../../src/lib/calendar.ts';
import { logToStderr } from '../../../src/lib/diagnostics.ts';
import { createAdminApp } from '../../../src/server/http/admin/app.ts';
import { budgetList } from '../../../src/server/http/admin/budget-route.ts';
import { createGroup } from '../../../src/store/keys/groups.ts';
import { groupColumns, keyColumns } from '../../../src/store/keys/key-settings.ts';
import { createKey, revokeKey } from '../../../src/store/keys/keys.ts';
import { exchange, noon, rowOf } from '../../accounting/usage/records.ts';
import { admitByKey, serveApp } from '../../support/admin.ts';
import { describeStores } from '../../support/stores.ts';

const ADMIN = 'the-admin-key-of-the-budgets';
const TODAY = formatDay(Date.now());

describeStores('budgets', ({ open }) => {
  test('of many keys in a time zone take the time zone no more often than those of few', async () => {
    const store = await open();
    const countUses = async (keys: number): Promise<number> => {
      const configured = Array.from({ length: keys }, (_, at) => ({
        name: `key-${at}`,
        limits: { budgetDay: 1, budgetMonth: 2 },
      }));
      const uses = vi.spyOn(Intl, 'DateTimeFormat');
      try {
        const read = openBudgetReport(store, {
          timeZone: 'Europe/Berlin',
          configured: () => ({ keys: configured, groups: [] }),
        });
        expect((await read(1_000)).lines).toHaveLength(2 * keys);
        return uses.mock.calls.length;
      } finally {
        uses.mockRestore();
      }
    };
    const few = await countUses(2);
    expect(few).toBeGreaterThan(0);
    expect(await countUses(50)).toBe(few);
  });

  test('of more keys than are read at a time are all counted, those with the least left first', async () => {
    const store = await open();
    const rows = await createKey(store, 'first', keyColumns({ budget_day: 1 }));
    if (rows === undefined) throw new Error('There is no key.');
    const keys = Array.from({ length: 2_000 }, (_, at) => ({
      ...rows.row,
      id: `key_${at}`,
      name: `key-${at}`,
      hash: String(at),
      budget_day: at === 1_500 ? 0 : 2,
    }));
    for (let at = 0; at < keys.length; at += 200) {
      await store.db
        .insertInto('gateway_keys')
        .values(keys.slice(at, at + 200))
        .execute();
    }
    const read = openBudgetReport(store, { timeZone: 'UTC' });
    const all = await read(10_000);
    expect([new Set(all.lines.map(({ name }) => name)).size, all.more]).toEqual([2_001, false]);
    const few = await read(3);
    expect([few.lines.length, few.lines[0]?.name, few.more]).toEqual([3, 'key-1500', true]);
  });

  test('are listed with what is spent, of stored and of configured keys and groups', async () => {
    const store = await open();
    await createGroup(store, 'search', groupColumns({ budget_month: 100 }));
    const model_limits = [
      { models: ['anthropic/*'], budget_day: 4 },
      { models: ['openai/alias'], budget_day: 8 },
    ];
    await createKey(store, 'team', keyColumns({ budget_total: 10, group: 'search', model_limits }));
    const gone = await createKey(store, 'gone', keyColumns({ budget_day: 1 }));
    await revokeKey(store, gone?.row.id ?? '');
    await createKey(store, 'without');
    const spend = (key: string, cost: number, model: string, day = TODAY) =>
      exchange({ key, cost, model, group: 'search', time: noon(day) });
    const rows = [
      spend('team', 1, 'openai/real'),
      spend('team', 2, 'anthropic/claude'),
      spend('team', 4, 'anthropic/claude', addDays(TODAY, -70)),
      spend('own', 3, 'openai/real'),
    ];
    await writeUsage(
      store,
      rows.map((record, place) => rowOf(record, place)),
    );
    const app = createAdminApp(store, {
      admit: admitByKey(ADMIN),
      problem: logToStderr,
      configured: () => ({ keys: [{ name: 'own', limits: { budgetDay: 3 } }], groups: [] }),
      otherNames: (model) => (model === 'openai/real' ? ['openai/alias'] : []),
    });
    const server = await serveApp(app);
    const read = async (query: string) => {
      const headers = { authorization: `Bearer ${ADMIN}` };
      return budgetList.parse(await (await fetch(`${server.url}/admin/budgets${query}`, { headers })).json());
    };
    try {
      const day = { period: 'day', renews_at: `${addDays(TODAY, 1)}T00:00:00.000Z` };
      const { data, has_more } = await read('');
      expect(has_more).toBe(false);
      expect(data).toMatchObject([
        { of: 'key', name: 'own', models: null, ...day, budget: 3, spent: 3, remaining: 0 },
        {
          of: 'key',
          name: 'team',
          models: null,
          period: 'total',
          budget: 10,
          spent: 7,
          remaining: 3,
          renews_at: null,
        },
        { of: 'key', name: 'team', models: ['anthropic/*'], ...day, budget: 4, spent: 2, remaining: 2 },
        { of: 'key', name: 'team', models: ['openai/alias'], ...day, budget: 8, spent: 1 },
        { of: 'group', name: 'search', models: null, period: 'month', budget: 100, spent: 6, remaining: 94 },
      ]);
      const page = await read('?limit=2');
      expect([page.data.length, page.has_more]).toEqual([2, true]);
    } finally {
      await server.close();
    }
  });
});
