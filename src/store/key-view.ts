/** A key as the admin API and the command line show it. */

import { z } from 'zod';
import { modelsOf } from './key-records.ts';
import { keyFields } from './key-settings.ts';
import type { KeyRow } from './tables.ts';

const time = z.iso.datetime();

/** Nothing of it is secret. */
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

export function viewOf(row: KeyRow): KeyView {
  const models = modelsOf(row);
  return {
    object: 'key',
    id: row.id,
    name: row.name,
    hint: row.hint,
    models: models === undefined ? null : [...models],
    expires_at: isoTime(row.expires_at),
    requests_per_minute: row.requests_per_minute,
    tokens_per_minute: row.tokens_per_minute,
    concurrent_requests: row.concurrent_requests,
    budget_day: row.budget_day,
    budget_month: row.budget_month,
    created_at: new Date(row.created_at).toISOString(),
    revoked_at: isoTime(row.revoked_at),
    previous_until: isoTime(row.old_until),
  };
}

function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
