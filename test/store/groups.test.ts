/** Groups of keys in the store, and as the code that follows the store's keys sees them. */

import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { findPrincipal } from '../../src/access/keys.ts';
import { storedByModel, storedSpending } from '../../src/access/limits/stored-spending.ts';
import { watchKeys } from '../../src/access/watch-keys.ts';
import { writeUsage } from '../../src/accounting/usage/write-usage.ts';
import { NoSuchGroup } from '../../src/store/keys/changes.ts';
import { changeGroup, createGroup, deleteGroup, findGroup, listGroups } from '../../src/store/keys/groups.ts';
import { groupColumns, groupSettings, keyColumns, newGroup } from '../../src/store/keys/key-settings.ts';
import { groupView, renderGroup, renderKey } from '../../src/store/keys/key-view.ts';
import { changeKey, createKey, revokeKey } from '../../src/store/keys/keys.ts';
import { pageOfKeys } from '../../src/store/keys/list-keys.ts';
import { rotateKey } from '../../src/store/keys/rotate-key.ts';
import type { Store } from '../../src/store/store.ts';
import { exchange, rowOf } from '../accounting/usage/records.ts';
import { soon } from '../support/soon.ts';
import { describeStores } from '../support/stores.ts';

const SETTINGS = groupSettings.parse({
  models: ['openai/*'],
  requests_per_minute: 60,
  tokens_per_minute: 100_000_000_000,
  concurrent_requests: 5,
  budget_day: 0.5,
  budget_month: 500.25,
});

async function keyOf(store: Store, name: string, group: string | null): Promise<{ key: string; id: string }> {
  const made = await createKey(store, name, keyColumns({ group }));
  if (made === undefined) throw new Error(`There is a key ${name} already.`);
  return { key: made.key, id: made.row.id };
}

async function follow(store: Store, interval = 60_000): ReturnType<typeof watchKeys> {
  const followed = await watchKeys(store, { interval });
  onTestFinished(() => followed.stop());
  return followed;
}

test.each(['none', 'a/b', '', ' a', 'a ', 'x'.repeat(65)])('%j is not a valid group name', (name) => {
  expect(newGroup.safeParse({ name }).success).toBe(false);
});

describeStores('groups of the store', (stores) => {
  test('from its creation to its deletion', async () => {
    const store = await stores.open();
    expect(await listGroups(store)).toEqual([]);
    const made = await createGroup(store, 'search', groupColumns(SETTINGS));
    if (made === undefined) throw new Error('It is not made.');
    expect(groupView.parse(renderGroup(made))).toMatchObject({
      object: 'group',
      name: 'search',
      ...SETTINGS,
    });
    expect(await createGroup(store, 'search')).toBeUndefined();
    await createGroup(store, 'ads');
    expect((await listGroups(store)).map(({ name }) => name)).toEqual(['ads', 'search']);
    const changed = groupSettings.parse({ budget_day: null, models: null, requests_per_minute: 7 });
    expect(await changeGroup(store, 'search', groupColumns(changed))).toEqual({
      ...made,
      budget_day: null,
      models: null,
      requests_per_minute: 7,
      change: made.change + 3,
    });
    expect(await changeGroup(store, 'search', {})).toMatchObject({ requests_per_minute: 7 });
    expect(await changeGroup(store, 'nobody', {})).toBeUndefined();
    expect(await deleteGroup(store, 'search')).toMatchObject({ name: 'search' });
    expect(await deleteGroup(store, 'search')).toBeUndefined();
    expect(await findGroup(store, 'search')).toBeUndefined();
  });

  test('a key belongs to an existing group, or to none', async () => {
    const store = await stores.open();
    await expect(createKey(store, 'one', keyColumns({ group: 'search' }))).rejects.toThrow(NoSuchGroup);
    const { id } = await keyOf(store, 'one', null);
    await expect(changeKey(store, id, keyColumns({ group: 'search' }))).rejects.toThrow(
      'There is no group search.',
    );
    await createGroup(store, 'search');
    const changed = await changeKey(store, id, keyColumns({ group: 'search' }));
    expect(changed && renderKey(changed).group).toBe('search');
    // Any other change leaves the key in it, and so does a rotation.
    expect(await changeKey(store, id, { budget_day: 1 })).toMatchObject({ group_name: 'search' });
    expect(await rotateKey(store, id)).toMatchObject({ row: { group_name: 'search' } });
    await keyOf(store, 'two', 'search');
    await keyOf(store, 'three', null);
    const page = { revoked: false, prefix: '', after: undefined, limit: 9 };
    const named = async (group: string | undefined) =>
      (await pageOfKeys(store, { ...page, group })).rows.map(({ name }) => name).sort();
    expect(await named('search')).toEqual(['one', 'two']);
    expect(await named(undefined)).toEqual(['one', 'three', 'two']);
    expect(await changeKey(store, id, keyColumns({ group: null }))).toMatchObject({ group_name: null });
  });

  test('a group with keys cannot be deleted until they have left it', async () => {
    const store = await stores.open();
    await createGroup(store, 'search');
    const [one, two] = [await keyOf(store, 'one', 'search'), await keyOf(store, 'two', 'search')];
    expect(await deleteGroup(store, 'search')).toEqual({ keys: 2 });
    await changeKey(store, one.id, keyColumns({ group: null }));
    expect(await deleteGroup(store, 'search')).toEqual({ keys: 1 });
    await revokeKey(store, two.id);
    expect(await deleteGroup(store, 'search')).toMatchObject({ name: 'search' });
    expect(await revokeKey(store, one.id)).toMatchObject({ group_name: null });
  });

  test('if a key joins a group while the group is deleted, one of the two is rejected', async () => {
    const place = await stores.newPlace();
    const [here, there] = await Promise.all([stores.open(place), stores.open(place)]);
    for (let round = 0; round < 10; round += 1) {
      const group = `group-${round}`;
      await createGroup(here, group);
      const [made, deleted] = await Promise.all([
        createKey(here, `key-${round}`, { group_name: group }).catch((error: unknown) => error),
        deleteGroup(there, group),
      ]);
      const isLeft = (await findGroup(here, group)) !== undefined;
      if (isLeft) expect([made, deleted]).toMatchObject([{ row: { group_name: group } }, { keys: 1 }]);
      else expect([made, deleted]).toMatchObject([new NoSuchGroup(group), { name: group }]);
    }
  });

  test('followers of the keys see the changes that others make to groups', async () => {
    const place = await stores.newPlace();
    const [here, there] = await Promise.all([stores.open(place), stores.open(place)]);
    const { keys } = await follow(here, 20);
    await createGroup(there, 'search', groupColumns(SETTINGS));
    const { key, id } = await keyOf(there, 'one', 'search');
    await soon(() =>
      expect(findPrincipal(keys, key)?.group).toMatchObject({ name: 'search', limits: { budgetDay: 0.5 } }),
    );
    expect(findPrincipal(keys, key)).toMatchObject({ name: 'one', restricted: true, limits: {} });
    expect(findPrincipal(keys, key)?.allows('openai/gpt-4o', () => [])).toBe(true);
    expect(findPrincipal(keys, key)?.allows('google/gemini-2.5-pro', () => [])).toBe(false);
    await changeGroup(there, 'search', { budget_day: 2, models: null });
    await soon(() => expect(findPrincipal(keys, key)?.group?.limits.budgetDay).toBe(2));
    expect(findPrincipal(keys, key)?.restricted).toBe(false);
    await createGroup(there, 'ads');
    await changeKey(there, id, keyColumns({ group: 'ads' }));
    await soon(() => expect(findPrincipal(keys, key)?.group).toEqual({ name: 'ads', limits: {} }));
    await changeKey(there, id, keyColumns({ group: null }));
    await soon(() => expect(findPrincipal(keys, key)?.group).toBeUndefined());
    expect(findPrincipal(keys, key)?.name).toBe('one');
  });

  test('a change of a group does not reload any key', async () => {
    const store = await stores.open();
    await createGroup(store, 'search');
    const { key } = await keyOf(store, 'one', 'search');
    const followed = await follow(store);
    // This change sends no notice: only a read of the row would see it.
    await sql`update gateway_keys set name = 'seen'`.execute(store.db);
    await changeGroup(store, 'search', { budget_day: 2 });
    await createGroup(store, 'ads');
    await deleteGroup(store, 'ads');
    await followed.refresh();
    expect(findPrincipal(followed.keys, key)).toMatchObject({
      name: 'one',
      group: { limits: { budgetDay: 2 } },
    });
  });

  test('a change of a key does not reload any group', async () => {
    const store = await stores.open();
    await createGroup(store, 'search');
    const { key, id } = await keyOf(store, 'one', 'search');
    const followed = await follow(store);
    await sql`update gateway_groups set budget_day = 7`.execute(store.db);
    await changeKey(store, id, { budget_day: 2 });
    await followed.refresh();
    expect(findPrincipal(followed.keys, key)).toMatchObject({
      limits: { budgetDay: 2 },
      group: { limits: {} },
    });
    expect(findPrincipal(followed.keys, key)?.group?.limits).toEqual({});
    // A group that is deleted and created again is another group.
    await changeKey(store, id, { group_name: null });
    await deleteGroup(store, 'search');
    await createGroup(store, 'search', { budget_day: 3 });
    await changeKey(store, id, { group_name: 'search' });
    await followed.refresh();
    expect(findPrincipal(followed.keys, key)?.group?.limits).toEqual({ budgetDay: 3 });
  });

  test('a key whose group was deleted by hand is rejected', async () => {
    const store = await stores.open();
    await createGroup(store, 'search', { budget_day: 1 });
    const { key, id } = await keyOf(store, 'one', 'search');
    const followed = await follow(store);
    expect(findPrincipal(followed.keys, key)?.name).toBe('one');
    await sql`delete from gateway_groups`.execute(store.db);
    await keyOf(store, 'two', null);
    await followed.refresh();
    expect(findPrincipal(followed.keys, key)).toBeUndefined();
    expect(await revokeKey(store, id)).toMatchObject({ name: 'one' });
  });

  test('an earlier version continues to work beside: it creates keys and writes usage without a group, and moves no key', async () => {
    const store = await stores.open();
    await createGroup(store, 'search');
    const { key, id } = await keyOf(store, 'one', 'search');
    const followed = await follow(store);
    // As 004-tags has them.
    await sql`insert into gateway_keys (id, name, hint, hash, created_at, change)
      values ('key_earlier', 'earlier', 'gw_…', 'abc', 5, 0)`.execute(store.db);
    await sql`update gateway_keys set budget_day = 7 where id = ${id}`.execute(store.db);
    await sql`update gateway_changes set version = version + 2, by_row = by_row + 2`.execute(store.db);
    await sql`update gateway_keys set change = (select by_row from gateway_changes)`.execute(store.db);
    await followed.refresh();
    expect(findPrincipal(followed.keys, key)).toMatchObject({
      limits: { budgetDay: 7 },
      group: { name: 'search' },
    });
    const { group_name: _, ...row } = rowOf(exchange({ key: 'one', cost: 3 }));
    const columns = Object.keys(row);
    await sql`insert into gateway_exchanges (${sql.raw(columns.join())})
      values (${sql.join(Object.values(row))})`.execute(store.db);
    const kept = await store.db.selectFrom('gateway_exchanges').select('group_name').execute();
    expect(kept).toEqual([{ group_name: null }]);
  });

  test('limits by model are stored as given, and followers see them', async () => {
    const store = await stores.open();
    const model_limits = [{ models: ['openai/*'], requests_per_minute: 3, budget_day: 0.5 }];
    const made = await createGroup(store, 'search', groupColumns({ model_limits }));
    expect(made && groupView.parse(renderGroup(made))).toMatchObject({ model_limits });
    const created = await createKey(store, 'one', keyColumns({ group: 'search', model_limits }));
    if (created === undefined) throw new Error('It is not made.');
    expect(renderKey(created.row)).toMatchObject({ model_limits });
    const followed = await follow(store);
    const limits = { requestsPerMinute: 3, budgetDay: 0.5 };
    expect(findPrincipal(followed.keys, created.key)).toMatchObject({
      modelLimits: [{ of: 'one', models: 'openai/*', limits }],
      group: { modelLimits: [{ of: 'search', models: 'openai/*', limits }] },
    });
    await changeKey(store, created.row.id, keyColumns({ model_limits: null }));
    await followed.refresh();
    expect(findPrincipal(followed.keys, created.key)?.modelLimits).toBeUndefined();
  });

  test('spending is known by model', async () => {
    const store = await stores.open();
    const time = Date.parse('2026-05-20T12:00:00Z');
    const [gpt, opus] = [{ model: 'openai/gpt-4.1' }, { model: 'anthropic/claude-opus-4-5' }];
    const records = [
      exchange({ key: 'one', group: 'search', cost: 1, time, ...gpt }),
      exchange({ key: 'one', group: 'search', cost: 2, time, ...opus }),
      exchange({ key: 'two', group: 'search', cost: 4, time, ...opus }),
      exchange({ key: 'one', cost: 8, time: time - 86_400_000, ...opus }),
      exchange({ key: 'one', cost: 16, time: time - 30 * 86_400_000, ...opus }),
    ];
    await writeUsage(
      store,
      records.map((record, place) => rowOf(record, place)),
    );
    expect(await storedByModel(store, 'key')('2026-05-20', new Set(['one']))).toEqual(
      new Map([
        [
          'one',
          new Map([
            [gpt.model, { day: 1, week: 1, month: 1, total: 1 }],
            [opus.model, { day: 2, week: 10, month: 10, total: 26 }],
          ]),
        ],
      ]),
    );
    const ofGroups = await storedByModel(store, 'group')('2026-05-20');
    expect(ofGroups.get('search')?.get(opus.model)?.day).toBe(6);
  });

  test('spending counts for the group that the key belonged to at the time', async () => {
    const store = await stores.open();
    const time = Date.parse('2026-05-20T12:00:00Z');
    const records = [
      exchange({ key: 'one', group: 'search', cost: 1, time }),
      exchange({ key: 'two', group: 'search', cost: 2, time }),
      exchange({ key: 'two', group: 'ads', cost: 4, time, tag: 'customer' }),
      exchange({ key: 'two', cost: 8, time }),
      exchange({ key: 'one', group: 'search', cost: 16, time: time - 86_400_000 }),
      exchange({ key: 'one', group: 'search', cost: 32, time: time - 30 * 86_400_000 }),
    ];
    await writeUsage(
      store,
      records.map((record, place) => rowOf(record, place)),
    );
    const spent = storedSpending(store, 'group');
    expect(await spent('2026-05-20')).toEqual(
      new Map([
        ['search', { day: 3, week: 19, month: 19, total: 51 }],
        ['ads', { day: 4, week: 4, month: 4, total: 4 }],
      ]),
    );
    expect(await spent('2026-05-20', new Set(['ads', 'nobody']))).toEqual(
      new Map([['ads', { day: 4, week: 4, month: 4, total: 4 }]]),
    );
    expect((await storedSpending(store)('2026-05-20')).get('two')).toMatchObject({ day: 14, month: 14 });
  });
});
