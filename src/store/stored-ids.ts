/** Whose answers have made what lies at the vendors' accounts, as the store keeps it. */

import { repeat } from '../lib/repeat.ts';
import type { Store } from './store.ts';

/** Ids of one statement: SQLite takes some thousand values. */
const PIECE = 500;

const HOUR = 3_600_000;

/**
 * How long they are kept, in days. OpenAI keeps responses for 30 days, and containers of either vendor end before that; what
 * is in a conversation may last longer, and is nobody's then.
 */
const KEPT = 90;

/** Whose something is. */
export interface Owned {
  readonly id: string;
  readonly key: string;
}

/** Where ids outlive the process. */
export interface OwnedTable {
  find(ids: readonly string[]): Promise<readonly Owned[]>;
  /** Of those that are there already, nothing changes. */
  add(owned: readonly Owned[]): Promise<void>;
}

export function ownedTable({ db }: Store): OwnedTable {
  return {
    async find(ids) {
      const found = [];
      for (let at = 0; at < ids.length; at += PIECE) {
        const piece = ids.slice(at, at + PIECE);
        found.push(
          ...(await db.selectFrom('gateway_stored').select(['id', 'key']).where('id', 'in', piece).execute()),
        );
      }
      return found;
    },
    async add(owned) {
      const made_at = Date.now();
      for (let at = 0; at < owned.length; at += PIECE) {
        await db
          .insertInto('gateway_stored')
          .values(owned.slice(at, at + PIECE).map(({ id, key }) => ({ id, key, made_at })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
  };
}

/** Forgets, now and every hour, those that are older than the vendors keep them. @param onTrouble told why, where it fails. */
export function forgetStoredIds({ db }: Store, onTrouble: (reason: unknown) => void): { stop(): void } {
  const forget = async (): Promise<void> => {
    await db
      .deleteFrom('gateway_stored')
      .where('made_at', '<', Date.now() - KEPT * 24 * HOUR)
      .execute();
  };
  const forgetting = repeat(() => forget().catch(onTrouble), HOUR);
  forgetting.now();
  return forgetting;
}
