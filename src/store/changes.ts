/** What changes of keys and of groups have in common. */

import type { Transaction } from 'kysely';
import type { LimitColumns, Tables } from './tables.ts';

/** No limit at all. */
export const UNLIMITED: LimitColumns = {
  models: null,
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_requests: null,
  budget_day: null,
  budget_month: null,
  model_limits: null,
  stored: null,
};

/** A key was to be of a group that there is not. */
export class NoSuchGroup extends Error {
  override readonly name = 'NoSuchGroup';
  readonly group: string;
  constructor(group: string) {
    super(`There is no group ${group}.`);
    this.group = group;
  }
}

/**
 * Counts one more change, as a part of it: by that, running processes see that there was one. Changes wait here for each
 * other, so that of two of them the one with the lower number is seen first.
 * @returns its number.
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
