/** What may be said of a key or of a group, in the words of the admin API; the command line says the same. */

import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { areOfOtherModels } from './key-limits.ts';
import { STORED } from './stored-scope.ts';
import type { KeyColumns, LimitColumns } from './tables.ts';

/** Printable and short, and nothing that reads like the id of a key. */
export const keyName = z
  .string()
  .regex(
    /^(?!key_)\w(?:[\w .@:+-]{0,62}[\w.@:+-])?$/,
    'must be 1 to 64 letters, digits, spaces or . _ - @ : +, begin with a letter, a digit or _ (but not with "key_"), and not end in a space',
  )
  .meta({ description: 'The name of the key in reports. It never changes.', examples: ['team-blue'] });

/** Like a key's, but a word for no group at all is no name. */
export const groupName = z
  .string()
  .regex(
    /^(?!none$)\w(?:[\w .@:+-]{0,62}[\w.@:+-])?$/,
    'must be 1 to 64 letters, digits, spaces or . _ - @ : +, begin with a letter, a digit or _, not end in a space, and not be "none"',
  )
  .meta({ description: 'The name of the group in reports. It never changes.', examples: ['search'] });

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

const models = z
  .array(modelPattern)
  .max(1_000)
  .nullable()
  .meta({ description: 'Models it may use: full ids and `<vendor>/*`. null: all models.' });

const limitFields = {
  requests_per_minute: count.nullable().meta({ description: 'null, here and below: no limit.' }),
  tokens_per_minute: count.nullable().meta({ description: 'Input and output tokens together.' }),
  concurrent_requests: count.nullable(),
  budget_day: dollars.nullable().meta({ description: 'US dollars per day (UTC).' }),
  budget_month: dollars.nullable().meta({ description: 'US dollars per calendar month (UTC).' }),
};

/** A limit for some models, as it is said, stored and shown. What is absent is not limited. */
const modelLimit = z.strictObject({
  models: z.array(modelPattern).min(1).max(100).meta({ description: 'Full ids and `<vendor>/*`.' }),
  requests_per_minute: count.exactOptional(),
  tokens_per_minute: count.exactOptional(),
  concurrent_requests: count.exactOptional(),
  budget_day: dollars.exactOptional(),
  budget_month: dollars.exactOptional(),
});

export type ModelLimit = z.output<typeof modelLimit>;

const modelLimits = z
  .array(modelLimit)
  .max(100)
  .refine(areOfOtherModels, { error: 'must not have the same models twice' })
  .nullable()
  .meta({
    description:
      'Limits for some models, each beside the limits for all of them: a request keeps to every one that has its model. null: none.',
  });

const stored = z
  .enum(STORED, { error: `must be one of ${STORED.join(', ')}` })
  .nullable()
  .meta({
    description:
      "What it may use of what is stored at the vendors' accounts (responses, conversations, files, containers): `all`, only what its `own` answers have made, or `none`. null: `own` if it is for some models only, else `all`.",
  });

/** What can be set of a key, each field as it reads. */
export const keyFields = {
  models,
  stored,
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' })
    .nullable()
    .meta({ description: 'When it expires, in the future. null: never.' }),
  ...limitFields,
  model_limits: modelLimits,
  group: groupName.nullable().meta({
    description: 'The group whose limits it keeps too, with all other keys of the group. null: none.',
    examples: ['search'],
  }),
};

/** The same of a group: what all of its keys may use together. */
export const groupFields = {
  models: models.meta({
    description: 'Models beyond which none of its keys goes: full ids and `<vendor>/*`. null: all models.',
  }),
  stored: stored.meta({
    description:
      "What none of its keys goes beyond of what is stored at the vendors' accounts, as a key's. null: `own` if it is for some models only, else `all`.",
  }),
  ...limitFields,
  model_limits: modelLimits,
};

/** Each of them may be left out. */
const limitSettings = {
  requests_per_minute: limitFields.requests_per_minute.exactOptional(),
  tokens_per_minute: limitFields.tokens_per_minute.exactOptional(),
  concurrent_requests: limitFields.concurrent_requests.exactOptional(),
  budget_day: limitFields.budget_day.exactOptional(),
  budget_month: limitFields.budget_month.exactOptional(),
  model_limits: modelLimits.exactOptional(),
};

/** What a key can be changed in: what is absent stays, what is null is lifted. */
export const keySettings = z.strictObject({
  models: keyFields.models.exactOptional(),
  stored: keyFields.stored.exactOptional(),
  expires_at: keyFields.expires_at.exactOptional(),
  ...limitSettings,
  group: keyFields.group.exactOptional(),
});

export type KeySettings = z.output<typeof keySettings>;

/** A new key. What is absent is not limited. */
export const newKey = keySettings
  .extend({ name: keyName })
  .refine((settings) => !isOver(settings), { path: ['expires_at'], error: 'must be in the future' });

/** What a group can be changed in: what is absent stays, what is null is lifted. */
export const groupSettings = z.strictObject({
  models: groupFields.models.exactOptional(),
  stored: groupFields.stored.exactOptional(),
  ...limitSettings,
});

export type GroupSettings = z.output<typeof groupSettings>;

/** A new group. What is absent is not limited. */
export const newGroup = groupSettings.extend({ name: groupName });

/** Whether a key of such settings would open nothing any more. */
export function isOver({ expires_at: expires }: Pick<KeySettings, 'expires_at'>): boolean {
  return expires !== undefined && expires !== null && Date.parse(expires) <= Date.now();
}

/** A group's settings as columns. */
export function groupColumnsOf({
  models,
  model_limits: byModel,
  ...limits
}: GroupSettings): Partial<LimitColumns> {
  return {
    ...limits,
    ...(models !== undefined && { models: models === null ? null : JSON.stringify(models) }),
    ...(byModel !== undefined && { model_limits: byModel?.length ? JSON.stringify(byModel) : null }),
  };
}

/** The stored limits for some models. @throws ZodError where somebody wrote something else there: never no limit by a slip. */
export function modelLimitsOf({
  model_limits: stored,
}: Pick<LimitColumns, 'model_limits'>): ModelLimit[] | null {
  // A table of an earlier version, which is only read, has no such column.
  return stored ? modelLimits.parse(parseJson(stored)) : null;
}

/** Settings as columns. */
export function columnsOf(settings: KeySettings): Partial<KeyColumns> {
  const { expires_at: expires, group, ...limits } = settings;
  return {
    ...groupColumnsOf(limits),
    ...(group !== undefined && { group_name: group }),
    ...(expires !== undefined && { expires_at: expires === null ? null : Date.parse(expires) }),
  };
}
