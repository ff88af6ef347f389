/** Tests of the store, always on SQLite, and on PostgreSQL if there is one. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { SqliteOptions } from '../../src/store/sqlite/sqlite.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { StorePlace } from '../../src/store/store-errors.ts';
import { hasPostgres, startPostgres, type TestPostgres } from './postgres.ts';

export interface TestStores {
  /** A new, empty location. */
  newPlace(): Promise<StorePlace>;
  /** The store at a location, closed after the test; without a location, a new store. */
  open(place?: StorePlace, options?: SqliteOptions): Promise<Store>;
  /** The PostgreSQL server, if the store is on PostgreSQL. */
  postgres(): TestPostgres | undefined;
}

export function describeStores(name: string, define: (stores: TestStores) => void): void {
  describe(`${name}, SQLite`, () => define(storesIn(undefined)));
  describe.skipIf(!hasPostgres())(`${name}, PostgreSQL`, () => {
    let postgres: TestPostgres | undefined;
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    // It is registered before the hooks of storesIn, so it runs after them.
    afterAll(async () => postgres?.close());
    define(storesIn(() => postgres));
  });
}

function storesIn(postgres: (() => TestPostgres | undefined) | undefined): TestStores {
  let directory: string;
  let count = 0;
  const opened: Store[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function newPlace(): Promise<StorePlace> {
    count += 1;
    const path = join(directory, `store-${count}`, 'gateway.db');
    const url = await postgres?.()?.newDatabase();
    return { path, ...(url !== undefined && { url }) };
  }
  return {
    newPlace,
    async open(place, options) {
      const store = await openStore(place ?? (await newPlace()), undefined, options);
      opened.push(store);
      return store;
    },
    postgres: () => postgres?.(),
  };
}
