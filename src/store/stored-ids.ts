/** Keeps, for each object stored at a vendor, the key whose response created it. */

import type { Repeated } from '../lib/repeat.ts';
import { DAY, deleteHourly } from './delete-hourly.ts';
import { deleteInPieces } from './delete-in-pieces.ts';
import type { Store } from './store.ts';

/** Ids in one statement. SQLite takes some thousand values. */
const PIECE = 500;

/**
 * Days for which ids are kept. OpenAI keeps responses for 30 days, and the containers of both vendors expire earlier.
 * Objects in a conversation may last longer; they have no owner then.
 */
const KEPT = 90;

/** An object at a vendor and its owner. */
export interface Owned {
  readonly id: string;
  /** The name of the key. */
  readonly key: string;
}

/** A place where ids outlive the process. */
export interface OwnedTable {
  find(ids: readonly string[]): Promise<readonly Owned[]>;
  /** Ids that exist already stay unchanged. */
  add(owned: readonly Owned[]): Promise<void>;
}

/** The store's table of ids. */
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

/** Deletes the ids that are older than vendors keep the objects, as `deleteHourly` does. */
export function scheduleStoredIdDeletion(
  store: Store,
  onTrouble: (reason: unknown) => void,
): Pick<Repeated, 'stop'> {
  return deleteHourly((signal) => {
    const before = Date.now() - KEPT * DAY;
    return deleteInPieces(store, { table: 'gateway_stored', by: ['made_at'], before }, signal);
  }, onTrouble);
}
