import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { findEndedKey, findPrincipal } from '../../src/access/keys.ts';
import { watchKeys } from '../../src/access/watch-keys.ts';
import { eraseCaller } from '../../src/accounting/usage/erase-caller.ts';
import { makeFirstKey } from '../../src/store/configured-store.ts';
import { insertRows } from '../../src/store/insert-rows.ts';
import { createGroup } from '../../src/store/keys/groups.ts';
import { importKeyFile } from '../../src/store/keys/key-file.ts';
import { hashKey } from '../../src/store/keys/key-secret.ts';
import { keyColumns, keySettings, newKey } from '../../src/store/keys/key-settings.ts';
import { keyView, renderKey } from '../../src/store/keys/key-view.ts';
import { changeKey, createKey, insertKey, type MadeKey, revokeKey } from '../../src/store/keys/keys.ts';
import { findKey, listKeys } from '../../src/store/keys/list-keys.ts';
import { type Rotation, rotateKey } from '../../src/store/keys/rotate-key.ts';
import type { Store } from '../../src/store/store.ts';
import { keyRecords } from '../support/key-records.ts';
import { soon } from '../support/soon.ts';
import { describeStores } from '../support/stores.ts';

const SETTINGS = keySettings.parse({
  models: ['openai/*', 'anthropic/claude-sonnet-4-5'],
  expires_at: '2999-12-31T00:00:00Z',
  requests_per_minute: 60,
  tokens_per_minute: 100_000_000_000,
  concurrent_requests: 5,
  budget_day: 0.5,
  budget_month: 12.25,
});

async function rotated(store: Store, id: string, rotation?: Rotation): Promise<MadeKey> {
  const made = await rotateKey(store, id, rotation);
  if (made === undefined || 'promisedUntil' in made) throw new Error('It is not rotated.');
  return made;
}

async function create(store: Store, name: string, settings = {}) {
  const made = await createKey(store, name, keyColumns(keySettings.parse(settings)));
  if (made === undefined) throw new Error(`There is a key ${name} already.`);
  return made;
}

describeStores('revoked keys', (stores) => {
  test('are known by name, also if they were revoked before the start; no others are', async () => {
    const place = await stores.newPlace();
    const store = await stores.open(place);
    const early = await create(store, 'early');
    await revokeKey(store, early.row.id);
    const followed = await watchKeys(await stores.open(place), { interval: 60_000 });
    const late = await create(store, 'late');
    const live = await create(store, 'live');
    await followed.refresh();
    expect(findEndedKey(followed.keys, late.key)).toEqual({ expired: undefined, revoked: undefined });
    await revokeKey(store, late.row.id);
    await followed.refresh();
    for (const { key, row } of [early, late]) {
      expect(findPrincipal(followed.keys, key)).toBeUndefined();
      expect(findEndedKey(followed.keys, key)).toEqual({ expired: undefined, revoked: row.name });
    }
    expect(findEndedKey(followed.keys, live.key)).toEqual({ expired: undefined, revoked: undefined });
    // Its name is gone, so it must not be in the log either.
    await eraseCaller(store, { key: 'early' });
    await followed.refresh();
    expect(findEndedKey(followed.keys, early.key)).toEqual({ expired: undefined, revoked: undefined });
    expect(findEndedKey(followed.keys, late.key)).toEqual({ expired: undefined, revoked: 'late' });
    expect(findPrincipal(followed.keys, live.key)).toMatchObject({ name: 'live' });
    await followed.stop();
  });
});

describeStores('keys of the store', (stores) => {
  test('only the hash of a key is stored, with all its settings', async () => {
    const store = await stores.open();
    const { key, row } = await create(store, 'team', SETTINGS);
    const kept = JSON.stringify(await store.db.selectFrom('gateway_keys').selectAll().execute());
    expect(kept).not.toContain(key.slice(7));
    expect(kept).toContain(hashKey(key));
    expect(await keyRecords(store)).toEqual([
      {
        name: 'team',
        hash: hashKey(key),
        models: ['openai/*', 'anthropic/claude-sonnet-4-5'],
        expires: Date.parse('2999-12-31'),
        limits: {
          requestsPerMinute: 60,
          tokensPerMinute: 100_000_000_000,
          concurrentRequests: 5,
          budgetDay: 0.5,
          budgetMonth: 12.25,
        },
      },
    ]);
    const view = renderKey(row);
    expect(keyView.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      ...SETTINGS,
      expires_at: '2999-12-31T00:00:00.000Z',
      name: 'team',
      revoked_at: null,
    });
    expect(JSON.stringify(view)).not.toContain(row.hash);
  });

  test('a name belongs to one key, until that key is revoked', async () => {
    const store = await stores.open();
    const { row } = await create(store, 'ci');
    expect(await createKey(store, 'ci')).toBeUndefined();
    expect(await revokeKey(store, row.id)).toMatchObject({ id: row.id });
    expect(await revokeKey(store, row.id)).toBeUndefined();
    expect(await keyRecords(store)).toEqual([]);
    const next = await create(store, 'ci');
    expect((await findKey(store, 'ci'))?.id).toBe(next.row.id);
    expect((await findKey(store, row.id))?.revoked_at).not.toBeNull();
    expect((await listKeys(store)).map(({ id }) => id)).toEqual([next.row.id]);
    expect(await listKeys(store, true)).toHaveLength(2);
    expect(await findKey(store, 'nobody')).toBeUndefined();
  });

  test('a change affects the fields it names, and null removes a limit', async () => {
    const store = await stores.open();
    const { row } = await create(store, 'team', SETTINGS);
    const change = keySettings.parse({ budget_day: null, models: null, requests_per_minute: 7 });
    expect(await changeKey(store, row.id, keyColumns(change))).toEqual({
      ...row,
      budget_day: null,
      models: null,
      requests_per_minute: 7,
      change: row.change + 1,
    });
    expect(await changeKey(store, row.id, {})).toMatchObject({ requests_per_minute: 7 });
    expect(await changeKey(store, 'key_nobody', keyColumns(change))).toBeUndefined();
    await revokeKey(store, row.id);
    expect(await changeKey(store, row.id, keyColumns(change))).toBeUndefined();
  });

  test('an empty list of models means none, not all', async () => {
    const store = await stores.open();
    const { row } = await create(store, 'none', { models: [] });
    expect(renderKey(row).models).toEqual([]);
    expect(await keyRecords(store)).toMatchObject([{ models: [] }]);
  });

  test('rotation makes a new key, and the previous one is accepted for the given time', async () => {
    const store = await stores.open();
    const { key, row } = await create(store, 'team', SETTINGS);
    const next = await rotated(store, row.id, { grace: 3_600_000 });
    expect(next.row).toMatchObject({ id: row.id, name: 'team', old_hash: hashKey(key) });
    const records = await keyRecords(store);
    expect(records.map(({ hash }) => hash)).toEqual([hashKey(next.key), hashKey(key)]);
    expect(records[1]?.expires).toBe(next.row.old_until);
    expect(records[1]?.limits).toEqual(records[0]?.limits);

    const last = await rotated(store, row.id);
    expect((await keyRecords(store)).map(({ hash }) => hash)).toEqual([hashKey(last.key)]);
    await revokeKey(store, row.id);
    expect(await rotateKey(store, row.id)).toBeUndefined();
  });

  test('a second rotation within the grace period does not shorten it for a key that was promised it', async () => {
    const store = await stores.open();
    const { key, row } = await create(store, 'team');
    const opening = async () => (await keyRecords(store)).map(({ hash }) => hash);
    const first = await rotated(store, row.id, { grace: 3_600_000, again: true });
    const promisedUntil = first.row.old_until;
    expect(await rotateKey(store, row.id, { grace: 60_000 })).toEqual({ promisedUntil });
    expect(await opening()).toEqual([hashKey(first.key), hashKey(key)]);

    // Nobody received the first new key: its response was lost.
    await rotated(store, row.id, { again: true });
    const second = await rotated(store, row.id, { grace: 60_000, again: true });
    expect(second.row.old_until).toBe(promisedUntil);
    expect(await opening()).toEqual([hashKey(second.key), hashKey(key)]);

    await store.db
      .updateTable('gateway_keys')
      .set({ old_until: Date.now() - 1 })
      .execute();
    const third = await rotated(store, row.id, { grace: 60_000 });
    expect(await opening()).toEqual([hashKey(third.key), hashKey(second.key)]);
    const last = await rotated(store, row.id);
    expect(await opening()).toEqual([hashKey(last.key)]);
  });

  test('the grace period never outlasts the expiry of the key', async () => {
    const store = await stores.open();
    const expires = Date.now() + 60_000;
    const { row } = await create(store, 'soon', { expires_at: new Date(expires).toISOString() });
    await rotateKey(store, row.id, { grace: 3_600_000 });
    expect((await keyRecords(store)).map((record) => record.expires)).toEqual([expires, expires]);
  });

  test('followers of the keys see the changes that others make', async () => {
    const place = await stores.newPlace();
    const [here, there] = await Promise.all([stores.open(place), stores.open(place)]);
    const followed = await watchKeys(here, { interval: 20 });
    // A poll waits for the disk, which on a busy machine may take longer than vitest's timeout of one second.
    const waitFor = (check: () => void): Promise<void> => soon(check);
    const { key, row } = await create(there, 'team', SETTINGS);
    await waitFor(() => expect(findPrincipal(followed.keys, key)?.limits.budgetDay).toBe(0.5));
    expect(findPrincipal(followed.keys, key)?.allows('openai/gpt-4o', () => [])).toBe(true);
    expect(findPrincipal(followed.keys, key)?.allows('google/gemini-2.5-pro', () => [])).toBe(false);
    await changeKey(there, row.id, { budget_day: 2 });
    await waitFor(() => expect(findPrincipal(followed.keys, key)?.limits.budgetDay).toBe(2));
    await revokeKey(there, row.id);
    await waitFor(() => expect(findPrincipal(followed.keys, key)).toBeUndefined());
    await followed.stop();
  });

  test('a look that ends late does not put a revoked key back', async () => {
    const place = await stores.newPlace();
    const [here, there] = await Promise.all([stores.open(place), stores.open(place)]);
    const gate = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let isHolding = false;
    const db = here.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (isHolding && result.rows.some((row) => 'hash' in row)) {
          held.resolve();
          await gate.promise;
        }
        return result;
      },
    });
    const followed = await watchKeys({ ...here, db }, { interval: 60_000 });
    const { key, row } = await create(there, 'team');
    isHolding = true;
    const first = followed.refresh();
    await held.promise;
    isHolding = false;
    await revokeKey(there, row.id);
    const second = followed.refresh();
    // Time enough for the second one, if it does not wait.
    await Promise.race([second, sleep(500)]);
    gate.resolve();
    await Promise.all([first, second]);
    expect(findPrincipal(followed.keys, key)).toBeUndefined();
    await followed.stop();
  });

  test('of many keys, only those that changed are reloaded', async () => {
    const store = await stores.open();
    const { key: other, row: untouched } = await create(store, 'other');
    const { key, row } = await create(store, 'team');
    const followed = await watchKeys(store, { interval: 60_000 });
    // This change sends no notice: only a read of the row would see it.
    const secretly = { hash: hashKey('secretly'), name: 'seen' };
    await store.db.updateTable('gateway_keys').set(secretly).where('id', '=', untouched.id).execute();
    await followed.refresh();
    expect(findPrincipal(followed.keys, other)?.name).toBe('other');

    await changeKey(store, row.id, { budget_day: 2 });
    const { key: added } = await create(store, 'added');
    await followed.refresh();
    expect(findPrincipal(followed.keys, key)?.limits.budgetDay).toBe(2);
    expect(findPrincipal(followed.keys, added)?.name).toBe('added');
    expect(findPrincipal(followed.keys, other)?.name).toBe('other');

    const next = await rotated(store, row.id, { grace: 60_000 });
    await followed.refresh();
    expect([key, next.key].map((one) => findPrincipal(followed.keys, one)?.name)).toEqual(['team', 'team']);
    await rotateKey(store, row.id);
    await followed.refresh();
    expect([key, next.key].map((one) => findPrincipal(followed.keys, one))).toEqual([undefined, undefined]);
    await revokeKey(store, row.id);
    await followed.refresh();
    expect(findPrincipal(followed.keys, 'secretly')).toBeUndefined();

    // A process of an earlier version counts a change without naming its row.
    await store.db
      .updateTable('gateway_changes')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .execute();
    await followed.refresh();
    expect(findPrincipal(followed.keys, 'secretly')?.name).toBe('seen');
    expect([key, other].map((one) => findPrincipal(followed.keys, one))).toEqual([undefined, undefined]);
    await followed.stop();
  });

  test('very many keys and groups are read in pieces, also if very many have changed', async () => {
    const store = await stores.open();
    const { row } = await create(store, 'first');
    const group = await createGroup(store, 'first');
    const made = Array.from({ length: 1_200 }, (_, at) => ({
      key: { ...row, id: `key_${at}`, name: `key-${at}`, hash: hashKey(`key-${at}`), group_name: `g-${at}` },
      group: { ...group, name: `g-${at}`, budget_day: at },
    }));
    await store.db.transaction().execute(async (transaction) => {
      for (let at = 0; at < made.length; at += 400) {
        const some = made.slice(at, at + 400);
        const [keys, groups] = [some.map((one) => one.key), some.map((one) => one.group)];
        await insertRows(transaction, store.kind, 'gateway_keys', Object.keys(row), keys);
        await insertRows(transaction, store.kind, 'gateway_groups', Object.keys(group ?? {}), groups);
      }
    });
    const read: number[] = [];
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        read.push(result.rows.length);
        return Promise.resolve(result);
      },
    });
    const followed = await watchKeys({ ...store, db }, { interval: 60_000 });
    const budgets = () =>
      made.map(({ key }) => findPrincipal(followed.keys, key.name)?.group?.limits.budgetDay);
    expect(budgets()).toEqual(made.map((_, at) => at));
    await store.db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('gateway_changes')
        .set((eb) => ({ version: eb('version', '+', 1_201), by_row: eb('by_row', '+', 1_201) }))
        .execute();
      await transaction.updateTable('gateway_groups').set({ budget_day: 7, change: 1_300 }).execute();
      await transaction.updateTable('gateway_keys').set({ expires_at: null, change: 1_301 }).execute();
    });
    await followed.refresh();
    expect(budgets()).toEqual(made.map(() => 7));
    await followed.stop();
    expect(read.length).toBeGreaterThan(0);
    expect(Math.max(...read)).toBeLessThanOrEqual(300);
  });

  test('of concurrent changes, none is missed', async () => {
    const place = await stores.newPlace();
    const places = await Promise.all([1, 2, 3].map(() => stores.open(place)));
    const here = await stores.open(place);
    const followed = await watchKeys(here, { interval: 5 });
    const made = await Promise.all(
      places.flatMap((store, at) =>
        Array.from({ length: 10 }, async (_, count) => {
          const { key, row } = await create(store, `key-${at}-${count}`);
          if (count % 2 === 1) await revokeKey(store, row.id);
          else await changeKey(store, row.id, { budget_day: count });
          return { key, count };
        }),
      ),
    );
    await followed.refresh();
    for (const { key, count } of made) {
      expect(findPrincipal(followed.keys, key)?.limits.budgetDay).toBe(count % 2 === 1 ? undefined : count);
      expect(findPrincipal(followed.keys, key) === undefined).toBe(count % 2 === 1);
    }
    await followed.stop();
  });

  test('while the store is unreadable, known keys are accepted; the outage and its end are reported once', async () => {
    const store = await stores.open();
    const { key, row } = await create(store, 'team');
    const told: string[] = [];
    const recovered: string[] = [];
    const followed = await watchKeys(store, {
      interval: 5,
      onTrouble: (message) => told.push(message),
      onRecovered: (message) => recovered.push(message),
    });
    const rename = (from: string, to: string) => store.db.schema.alterTable(from).renameTo(to).execute();
    await rename('gateway_changes', 'gateway_elsewhere');
    await soon(() => expect(told).toHaveLength(1));
    await expect(followed.refresh()).rejects.toThrow();
    expect(findPrincipal(followed.keys, key)?.name).toBe('team');
    expect(told).toEqual([expect.stringContaining('gateway_changes')]);
    await rename('gateway_elsewhere', 'gateway_changes');
    await soon(() => expect(recovered).toEqual(['Keys can be read from the store again.']));
    await revokeKey(store, row.id);
    await soon(() => expect(findPrincipal(followed.keys, key)).toBeUndefined());
    await rename('gateway_changes', 'gateway_elsewhere');
    await soon(() => expect(told).toHaveLength(2));
    await followed.stop();
  });

  test('a file that replaces the open one is reported, once', async ({ skip }) => {
    const store = await stores.open();
    skip(store.kind !== 'sqlite');
    const { path } = store.place;
    const told: string[] = [];
    const followed = await watchKeys(store, { interval: 5, onTrouble: (message) => told.push(message) });
    await copyFile(path, `${path}.restored`);
    await rename(`${path}.restored`, path);
    await soon(() =>
      expect(told).toEqual([
        expect.stringMatching(/gateway\.db was moved, deleted or replaced while in use\. /),
      ]),
    );
    const { key } = await create(store, 'new');
    await soon(() => expect(findPrincipal(followed.keys, key)).toBeDefined());
    expect(told).toHaveLength(1);
    await followed.stop();
  });

  test('a write-ahead log that is deleted is reported, once, and a restart saves what was in it', async ({
    skip,
  }) => {
    const store = await stores.open();
    skip(store.kind !== 'sqlite');
    const { path } = store.place;
    const told: string[] = [];
    const followed = await watchKeys(store, { interval: 5, onTrouble: (message) => told.push(message) });
    await create(store, 'before');
    await rm(`${path}-wal`);
    await soon(() =>
      expect(told).toEqual([
        expect.stringMatching(/gateway\.db-wal was moved, deleted or replaced while in use\. Restart/),
      ]),
    );
    const { key } = await create(store, 'after');
    await soon(() => expect(findPrincipal(followed.keys, key)).toBeDefined());
    expect(told).toHaveLength(1);
    await followed.stop();
    await store.close();
    const saved = await keyRecords(await stores.open({ path }));
    expect(saved.map(({ name }) => name).sort()).toEqual(['after', 'before']);
  });

  test('the key file of earlier versions is imported into the store, once', async () => {
    const store = await stores.open();
    const directory = await mkdtemp(join(tmpdir(), 'gateway-keys-'));
    const file = join(directory, '.gateway', 'keys.json');
    const text = JSON.stringify([{ name: 'first', hash: hashKey('the-old-key') }]);
    await mkdir(join(directory, '.gateway'));
    await writeFile(file, text);
    await create(store, 'first');
    expect(await importKeyFile(store, directory)).toBe(1);
    const followed = await watchKeys(store);
    await followed.stop();
    expect(findPrincipal(followed.keys, 'the-old-key')?.name).toBe('first-2');
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect(await readFile(`${file}.moved`, 'utf8')).toBe(text);
    expect(await importKeyFile(store, directory)).toBe(0);

    await writeFile(file, text);
    expect(await importKeyFile(store, directory)).toBe(0);
    await writeFile(file, '[{"name":1}]');
    await expect(importKeyFile(store, directory)).rejects.toThrow(/keys\.json is not a list of keys/);
    await writeFile(file, 'none');
    await expect(importKeyFile(store, directory)).rejects.toThrow(/keys\.json is not a list of keys/);
    await rm(directory, { recursive: true });
  });

  test('an unrestricted key is created if there has never been a key, and by one process only', async () => {
    const place = await stores.newPlace();
    const opened = await Promise.all([1, 2, 3].map(() => stores.open(place)));
    const [store] = opened;
    if (store === undefined) throw new Error('There is no store.');
    const made = (await Promise.all(opened.map(makeFirstKey))).filter((key) => key !== undefined);
    expect(made).toHaveLength(1);
    const [row] = await listKeys(store);
    expect(await keyRecords(store)).toEqual([{ name: 'first', hash: hashKey(made[0] ?? ''), limits: {} }]);
    expect(await makeFirstKey(store)).toBeUndefined();
    // Whoever has revoked it does not want one.
    await revokeKey(store, row?.id ?? '');
    expect(await makeFirstKey(store)).toBeUndefined();
    await eraseCaller(store, { key: 'first' });
    expect(await makeFirstKey(store)).toBeUndefined();
    expect(await keyRecords(store)).toEqual([]);
  });

  test('a hash is stored once', async () => {
    const store = await stores.open();
    const secret = { hash: hashKey('one'), hint: 'gw_…' };
    expect(await insertKey(store, 'a', secret)).toMatchObject({ name: 'a' });
    expect(await insertKey(store, 'b', secret)).toBeUndefined();
  });
});

describe('the settings of a key', () => {
  test.each(['', 'key_x', ' x', 'a\nb', 'x'.repeat(65), 'a/b', '\u0000'])(
    'the name %j is rejected',
    (name) => {
      expect(newKey.safeParse({ name }).success).toBe(false);
    },
  );

  test.each([
    { models: ['gpt-4o'] },
    { models: 'openai/*' },
    { expires_at: 'tomorrow' },
    { expires_at: 1 },
    { requests_per_minute: 0 },
    { requests_per_minute: 1.5 },
    { budget_day: -1 },
    { budget_day: '5' },
    { budget_day: Number.POSITIVE_INFINITY },
    { rpm: 1 },
    { name: 'x' },
  ])('%j is rejected', (settings) => {
    expect(keySettings.safeParse(settings).success).toBe(false);
  });
});
