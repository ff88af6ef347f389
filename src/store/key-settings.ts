/** What may be said of a key, in the words of the admin API; the command line says the same. */

import { z } from 'zod';
import type { KeyColumns } from './tables.ts';

/** Printable and short, and nothing that reads like the id of a key. */
export const keyName = z
  .string()
  .regex(
    /^(?!key_)\w(?:[\w .@:+-]{0,62}[\w.@:+-])?$/,
    'must be 1 to 64 letters, digits, spaces or . _ - @ : +, begin with a letter, a digit or _ (but not with "key_"), and not end in a space',
  )
  .meta({ description: 'The name of the key in reports. It never changes.', examples: ['team-blue'] });

const modelPattern = z
  .string()
  .max(256)
  .regex(/^[^/\s]+\/[^/\s]+$/, 'must be <vendor>/<model_name> or <vendor>/*');
const count = z
  .int({ error: 'must be a whole number above 0' })
  .positive({ error: 'must be a whole number above 0' });
const dollars = z
  .number({ error: 'must be a number' })
  .nonnegative({ error: 'must not be negative' })
  .max(1e9, { error: 'must be at most 1,000,000,000' });

/** What can be set, each field as it reads. */
export const keyFields = {
  models: z
    .array(modelPattern)
    .max(1_000)
    .nullable()
    .meta({ description: 'Models it may use: full ids and `<vendor>/*`. null: all models.' }),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' })
    .nullable()
    .meta({ description: 'When it expires. null: never.' }),
  requests_per_minute: count.nullable().meta({ description: 'null, here and below: no limit.' }),
  tokens_per_minute: count.nullable().meta({ description: 'Input and output tokens together.' }),
  concurrent_requests: count.nullable(),
  budget_day: dollars.nullable().meta({ description: 'US dollars per day (UTC).' }),
  budget_month: dollars.nullable().meta({ description: 'US dollars per calendar month (UTC).' }),
};

/** What a key can be changed in: what is absent stays, what is null is lifted. */
export const keySettings = z.strictObject({
  models: keyFields.models.exactOptional(),
  expires_at: keyFields.expires_at.exactOptional(),
  requests_per_minute: keyFields.requests_per_minute.exactOptional(),
  tokens_per_minute: keyFields.tokens_per_minute.exactOptional(),
  concurrent_requests: keyFields.concurrent_requests.exactOptional(),
  budget_day: keyFields.budget_day.exactOptional(),
  budget_month: keyFields.budget_month.exactOptional(),
});

export type KeySettings = z.output<typeof keySettings>;

/** A new key. What is absent is not limited. */
export const newKey = keySettings
  .extend({ name: keyName })
  .refine((settings) => !isOver(settings), { path: ['expires_at'], error: 'must be in the future' });

/** Whether a key of such settings would open nothing any more. */
export function isOver({ expires_at: expires }: Pick<KeySettings, 'expires_at'>): boolean {
  return expires !== undefined && expires !== null && Date.parse(expires) <= Date.now();
}

/** Settings as columns. */
export function columnsOf(settings: KeySettings): Partial<KeyColumns> {
  const { models, expires_at: expires, ...limits } = settings;
  return {
    ...limits,
    ...(models !== undefined && { models: models === null ? null : JSON.stringify(models) }),
    ...(expires !== undefined && { expires_at: expires === null ? null : Date.parse(expires) }),
  };
}
