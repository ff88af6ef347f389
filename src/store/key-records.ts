/** The store's keys and groups as the request path looks them up. */

import { parseJson } from '../json.ts';
import type { GroupRecord, KeyLimits, KeyRecord } from '../keys.ts';
import type { GroupRow, KeyRow, LimitColumns } from './tables.ts';

/** By what a key opens now, or did before a rotation and still does; none for one that was revoked. */
export function recordsOf(row: KeyRow): readonly KeyRecord[] {
  if (row.revoked_at !== null) return [];
  const { name, hash, old_hash: oldHash, old_until: oldUntil, expires_at: expires, group_name: group } = row;
  const models = modelsOf(row);
  const record: KeyRecord = {
    name,
    hash,
    limits: limitsOf(row),
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
  return { name: row.name, limits: limitsOf(row), ...(models !== undefined && { models }) };
}

/** The models a key or a group opens; undefined: every one. @throws TypeError where somebody wrote something else there. */
export function modelsOf({ name, models }: KeyRow | GroupRow): readonly string[] | undefined {
  if (models === null) return undefined;
  const list = parseJson(models);
  // Never every model because of a slip: a list that cannot be read stops the reading of keys.
  if (!Array.isArray(list)) throw new TypeError(`The models of ${name} are not a list.`);
  return list.map(String);
}

function limitsOf(row: LimitColumns): KeyLimits {
  return {
    ...(row.requests_per_minute !== null && { requestsPerMinute: row.requests_per_minute }),
    ...(row.tokens_per_minute !== null && { tokensPerMinute: row.tokens_per_minute }),
    ...(row.concurrent_requests !== null && { concurrentRequests: row.concurrent_requests }),
    ...(row.budget_day !== null && { budgetDay: row.budget_day }),
    ...(row.budget_month !== null && { budgetMonth: row.budget_month }),
  };
}
