/**
 * The groups in the store: keys that share limits. A group is identified by its name, and its usage is recorded under
 * it.
 */

import { audited } from '../audit.ts';
import { readInPieces } from '../read-in-pieces.ts';
import type { Store } from '../store.ts';
import type { GroupRow, LimitColumns } from '../tables.ts';
import { countChange, UNLIMITED } from './changes.ts';
import { renderGroup } from './key-view.ts';

/** Creates a group. @returns its row, or undefined if the name is taken. */
export function createGroup(
  store: Store,
  name: string,
  columns: Partial<LimitColumns> = {},
): Promise<GroupRow | undefined> {
  return audited(store, async (transaction, note) => {
    const change = await countChange(transaction);
    const row = await transaction
      .insertInto('gateway_groups')
      .values({ ...UNLIMITED, ...columns, name, created_at: Date.now(), change })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) await note({ action: 'group.created', target: name, after: renderView(row) });
    return row;
  });
}

/** A group as the audit trail has it. A damaged row, which cannot be read, can still be deleted. */
function renderView(row: GroupRow): object {
  try {
    return renderGroup(row);
  } catch {
    return { object: 'group', name: row.name };
  }
}

/** All groups, ordered by name. */
export function listGroups({ db }: Pick<Store, 'db'>): Promise<GroupRow[]> {
  return db.selectFrom('gateway_groups').selectAll().orderBy('name').execute();
}

/** The groups after a name, or the first ones, ordered by name, and whether there are more. */
export async function pageOfGroups(
  { db }: Pick<Store, 'db'>,
  after: string | undefined,
  limit: number,
): Promise<{ rows: readonly GroupRow[]; more: boolean }> {
  const rows = await db
    .selectFrom('gateway_groups')
    .selectAll()
    .where('name', '>', after ?? '')
    .orderBy('name')
    .limit(limit + 1)
    .execute();
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** All groups, in pieces of so many, in the order of their names. */
export function groupsInPieces({ db }: Pick<Store, 'db'>, size: number): AsyncGenerator<readonly GroupRow[]> {
  return readInPieces<GroupRow>(size, (last) =>
    db
      .selectFrom('gateway_groups')
      .selectAll()
      .where('name', '>', last?.name ?? '')
      .orderBy('name')
      .limit(size)
      .execute(),
  );
}

/**
 * A text that is different after every change to a group. Running processes compare it to see whether to read groups
 * again.
 */
export async function groupsState({ db }: Pick<Store, 'db'>): Promise<string> {
  const { count, last } = await db
    .selectFrom('gateway_groups')
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('change').as('last')])
    .executeTakeFirstOrThrow();
  // A deleted group lowers the count, and a new or changed one has a higher number.
  return `${count} ${last}`;
}

/** The group of this name, or undefined. */
export function findGroup({ db }: Pick<Store, 'db'>, name: string): Promise<GroupRow | undefined> {
  return db.selectFrom('gateway_groups').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Sets the given columns. @returns the changed row, or undefined if there is no such group. */
export function changeGroup(
  store: Store,
  name: string,
  columns: Partial<LimitColumns>,
): Promise<GroupRow | undefined> {
  return audited(store, async (transaction, note) => {
    // Changes wait for each other here, so what is read next is what this one changes.
    const change = await countChange(transaction);
    const before = await findGroup({ db: transaction }, name);
    const row = await transaction
      .updateTable('gateway_groups')
      .set({ ...columns, change })
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined)
      await note({
        action: 'group.changed',
        target: name,
        before: before && renderView(before),
        after: renderView(row),
      });
    return row;
  });
}

/** A group that was not deleted, because keys still belong to it: they would lose its limits. */
export interface GroupInUse {
  /** The number of its keys that are not revoked. */
  readonly keys: number;
}

/**
 * Deletes a group, unless keys belong to it. @returns the deleted row; `GroupInUse` if keys belong to it; undefined if
 * there is no such group.
 */
export function deleteGroup(store: Store, name: string): Promise<GroupRow | GroupInUse | undefined> {
  return audited(store, async (transaction, note) => {
    // Counted first, so that no key can join the group meanwhile.
    await countChange(transaction);
    const { keys } = await transaction
      .selectFrom('gateway_keys')
      .select((of) => of.fn.countAll<number>().as('keys'))
      .where('group_name', '=', name)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (keys > 0) return { keys };
    const row = await transaction
      .deleteFrom('gateway_groups')
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) await note({ action: 'group.deleted', target: name, before: renderView(row) });
    return row;
  });
}
