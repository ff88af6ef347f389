/** The store of a serving process, and what reads and writes it in the background. */

import { expect, test } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { openStoreAccess } from '../../../src/server/process/store-access.ts';
import { describeStores } from '../../support/stores.ts';

describeStores('the store of a serving process', (stores) => {
  test('can be closed while work in the background has begun, which ends without a word', async () => {
    const told: string[] = [];
    const tell = (message: string) => void told.push(message);
    const config = configSchema.parse({ usage: { keepDays: 30, keepSumDays: 60 } });
    for (let turns = 0; turns < 20; turns += 1) {
      const accounts = await openStoreAccess(await stores.open(), config, { info: tell, problem: tell });
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      await accounts.close();
    }
    expect(told).toEqual([]);
  });
});
