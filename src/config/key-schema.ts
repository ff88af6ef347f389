/** Who may use the gateway, and how much: keys, groups of keys, and identity providers. */

import { z } from 'zod';
import { isoTime } from '../lib/zod-fields.ts';
import { BUDGET_RESERVES, haveDistinctModels } from '../store/keys/key-limits.ts';
import { STORED } from '../store/stored-scope.ts';
import { hasAddressOfKeys, hasLimitedCallers, identityFields } from './identity-fields.ts';

// A key with a space or a line break, with which files often end, could never be sent.
/** A key for the gateway itself. */
export const gatewayKey = z
  .string()
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces or line breaks');

/** Whether a text is not a list of keys, as other gateways take it in a variable. */
function isOneKey(text: string): boolean {
  const parts = text.split(/[,;]/);
  return parts.length === 1 || parts.some((part) => part.length < 8);
}

/** The models that a key, a caller, or the keys of a group may use. */
const models = z.array(z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be <vendor>/<model_name> or <vendor>/*'));

/** What a key may use of what is stored at the vendors' accounts. Absent: `own` if there are `models`, else `all`. */
const stored = z.enum(STORED).exactOptional();

/** How much a key, a caller, or a group may use. Budgets are in US dollars for a day, a week, a calendar month, and in total. */
const figures = z.strictObject({
  /** Requests a minute. */
  requestsPerMinute: z.int().positive().exactOptional(),
  /** Input and output tokens together a minute. */
  tokensPerMinute: z.int().positive().exactOptional(),
  /** Requests in progress at the same time. */
  concurrentRequests: z.int().positive().exactOptional(),
  /** US dollars a day, in `usage.timeZone`. */
  budgetDay: z.number().nonnegative().exactOptional(),
  /** US dollars a week, from Monday. */
  budgetWeek: z.number().nonnegative().exactOptional(),
  /** US dollars a calendar month. */
  budgetMonth: z.number().nonnegative().exactOptional(),
  /** US dollars in total. It never renews. */
  budgetTotal: z.number().nonnegative().exactOptional(),
});

/** How much it may use. */
const limits = figures.extend({
  /** What each request holds of budgets until its cost is known: that of a typical answer, or of the longest. */
  budgetReserve: z.enum(BUDGET_RESERVES).exactOptional(),
});

// The same models twice would be counted twice.
/** Limits for some models, in addition to the limits for all. */
const modelLimits = z
  .array(
    figures.extend({
      /** The models that these limits are for: full ids, aliases, `<vendor>/*`. */
      models: models.min(1),
    }),
  )
  .refine(haveDistinctModels, 'must not have the same models twice');

/** Limits for each tag, or each end user. */
const tagLimits = figures.omit({ budgetTotal: true });

/** A group of keys, which share its limits in addition to their own. */
export const groupSchema = z.strictObject({
  /** The name by which keys refer to it. */
  name: z.string().min(1),
  /** The only models that its keys may use. */
  models: models.optional(),
  stored,
  limits: limits.optional(),
  modelLimits: modelLimits.optional(),
});

/** A key of the configuration. */
export const keySchema = z
  .strictObject({
    /** Its name in reports, limits and the log. */
    name: z.string().min(1),
    /** The key itself. */
    key: gatewayKey
      .min(8)
      .max(512)
      .refine(isOneKey, 'must be one key, not a list: further keys go under keys in a configuration file')
      .optional(),
    /** The SHA-256 of the key in hex, in place of `key`. */
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 hash: 64 lower-case hex digits')
      .optional(),
    models: models.optional(),
    stored,
    expires: isoTime.optional(),
    limits: limits.optional(),
    modelLimits: modelLimits.optional(),
    /** Limits for each of its tags, or of its end users. */
    tagLimits: tagLimits.exactOptional(),
    /** The name of one of `groups`. */
    group: z.string().exactOptional(),
  })
  .refine(
    (key) => (key.key === undefined) !== (key.hash === undefined),
    'needs either key or hash, not both',
  );

/** An identity provider whose tokens are accepted like keys. `models` and `limits` apply to each of its callers. */
export const identitySchema = z
  .strictObject({
    ...identityFields,
    models: models.exactOptional(),
    stored,
    limits: limits.exactOptional(),
    modelLimits: modelLimits.exactOptional(),
    tagLimits: tagLimits.exactOptional(),
  })
  .refine(...hasAddressOfKeys)
  .refine(...hasLimitedCallers);
