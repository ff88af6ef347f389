/** What changes to keys and to groups have in common. */

import type { Transaction } from 'kysely';
import type { Store } from '../store.ts';
import type { ChangeRow, LimitColumns, Tables } from '../tables.ts';

/** The columns of a key or group without limits. */
export const UNLIMITED: LimitColumns = {
  models: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_requests: null,
  budget_day: null,
  budget_week: null,
  budget_month: null,
  budget_total: null,
  budget_reserve: null,
  model_limits: null,
  stored: null,
};

/** Thrown if a key is given a group that does not exist. */
export class NoSuchGroup extends Error {
  override readonly name = 'NoSuchGroup';
  readonly group: string;
  constructor(group: string) {
    super(`There is no group ${group}.`);
    this.group = group;
  }
}

/** How many changes to keys and groups there have been, and how many of them a row shows. */
export type KeyChanges = Pick<ChangeRow, 'version' | 'by_row'>;

/** These numbers, as they are now. */
export function keyChanges({ db }: Pick<Store, 'db'>): Promise<KeyChanges> {
  return db
    .selectFrom('gateway_changes')
    .select(['version', 'by_row'])
    .where('name', '=', 'keys')
    .executeTakeFirstOrThrow();
}

/** Counts a change that no row shows: running processes read all keys again. */
export async function countDeletion(transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .updateTable('gateway_changes')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('name', '=', 'keys')
    .execute();
}

/**
 * Counts a change, in the transaction that makes it: running processes notice it by this number. Changes wait for each
 * other here, so of two changes the one with the lower number is seen first.
 * @returns the number of the change.
 */
export async function countChange(transaction: Transaction<Tables>): Promise<number> {
  const { by_row: change } = await transaction
    .updateTable('gateway_changes')
    .set((eb) => ({ version: eb('version', '+', 1), by_row: eb('by_row', '+', 1) }))
    .where('name', '=', 'keys')
    .returning('by_row')
    .executeTakeFirstOrThrow();
  return change;
}
