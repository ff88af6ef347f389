/** The store of a serving process, and what reads and writes it in the background. */

import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../../src/config/schema.ts';
import { openStoreAccess } from '../../../src/server/process/store-access.ts';
import { auditIdAt, listAudit } from '../../../src/store/audit.ts';
import { describeStores } from '../../support/stores.ts';

describeStores('the store of a serving process', (stores) => {
  test('can be closed while work in the background has begun, which ends without a word', async () => {
    const told: string[] = [];
    const tell = (message: string) => void told.push(message);
    const config = configSchema.parse({
      usage: { keepDays: 30, keepSumDays: 60 },
      audit: { keepDays: 60 },
    });
    for (let turns = 0; turns < 20; turns += 1) {
      const accounts = await openStoreAccess(await stores.open(), config, { info: tell, problem: tell });
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      await accounts.close();
    }
    expect(told).toEqual([]);
  });

  test('keeps the audit trail for ever, or for as many days as the configuration says', async () => {
    const store = await stores.open();
    const day = 24 * 3_600_000;
    const ages = [...Array.from({ length: 2_500 }, () => 31 * day), 29 * day, 0];
    const rows = ages.map((age, at) => {
      const time = Date.now() - age;
      const id = `${auditIdAt(time)}${at}`;
      return { id, time, via: 'start', action: 'key.created', target: `${age / day} days` };
    });
    for (let at = 0; at < rows.length; at += 500)
      await store.db
        .insertInto('gateway_audit')
        .values(rows.slice(at, at + 500))
        .execute();
    const serve = async (config: ConfigInput) => {
      const told: string[] = [];
      const tell = (message: string) => void told.push(message);
      const diagnostics = { info: tell, problem: tell };
      const accounts = await openStoreAccess(
        // It outlives the serving process of this test.
        { ...store, close: () => Promise.resolve() },
        configSchema.parse(config),
        diagnostics,
      );
      return async () => {
        await accounts.close();
        expect(told).toEqual([]);
      };
    };
    const kept = async () => (await listAudit(store, { limit: 9_999 })).rows.map(({ target }) => target);
    const closeFirst = await serve({});
    await closeFirst();
    expect(await kept()).toHaveLength(2_502);
    const closeSecond = await serve({ audit: { keepDays: 30 } });
    await expect.poll(kept).toEqual(['0 days', '29 days']);
    await closeSecond();
  });
});
