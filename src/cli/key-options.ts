/** What the commands of `gateway keys` and `gateway groups` say of a key or a group, as options. */

import type { ArgsDef } from 'citty';
import { type GroupSettings, groupSettings, type KeySettings, keySettings } from '../store/key-settings.ts';
import { millisecondsOf } from './duration.ts';
import { MODEL_LIMITS, modelLimitsIn } from './model-limit-option.ts';
import { Refusal } from './refusal.ts';
import { checkedOptions } from './with-store.ts';

const limitOptions = {
  stored: {
    type: 'string',
    description:
      'What it may use of what is stored at the vendors: all, own, none, or "default" (own with --models, else all)',
  },
  'requests-per-minute': { type: 'string', description: 'A number, or "none" for no limit (so below, too)' },
  'tokens-per-minute': { type: 'string', description: 'Input and output tokens together' },
  'concurrent-requests': { type: 'string', description: 'Requests in progress at the same time' },
  'budget-day': { type: 'string', description: 'US dollars per day (UTC)' },
  'budget-month': { type: 'string', description: 'US dollars per calendar month (UTC)' },
  'model-limits': { type: 'string', description: MODEL_LIMITS },
} as const satisfies ArgsDef;

export const settingOptions = {
  models: {
    type: 'string',
    description: 'Models it may use, comma-separated: full ids or <vendor>/*; "any" for all',
  },
  expires: {
    type: 'string',
    description: 'A date (2027-01-31), a time (ISO 8601), a duration from now (30d, 12h), or "never"',
  },
  ...limitOptions,
  group: { type: 'string', description: 'The group whose limits it keeps too, or "none"' },
} as const satisfies ArgsDef;

export const groupOptions = {
  models: {
    type: 'string',
    description: 'Models beyond which none of its keys goes, comma-separated, or "any" for no such bound',
  },
  ...limitOptions,
} as const satisfies ArgsDef;

type Options = { readonly [O in keyof typeof settingOptions]?: string | undefined };
type GroupOptions = { readonly [O in keyof typeof groupOptions]?: string | undefined };

/** What was said of a key, and nothing else. @throws Refusal that names the option. */
export function settingsOf(options: Options, now: number): KeySettings {
  const { expires, group } = options;
  const said = {
    ...limitsOf(options),
    ...(expires !== undefined && { expires_at: timeOf(expires, now) }),
    ...(group !== undefined && { group: group === 'none' ? null : group }),
  };
  return checkedOptions(said, keySettings);
}

/** The same of a group. @throws Refusal that names the option. */
export function groupSettingsOf(options: GroupOptions): GroupSettings {
  return checkedOptions(limitsOf(options), groupSettings);
}

function limitsOf(options: GroupOptions): Readonly<Record<string, unknown>> {
  const { models, stored, 'model-limits': byModel } = options;
  return {
    ...(stored !== undefined && { stored: stored === 'default' ? null : stored }),
    ...(models !== undefined && {
      models: models === 'any' ? null : models.split(',').map((id) => id.trim()),
    }),
    ...limit('requests-per-minute', options['requests-per-minute']),
    ...limit('tokens-per-minute', options['tokens-per-minute']),
    ...limit('concurrent-requests', options['concurrent-requests']),
    ...limit('budget-day', options['budget-day']),
    ...limit('budget-month', options['budget-month']),
    ...(byModel !== undefined && { model_limits: modelLimitsIn(byModel) }),
  };
}

/** @throws Refusal */
function limit(option: string, said: string | undefined): Readonly<Record<string, number | null>> {
  if (said === undefined) return {};
  const value = said === 'none' ? null : Number(said.trim() || Number.NaN);
  if (Number.isNaN(value)) throw new Refusal(`--${option}: ${said} is neither a number nor "none"`);
  return { [option.replaceAll('-', '_')]: value };
}

/** A time as ISO 8601; null for never. @throws Refusal */
function timeOf(said: string, now: number): string | null {
  if (said === 'never') return null;
  const duration = millisecondsOf(said);
  const time = duration === undefined ? Date.parse(said) : now + duration;
  if (Number.isNaN(time) || time > LATEST)
    throw new Refusal(
      `--expires: ${said} is neither a date, a time nor a duration (2027-01-31, 2027-01-31T12:00Z, 30d)`,
    );
  return new Date(time).toISOString();
}

/** The last moment of the year 9999: years after it have another form. */
const LATEST = 253_402_300_799_999;
