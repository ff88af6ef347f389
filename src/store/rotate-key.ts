/** Gives a key a new secret; the old one may go on working for a while. */

import { hashKey, makeKey } from './key-secret.ts';
import { changing, hintOf, type MadeKey, updateIn } from './keys.ts';
import type { Store } from './store.ts';
import type { KeyRow } from './tables.ts';

/** A key that has not been rotated, since the one before its last rotation was promised to open until then. */
export interface Promised {
  readonly promisedUntil: number;
}

/** The longest grace, in days: what is longer is no rotation. */
export const MOST_GRACE_DAYS = 31;

export interface Rotation {
  /** How long the key before still opens, in milliseconds; absent or 0: not at all, nor does any other before it. */
  readonly grace?: number | undefined;
  /**
   * Whether nobody has the key that the last rotation made, as its answer was lost: that one closes, and the one before
   * it opens as long as it was promised.
   */
  readonly again?: boolean | undefined;
}

/**
 * Puts a new key in the place of one: same name, same limits. One key before it is kept, so a rotation with a grace within
 * the grace of another would close a key that callers have.
 * @returns undefined where there is none, or it was revoked.
 */
export async function rotateKey(
  store: Store,
  id: string,
  { grace = 0, again = false }: Rotation = {},
): Promise<MadeKey | Promised | undefined> {
  const key = makeKey();
  const now = Date.now();
  let promisedUntil: number | undefined;
  const row = await changing(store, async (db) => {
    // By writing, so that nobody else rotates it meanwhile.
    const before = await updateIn(db, id, { id });
    if (before === undefined) return undefined;
    const { hash, old_hash, old_until } = before;
    const isOpen = old_until !== null && old_until > now;
    if (isOpen && grace > 0 && !again) {
      promisedUntil = old_until;
      return undefined;
    }
    const old = isOpen && again ? { old_hash, old_until } : oldOf(hash, grace, now);
    return updateIn(db, id, { ...old, hash: hashKey(key), hint: hintOf(key) });
  });
  if (promisedUntil !== undefined) return { promisedUntil };
  return row && { key, row };
}

function oldOf(hash: string, grace: number, now: number): Pick<KeyRow, 'old_hash' | 'old_until'> {
  return grace > 0 ? { old_hash: hash, old_until: now + grace } : { old_hash: null, old_until: null };
}
