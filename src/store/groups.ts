/** The groups of the store: keys that have limits in common. A group is known by its name, and its usage is kept under it. */

import { countChange, UNLIMITED } from './changes.ts';
import type { Store } from './store.ts';
import type { GroupRow, LimitColumns } from './tables.ts';

/** Makes a group. @returns undefined where there is one of the name. */
export function createGroup(
  { db }: Store,
  name: string,
  columns: Partial<LimitColumns> = {},
): Promise<GroupRow | undefined> {
  return db.transaction().execute(async (transaction) => {
    const change = await countChange(transaction);
    return transaction
      .insertInto('gateway_groups')
      .values({ ...UNLIMITED, ...columns, name, created_at: Date.now(), change })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
  });
}

/** Every group, by name. */
export function listGroups({ db }: Pick<Store, 'db'>): Promise<GroupRow[]> {
  return db.selectFrom('gateway_groups').selectAll().orderBy('name').execute();
}

/** What is another one after every change of a group. */
export async function groupsState({ db }: Pick<Store, 'db'>): Promise<string> {
  const { count, last } = await db
    .selectFrom('gateway_groups')
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('change').as('last')])
    .executeTakeFirstOrThrow();
  // One that is deleted is missing, and one that is made or changed since has a higher number.
  return `${count} ${last}`;
}

export function findGroup({ db }: Store, name: string): Promise<GroupRow | undefined> {
  return db.selectFrom('gateway_groups').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Sets what `columns` has. @returns the group; undefined where there is none. */
export function changeGroup(
  { db }: Store,
  name: string,
  columns: Partial<LimitColumns>,
): Promise<GroupRow | undefined> {
  return db.transaction().execute(async (transaction) => {
    const change = await countChange(transaction);
    return transaction
      .updateTable('gateway_groups')
      .set({ ...columns, change })
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
  });
}

/** A group that was not deleted, since so many keys are of it that are not revoked: they would be without its limits. */
export interface StillHeld {
  readonly keys: number;
}

/** Deletes a group that no key is of any more. @returns it; undefined where there is none. */
export function deleteGroup({ db }: Store, name: string): Promise<GroupRow | StillHeld | undefined> {
  return db.transaction().execute(async (transaction) => {
    // First, so that no key becomes one of it meanwhile.
    await countChange(transaction);
    const { keys } = await transaction
      .selectFrom('gateway_keys')
      .select((of) => of.fn.countAll<number>().as('keys'))
      .where('group_name', '=', name)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (keys > 0) return { keys };
    return transaction
      .deleteFrom('gateway_groups')
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
  });
}
