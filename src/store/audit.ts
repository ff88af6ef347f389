/** The audit trail: who changed which key or group, when, and what it was before and after. It never contains a key. */

import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Actor } from './actor.ts';
import type { Store } from './store.ts';
import type { AuditRow, Tables } from './tables.ts';

/** The actions of the trail. */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'group.created',
  'group.changed',
  'group.deleted',
  'caller.erased',
  'tag.erased',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const ITSELF: Actor = { via: 'start' };

/** The store, for changes that are made by `actor`. */
export function actingAs(store: Store, actor: Actor): Store {
  return { ...store, actor };
}

/** What was done to what. Without `before` it is new, without `after` it is gone. */
export interface Audited {
  readonly action: AuditAction;
  /** The name of the key or the group. */
  readonly target: string;
  /** The id of the key. */
  readonly targetId?: string;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** What the ids of a time begin with. They are in the order of their times, as far as one clock made them. */
export function auditIdAt(time: number): string {
  return `audit_${time.toString(36).padStart(9, '0')}`;
}

/**
 * Runs a change in a transaction. What it notes in the trail is written in the same one, so that there is never one without
 * the other, and is reported once it is committed.
 */
export async function audited<T>(
  { db, actor = ITSELF }: Pick<Store, 'db' | 'actor'>,
  change: (transaction: Transaction<Tables>, note: (entry: Audited) => Promise<void>) => Promise<T>,
): Promise<T> {
  const entries: AuditRow[] = [];
  const result = await db.transaction().execute((transaction) =>
    change(transaction, async ({ action, target, targetId, before, after }) => {
      const time = Date.now();
      const entry: AuditRow = {
        id: `${auditIdAt(time)}${randomBytes(6).toString('hex')}`,
        time,
        via: actor.via,
        actor: actor.name ?? null,
        address: actor.address ?? null,
        action,
        target,
        target_id: targetId ?? null,
        before: before === undefined ? null : JSON.stringify(before),
        after: after === undefined ? null : JSON.stringify(after),
      };
      await transaction.insertInto('gateway_audit').values(entry).execute();
      entries.push(entry);
    }),
  );
  for (const entry of entries) actor.onEntry?.(entry);
  return result;
}

export interface AuditQuery {
  readonly action?: AuditAction | undefined;
  /** The name of a key or a group. */
  readonly target?: string | undefined;
  /** Milliseconds since 1970: the first that is wanted, and the first that is not any more. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** The last entry of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of the trail, the newest entry first, and whether there are more. */
export async function listAudit(
  { db }: Pick<Store, 'db'>,
  { action, target, from, until, after, limit }: AuditQuery,
): Promise<{ readonly rows: readonly AuditRow[]; readonly more: boolean }> {
  let entries = db
    .selectFrom('gateway_audit')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (action !== undefined) entries = entries.where('action', '=', action);
  if (target !== undefined) entries = entries.where('target', '=', target);
  if (from !== undefined) entries = entries.where('time', '>=', from);
  if (until !== undefined) entries = entries.where('time', '<', until);
  if (after !== undefined) entries = entries.where('id', '<', after);
  const rows = await entries.execute();
  return { rows: rows.slice(0, limit), more: rows.length > limit };
}

/** Whether the trail has an entry with this id. */
export async function hasAudit({ db }: Pick<Store, 'db'>, id: string): Promise<boolean> {
  const row = await db.selectFrom('gateway_audit').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}
