/** The settings of keys and groups, as the admin API names them; the command line uses the same names. */

import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import { isoTime } from '../../lib/zod-fields.ts';
import { STORED } from '../stored-scope.ts';
import type { KeyColumns, LimitColumns } from '../tables.ts';
import { BUDGET_RESERVES, haveDistinctModels } from './key-limits.ts';

/** Printable and short. It must not look like the id of a key. */
export const keyName = z
  .string()
  .regex(
    /^(?!key_)\w(?:[\w .@:+-]{0,62}[\w.@:+-])?$/,
    'must be 1 to 64 letters, digits, spaces or . _ - @ : +, begin with a letter, a digit or _ (but not with "key_"), and not end in a space',
  )
  .meta({ description: 'The name of the key in reports. It never changes.', examples: ['team-blue'] });

/** Like a key's name, but it must not be the word that means no group. */
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
  budget_day: dollars
    .nullable()
    .meta({ description: 'US dollars per day, in the configured time zone (UTC by default).' }),
  budget_week: dollars.nullable().meta({ description: 'US dollars per week, from Monday.' }),
  budget_month: dollars.nullable().meta({ description: 'US dollars per calendar month.' }),
  budget_total: dollars.nullable().meta({
    description: 'US dollars in total, for as long as the name exists: it never renews.',
  }),
  budget_reserve: z
    .enum(BUDGET_RESERVES, { error: `must be one of ${BUDGET_RESERVES.join(', ')}` })
    .nullable()
    .meta({
      description:
        'What each request holds of budgets until its cost is known: the cost of a `typical` answer, or that of its `longest`, with which budgets are not overspent. null: `typical`.',
    }),
};

/** Limits that are not shared by all models or by all tags. Tags come and go, so there is no total for them. */
const tagFigures = {
  requests_per_minute: count.exactOptional(),
  tokens_per_minute: count.exactOptional(),
  concurrent_requests: count.exactOptional(),
  budget_day: dollars.exactOptional(),
  budget_week: dollars.exactOptional(),
  budget_month: dollars.exactOptional(),
};

/** A limit for some models, in the form in which it is written, stored and shown. An absent limit does not apply. */
const modelLimit = z.strictObject({
  models: z.array(modelPattern).min(1).max(100).meta({ description: 'Full ids and `<vendor>/*`.' }),
  ...tagFigures,
  budget_total: dollars.exactOptional(),
});

export type ModelLimit = z.output<typeof modelLimit>;

const modelLimits = z
  .array(modelLimit)
  .max(100)
  .refine(haveDistinctModels, { error: 'must not have the same models twice' })
  .nullable()
  .meta({
    description:
      'Limits for some models, in addition to those for all models: a request must fit every limit that covers its model. null: none.',
  });

const tagLimits = z.strictObject(tagFigures).nullable().meta({
  description:
    'Limits for each tag of the key (header `x-gateway-tag`), or else for each end user whom a body names (`safety_identifier`, `user`, `metadata.user_id`). Requests that name neither share one. null: none.',
});

export type TagLimits = NonNullable<z.output<typeof tagLimits>>;

const stored = z
  .enum(STORED, { error: `must be one of ${STORED.join(', ')}` })
  .nullable()
  .meta({
    description:
      "What it may use of what is stored at the vendors' accounts (responses, conversations, files, containers): `all`, only what its `own` responses created, or `none`. null: `own` if it is for some models only, else `all`.",
  });

/** The settings of a key, one schema for each field. */
export const keyFields = {
  models,
  stored,
  expires_at: isoTime.nullable().meta({ description: 'When it expires, in the future. null: never.' }),
  ...limitFields,
  model_limits: modelLimits,
  tag_limits: tagLimits,
  group: groupName.nullable().meta({
    description: 'The group whose limits apply too, shared with all other keys of the group. null: none.',
    examples: ['search'],
  }),
};

/** The settings of a group; they apply to all of its keys together. */
export const groupFields = {
  models: models.meta({
    description: 'Models that its keys may use: full ids and `<vendor>/*`. null: all models.',
  }),
  stored: stored.meta({
    description:
      "The most that its keys may use of what is stored at the vendors' accounts, written like a key's. null: `own` if the group is for some models only, else `all`.",
  }),
  ...limitFields,
  model_limits: modelLimits,
};

/** Changes to a key: an absent field stays as it is, null removes the limit. */
export const keySettings = z.strictObject(keyFields).exactPartial();

export type KeySettings = z.output<typeof keySettings>;

/** A new key. Absent limits do not apply. */
export const newKey = keySettings
  .extend({ name: keyName })
  .refine((settings) => !isExpired(settings), { path: ['expires_at'], error: 'must be in the future' });

/** Changes to a group: an absent field stays as it is, null removes the limit. */
export const groupSettings = z.strictObject(groupFields).exactPartial();

export type GroupSettings = z.output<typeof groupSettings>;

/** A new group. Absent limits do not apply. */
export const newGroup = groupSettings.extend({ name: groupName });

/** Whether a key with these settings would have expired already. */
export function isExpired({ expires_at: expires }: Pick<KeySettings, 'expires_at'>): boolean {
  return expires !== undefined && expires !== null && Date.parse(expires) <= Date.now();
}

/** A group's settings as columns of the store. */
export function groupColumns({
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

/**
 * The stored limits for some models, or null. @throws ZodError if the column cannot be read: damage must not mean no
 * limit.
 */
export function parseModelLimits({
  model_limits: stored,
}: Pick<LimitColumns, 'model_limits'>): ModelLimit[] | null {
  // The table of an earlier version, which is only read, does not have this column.
  return stored ? modelLimits.parse(parseJson(stored)) : null;
}

/** The stored limits for each tag, or null. @throws ZodError if the column cannot be read. */
export function parseTagLimits({ tag_limits: stored }: Pick<KeyColumns, 'tag_limits'>): TagLimits | null {
  // The table of an earlier version, which is only read, does not have this column.
  return stored ? tagLimits.parse(parseJson(stored)) : null;
}

/** A key's settings as columns of the store. */
export function keyColumns(settings: KeySettings): Partial<KeyColumns> {
  const { expires_at: expires, group, tag_limits: byTag, ...limits } = settings;
  return {
    ...groupColumns(limits),
    ...(byTag !== undefined && { tag_limits: byTag && JSON.stringify(byTag) }),
    ...(group !== undefined && { group_name: group }),
    ...(expires !== undefined && { expires_at: expires === null ? null : Date.parse(expires) }),
  };
}
