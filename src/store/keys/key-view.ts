/** Keys and groups as the admin API and the command line show them. */

import { z } from 'zod';
import { parseStoredScope } from '../stored-scope.ts';
import type { GroupRow, KeyRow, LimitColumns } from '../tables.ts';
import { parseBudgetReserve, parseModels } from './key-record.ts';
import { groupFields, keyFields, parseModelLimits, parseTagLimits } from './key-settings.ts';

const time = z.iso.datetime();

/** A key without its secret. */
export const keyView = z.strictObject({
  object: z.literal('key'),
  id: z.string(),
  name: z.string(),
  hint: z.string().meta({ description: 'The first characters of the key.' }),
  ...keyFields,
  created_at: time,
  revoked_at: time.nullable(),
  previous_until: time
    .nullable()
    .meta({ description: 'When the old key of the last rotation stops working.' }),
});

export type KeyView = z.output<typeof keyView>;

export const groupView = z.strictObject({
  object: z.literal('group'),
  name: z.string(),
  ...groupFields,
  created_at: time,
});

export type GroupView = z.output<typeof groupView>;

/** @throws TypeError or ZodError if the row cannot be read. */
export function renderGroup(row: GroupRow): GroupView {
  return {
    object: 'group',
    name: row.name,
    models: modelsShown(row),
    ...limitsShown(row),
    created_at: new Date(row.created_at).toISOString(),
  };
}

/** @throws TypeError or ZodError if the row cannot be read. */
export function renderKey(row: KeyRow): KeyView {
  return {
    object: 'key',
    id: row.id,
    name: row.name,
    hint: row.hint,
    models: modelsShown(row),
    expires_at: isoTime(row.expires_at),
    ...limitsShown(row),
    tag_limits: parseTagLimits(row),
    group: row.group_name,
    created_at: new Date(row.created_at).toISOString(),
    revoked_at: isoTime(row.revoked_at),
    previous_until: isoTime(row.old_until),
  };
}

function modelsShown(row: KeyRow | GroupRow): string[] | null {
  const models = parseModels(row);
  return models === undefined ? null : [...models];
}

function limitsShown(row: LimitColumns): Pick<GroupView, Exclude<keyof LimitColumns, 'models'>> {
  return {
    requests_per_minute: row.requests_per_minute,
    tokens_per_minute: row.tokens_per_minute,
    concurrent_requests: row.concurrent_requests,
    budget_day: row.budget_day,
    budget_week: row.budget_week,
    budget_month: row.budget_month,
    budget_total: row.budget_total,
    budget_reserve: parseBudgetReserve(row) ?? null,
    model_limits: parseModelLimits(row),
    stored: row.stored ? parseStoredScope(row.stored) : null,
  };
}

function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
