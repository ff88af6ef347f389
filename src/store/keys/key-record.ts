/** Keys and groups as records: what the request path needs to know of a row in the store. */

import { parseJson } from '../../lib/json.ts';
import { parseStoredScope, type Stored } from '../stored-scope.ts';
import type { GroupRow, KeyRow, LimitColumns } from '../tables.ts';
import { BUDGET_RESERVES, type BudgetReserve, type KeyLimits, type ModelLimits } from './key-limits.ts';
import { parseModelLimits, parseTagLimits } from './key-settings.ts';

/** A key. One row makes two records while the secret before its last rotation still works. */
export interface KeyRecord {
  readonly name: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  /** Ids of models, including aliases, and `vendor/*`; absent means every model. */
  readonly models?: readonly string[];
  /** What it may use of the objects stored at vendors; absent means `defaultStoredScope`. */
  readonly stored?: Stored;
  /** When the key expires, in milliseconds since 1970; absent means never. */
  readonly expires?: number;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
  /** Limits for each of its tags. */
  readonly tagLimits?: KeyLimits;
  /** The name of its group. */
  readonly group?: string;
}

/** A group. Its models are those that its keys may use. */
export type GroupRecord = Pick<KeyRecord, 'name' | 'models' | 'stored' | 'limits' | 'modelLimits'>;

/**
 * The records by which a key can be used now: none if it is revoked, two if the secret before a rotation still works.
 * @throws TypeError if the row has models or a scope that cannot be read.
 */
export function recordsFromRow(row: KeyRow): readonly KeyRecord[] {
  if (row.revoked_at !== null) return [];
  const { name, hash, old_hash: oldHash, old_until: oldUntil, expires_at: expires, group_name: group } = row;
  const models = parseModels(row);
  const record: KeyRecord = {
    name,
    hash,
    limits: parseLimits(row),
    ...byModel(row),
    ...byTag(row),
    ...storedIn(row),
    ...(models !== undefined && { models }),
    ...(expires !== null && { expires }),
    ...(group !== null && { group }),
  };
  if (oldHash === null || oldUntil === null) return [record];
  return [record, { ...record, hash: oldHash, expires: Math.min(oldUntil, expires ?? oldUntil) }];
}

/** A group's row as a record. @throws TypeError as `recordsFromRow`. */
export function groupRecordFromRow(row: GroupRow): GroupRecord {
  const models = parseModels(row);
  return {
    name: row.name,
    limits: parseLimits(row),
    ...byModel(row),
    ...storedIn(row),
    ...(models !== undefined && { models }),
  };
}

/**
 * The models that a key or a group may use; undefined means every model. @throws TypeError if the column is not a list.
 */
export function parseModels({ name, models }: KeyRow | GroupRow): readonly string[] | undefined {
  if (models === null) return undefined;
  const list = parseJson(models);
  // A damaged list must not mean every model, so it stops the reading of keys.
  if (!Array.isArray(list)) throw new TypeError(`The models of ${name} are not a list.`);
  return list.map(String);
}

/** @throws TypeError if the column has an unknown value. */
function storedIn({ stored }: LimitColumns): { readonly stored?: Stored } {
  // The table of an earlier version, which is only read, does not have this column.
  return stored ? { stored: parseStoredScope(stored) } : {};
}

function byTag(row: KeyRow): { readonly tagLimits?: KeyLimits } {
  const stored = parseTagLimits(row);
  return stored === null ? {} : { tagLimits: parseLimits(stored) };
}

function byModel(row: LimitColumns): { readonly modelLimits?: readonly ModelLimits[] } {
  const stored = parseModelLimits(row);
  if (stored === null) return {};
  return { modelLimits: stored.map(({ models, ...limits }) => ({ models, ...parseLimits(limits) })) };
}

/**
 * What requests hold of budgets; undefined if nothing is set. @throws TypeError if the column has an unknown value.
 */
export function parseBudgetReserve({
  budget_reserve: text,
}: Partial<Pick<LimitColumns, 'budget_reserve'>>): BudgetReserve | undefined {
  // The table of an earlier version, which is only read, does not have this column.
  if (!text) return undefined;
  const reserve = BUDGET_RESERVES.find((each) => each === text);
  if (reserve === undefined) throw new TypeError(`${text} is not what a request can hold of budgets.`);
  return reserve;
}

type Figures = Omit<LimitColumns, 'models' | 'model_limits' | 'stored'>;

/** The limits of most keys and groups, once in memory. */
const NO_LIMITS: KeyLimits = {};

function parseLimits({
  requests_per_minute: requests = null,
  tokens_per_minute: tokens = null,
  concurrent_requests: concurrent = null,
  budget_day: day = null,
  budget_week: week = null,
  budget_month: month = null,
  budget_total: total = null,
  budget_reserve = null,
}: Partial<Figures>): KeyLimits {
  const budgetReserve = parseBudgetReserve({ budget_reserve });
  const figures = [requests, tokens, concurrent, day, week, month, total];
  if (budgetReserve === undefined && figures.every((figure) => figure === null)) return NO_LIMITS;
  return {
    ...(requests !== null && { requestsPerMinute: requests }),
    ...(tokens !== null && { tokensPerMinute: tokens }),
    ...(concurrent !== null && { concurrentRequests: concurrent }),
    ...(day !== null && { budgetDay: day }),
    ...(week !== null && { budgetWeek: week }),
    ...(month !== null && { budgetMonth: month }),
    ...(total !== null && { budgetTotal: total }),
    ...(budgetReserve !== undefined && { budgetReserve }),
  };
}
