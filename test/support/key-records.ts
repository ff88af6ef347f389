/** The key records of all keys of a store. */

import type { KeyRecord } from '../../src/store/keys/key-record.ts';
import { recordsFromRow } from '../../src/store/keys/key-record.ts';
import { listKeys } from '../../src/store/keys/list-keys.ts';
import type { Store } from '../../src/store/store.ts';

export async function keyRecords(store: Store): Promise<readonly KeyRecord[]> {
  const rows = await listKeys(store);
  return rows.flatMap(recordsFromRow);
}
