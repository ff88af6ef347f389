/** Who owns the objects stored at vendors, by the answers that created them: in memory and in the store. */

import { expect, onTestFinished, test } from 'vitest';
import { openStoredIds, type StoredIds } from '../../src/access/stored-ids.ts';
import { scanned } from '../../src/pipeline/body/scanned.ts';
import { keepToOwn } from '../../src/pipeline/restrictions/keep-to-own.ts';
import type { OwnedTable } from '../../src/store/stored-ids.ts';
import { ownedTable } from '../../src/store/stored-ids.ts';
import { describeStores } from '../support/stores.ts';

const NOTHING: ReadonlySet<string> = new Set();

function opened(table?: OwnedTable, most?: number): StoredIds {
  const ids = openStoredIds({
    ...(table !== undefined && { table }),
    ...(most !== undefined && { maxEntries: most }),
    interval: 1,
  });
  onTestFinished(() => ids.close());
  return ids;
}

/** A table that counts its queries. */
function counted(table: OwnedTable): OwnedTable & { asked: number } {
  const counting = {
    asked: 0,
    find(ids: readonly string[]) {
      counting.asked += 1;
      return table.find(ids);
    },
    add: table.add,
  };
  return counting;
}

test('without a store: the records of this process, for the first owner of an id', () => {
  const ids = opened();
  ids.bind(['resp_1'], 'one');
  ids.bind(['resp_1', 'resp_2'], 'two');
  expect(ids.missing(['resp_1'], 'one')).toEqual(NOTHING);
  expect(ids.missing(['resp_1', 'resp_2', 'resp_3'], 'two')).toEqual(new Set(['resp_1', 'resp_3']));
});

test('if the store is unreadable, a request that needs it receives an error to retry', async () => {
  const table: OwnedTable = { find: () => Promise.reject(new Error('gone')), add: async () => {} };
  const principal = {
    name: 'one',
    restricted: false,
    allows: () => true,
    stored: 'own',
    limits: {},
  } as const;
  const request = scanned(Buffer.from('{"model":"x","previous_response_id":"resp_1"}'));
  const route = { format: 'responses', operation: 'generate' } as const;
  await expect(keepToOwn({ principal, route }, 'responses', request, opened(table))).rejects.toMatchObject({
    status: 503,
  });
});

test('memory is bounded, and drops the oldest', () => {
  const ids = opened(undefined, 2);
  ids.bind(['a', 'b', 'c', '', 'x'.repeat(1_000)], 'one');
  expect(ids.missing(['a', 'b', 'c', '', 'x'.repeat(1_000)], 'one')).toEqual(
    new Set(['a', '', 'x'.repeat(1_000)]),
  );
});

test('a failed write is reported once, and made up for by the next one that succeeds', async () => {
  const written: string[] = [];
  const told: string[] = [];
  let isBroken = true;
  const table: OwnedTable = {
    find: async () => [],
    async add(owned) {
      if (isBroken) throw new Error('no room');
      written.push(...owned.map(({ id }) => id));
    },
  };
  const ids = openStoredIds({
    table,
    onTrouble: (message) => void told.push(message),
    onRecovered: (message) => void told.push(message),
    interval: 60_000,
  });
  ids.bind(['a'], 'one');
  await ids.close();
  ids.bind(['b'], 'one');
  await ids.close();
  expect(told).toEqual(['The owners of objects stored at vendors cannot be written to the store: no room']);
  isBroken = false;
  ids.bind(['c'], 'one');
  await ids.close();
  expect(told[1]).toBe('The owners of objects stored at vendors can be written to the store again.');
  expect(written).toEqual(['a', 'b', 'c']);
});

test('a failed write is tried again by itself: no further answer may come for hours', async () => {
  const written: string[] = [];
  let isBroken = true;
  const ids = opened({
    find: async () => [],
    async add(owned) {
      if (isBroken) throw new Error('no room');
      written.push(...owned.map(({ id }) => id));
    },
  });
  ids.bind(['a'], 'one');
  await new Promise((resolve) => setTimeout(resolve, 50));
  isBroken = false;
  await expect.poll(() => written).toEqual(['a']);
});

describeStores('stored ids', (stores) => {
  test('an id that no store can keep belongs to nobody, and does not stop the others', async () => {
    const place = await stores.newPlace();
    const first = opened(ownedTable(await stores.open(place)));
    first.bind(['resp\0_1', 'resp_2'], 'one');
    await first.close();
    const second = opened(ownedTable(await stores.open(place)));
    expect(await second.missing(['resp\0_1', 'resp_2'], 'one')).toEqual(new Set(['resp\0_1']));
  });

  test('other processes, and those after a restart, know the owners; a known id is found in memory alone', async () => {
    const place = await stores.newPlace();
    const first = opened(ownedTable(await stores.open(place)));
    first.bind(['resp_1', 'resp_2'], 'one');
    await first.close();
    const table = counted(ownedTable(await stores.open(place)));
    const second = opened(table);
    expect(await second.missing(['resp_1', 'resp_2'], 'one')).toEqual(NOTHING);
    expect(table.asked).toBe(1);
    // It is known by now: no promise, no query.
    expect(second.missing(['resp_1', 'resp_2'], 'one')).toEqual(NOTHING);
    expect(second.missing(['resp_1'], 'two')).toEqual(new Set(['resp_1']));
    expect(table.asked).toBe(1);
    expect(await second.missing(['resp_1', 'resp_of_nobody'], 'one')).toEqual(new Set(['resp_of_nobody']));
  });

  test('the first owner of an id keeps it, and many ids are looked up at once', async () => {
    const store = await stores.open();
    const table = ownedTable(store);
    const many = Array.from({ length: 1_201 }, (_, at) => ({ id: `item_${at}`, key: 'one' }));
    await table.add(many);
    await table.add([{ id: 'item_7', key: 'two' }]);
    const found = await table.find(many.map(({ id }) => id));
    expect(found).toHaveLength(many.length);
    expect(new Set(found.map(({ key }) => key))).toEqual(new Set(['one']));
  });
});
