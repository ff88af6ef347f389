/** Takes exchanges out of the store that are older than they are to be kept. The sums of their days stay. */

import type { Store } from '../store/store.ts';

const HOUR = 3_600_000;

/** How much is deleted at once: writes wait as long. */
const SLICE = HOUR;

/** Deletes the exchanges before `time` (milliseconds since 1970), an hour of them at a time. */
export async function forgetUsage({ db }: Store, time: number): Promise<void> {
  for (;;) {
    const { oldest } = await db
      .selectFrom('gateway_exchanges')
      .select((eb) => eb.fn.min('time').as('oldest'))
      .executeTakeFirstOrThrow();
    if (oldest === null || oldest >= time) return;
    await db
      .deleteFrom('gateway_exchanges')
      .where('time', '<', Math.min(time, oldest + SLICE))
      .execute();
  }
}

/** Does so now and every hour. @returns what ends it. @param onTrouble told why, where it fails. */
export function keepForgetting(
  store: Store,
  days: number,
  onTrouble: (reason: unknown) => void,
): { stop(): void } {
  const forget = (): void => {
    forgetUsage(store, Date.now() - days * 24 * HOUR).catch(onTrouble);
  };
  forget();
  const timer = setInterval(forget, HOUR).unref();
  return { stop: () => clearInterval(timer) };
}
