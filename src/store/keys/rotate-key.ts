/** Rotates keys: a key gets a new secret, and the old secret may work for some time longer. */

import type { Store } from '../store.ts';
import type { KeyRow } from '../tables.ts';
import { hashKey, makeKey } from './key-secret.ts';
import { changing, type MadeKey, makeHint, updateIn } from './keys.ts';

/** A rotation that was refused, because the secret before the last rotation was promised to work until then. */
export interface RotationRefused {
  /** Milliseconds since 1970. */
  readonly promisedUntil: number;
}

/** The longest grace period, in days. A key that is to work longer is not being rotated. */
export const MAX_GRACE_DAYS = 31;

export interface Rotation {
  /**
   * How long the old secret goes on working, in milliseconds. Absent or 0: it stops at once, and so does the one before
   * it.
   */
  readonly grace?: number | undefined;
  /**
   * Whether the response of the last rotation was lost, so that nobody has its secret. That secret stops working, and
   * the one before it works for as long as was promised.
   */
  readonly again?: boolean | undefined;
}

/**
 * Gives a key a new secret; its name and limits stay. Only one earlier secret is stored, so a rotation with a grace
 * period within the grace period of another would break a secret that callers use.
 * @returns the new secret; `Promised` if the rotation is refused for that reason; undefined if there is no such key, or
 * it is revoked.
 */
export async function rotateKey(
  store: Store,
  id: string,
  { grace = 0, again = false }: Rotation = {},
): Promise<MadeKey | RotationRefused | undefined> {
  const key = makeKey();
  const now = Date.now();
  let promisedUntil: number | undefined;
  const row = await changing(store, 'key.rotated', id, async (db) => {
    // This is a write, so that no other process rotates the key meanwhile.
    const before = await updateIn(db, id, { id });
    if (before === undefined) return undefined;
    const { hash, old_hash, old_until } = before;
    const isOpen = old_until !== null && old_until > now;
    if (isOpen && grace > 0 && !again) {
      promisedUntil = old_until;
      return undefined;
    }
    const old = isOpen && again ? { old_hash, old_until } : findOld(hash, grace, now);
    return updateIn(db, id, { ...old, hash: hashKey(key), hint: makeHint(key) });
  });
  if (promisedUntil !== undefined) return { promisedUntil };
  return row && { key, row };
}

function findOld(hash: string, grace: number, now: number): Pick<KeyRow, 'old_hash' | 'old_until'> {
  return grace > 0 ? { old_hash: hash, old_until: now + grace } : { old_hash: null, old_until: null };
}
