/** The store's keys and groups as the request path looks them up. */

import { parseJson } from '../lib/json.ts';
import type { KeyLimits, ModelLimits } from './key-limits.ts';
import { modelLimitsOf } from './key-settings.ts';
import { type Stored, storedOf } from './stored-scope.ts';
import type { GroupRow, KeyRow, LimitColumns } from './tables.ts';

/** A key as it is stored. */
export interface KeyRecord {
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** Ids, a model's own or any that leads to it, and `vendor/*`; absent means every model. */
  readonly models?: readonly string[];
  /** What it may use of what is stored at the vendors'; absent: as `storedUnlessSaid`. */
  readonly stored?: Stored;
  /** Milliseconds since 1970, from when on the key is unknown; absent means never. */
  readonly expires?: number;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
  /** Name of its group. */
  readonly group?: string;
}

/** A group as it is stored. */
export interface GroupRecord {
  readonly name: string;
  /** What none of its keys goes beyond, as a key's; absent means every model. */
  readonly models?: readonly string[];
  readonly stored?: Stored;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
}

/** By what a key opens now, or did before a rotation and still does; none for one that was revoked. */
export function recordsOf(row: KeyRow): readonly KeyRecord[] {
  if (row.revoked_at !== null) return [];
  const { name, hash, old_hash: oldHash, old_until: oldUntil, expires_at: expires, group_name: group } = row;
  const models = modelsOf(row);
  const record: KeyRecord = {
    name,
    hash,
    limits: limitsOf(row),
    ...byModel(row),
    ...storedIn(row),
    ...(models !== undefined && { models }),
    ...(expires !== null && { expires }),
    ...(group !== null && { group }),
  };
  if (oldHash === null || oldUntil === null) return [record];
  return [record, { ...record, hash: oldHash, expires: Math.min(oldUntil, expires ?? oldUntil) }];
}

/** A group, to which its keys are kept. */
export function groupRecordOf(row: GroupRow): GroupRecord {
  const models = modelsOf(row);
  return {
    name: row.name,
    limits: limitsOf(row),
    ...byModel(row),
    ...storedIn(row),
    ...(models !== undefined && { models }),
  };
}

/** The models a key or a group opens; undefined: every one. @throws TypeError where somebody wrote something else there. */
export function modelsOf({ name, models }: KeyRow | GroupRow): readonly string[] | undefined {
  if (models === null) return undefined;
  const list = parseJson(models);
  // Never every model because of a slip: a list that cannot be read stops the reading of keys.
  if (!Array.isArray(list)) throw new TypeError(`The models of ${name} are not a list.`);
  return list.map(String);
}

/** @throws TypeError where somebody wrote something else there. */
function storedIn({ stored }: LimitColumns): { readonly stored?: Stored } {
  // A table of an earlier version, which is only read, has no such column.
  return stored ? { stored: storedOf(stored) } : {};
}

function byModel(row: LimitColumns): { readonly modelLimits?: readonly ModelLimits[] } {
  const stored = modelLimitsOf(row);
  if (stored === null) return {};
  return { modelLimits: stored.map(({ models, ...limits }) => ({ models, ...limitsOf(limits) })) };
}

type Figures = Omit<LimitColumns, 'models' | 'model_limits' | 'stored'>;

function limitsOf({
  requests_per_minute: requests = null,
  tokens_per_minute: tokens = null,
  concurrent_requests: concurrent = null,
  budget_day: day = null,
  budget_month: month = null,
}: Partial<Figures>): KeyLimits {
  return {
    ...(requests !== null && { requestsPerMinute: requests }),
    ...(tokens !== null && { tokensPerMinute: tokens }),
    ...(concurrent !== null && { concurrentRequests: concurrent }),
    ...(day !== null && { budgetDay: day }),
    ...(month !== null && { budgetMonth: month }),
  };
}
