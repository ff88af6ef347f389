import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { soon } from '../../support/soon.ts';
import { describeStores } from '../../support/stores.ts';

const CHILD = fileURLToPath(new URL('./crash-child.ts', import.meta.url));

/**
 * A crash may lose half a second of records and the write in progress; the rest of the allowance is for a
 * busy machine.
 */
const MAY_BE_LOST = 500 + 20_000;

describeStores('a process killed while it records', (stores) => {
  test('loses the last moment, and nothing before it', async () => {
    const place = await stores.newPlace();
    const store = await stores.open(place);
    const child = spawn(process.execPath, [CHILD], {
      env: {
        ...process.env,
        STORE_PATH: place.path,
        ...(place.url !== undefined && { STORE_URL: place.url }),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = once(child, 'exit');
    try {
      // Two writes and a part of a third.
      await soon(async () => expect(await batches(store)).toBeGreaterThanOrEqual(2));
    } finally {
      child.kill('SIGKILL');
    }
    const killed = Date.now();
    await exited;

    const rows = await store.db
      .selectFrom('gateway_exchanges')
      .select(['id', 'time'])
      .orderBy('time')
      .execute();
    expect(killed - (rows.at(-1)?.time ?? 0)).toBeLessThan(MAY_BE_LOST);
    // The first n of them, without a gap.
    const ids = rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
    expect(ids).toEqual(ids.map((_, index) => index));
    const days = await store.db.selectFrom('gateway_usage_days').select('requests').execute();
    expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(rows.length);
  });
});

async function batches({ db }: Store): Promise<number> {
  const rows = await db.selectFrom('gateway_exchanges').select('batch').distinct().execute();
  return rows.length;
}
