/** The store's keys and groups as the request path looks them up. */

import { parseJson } from '../lib/json.ts';
import { modelLimitsOf } from '../store/key-settings.ts';
import { type Stored, storedOf } from '../store/stored-scope.ts';
import type { GroupRow, KeyRow, LimitColumns } from '../store/tables.ts';
import type { GroupRecord, KeyLimits, KeyRecord, ModelLimits } from './keys.ts';

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
