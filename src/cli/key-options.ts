/** The settings of a key or a group: as options of `gateway keys` and `gateway groups`, and as columns of their lists. */

import type { ArgsDef } from 'citty';
import type { ModelLimit } from '../store/keys/key-settings.ts';
import { defaultStoredScope } from '../store/stored-scope.ts';
import type { LimitColumns } from '../store/tables.ts';
import { CommandError } from './command-error.ts';
import { parseDuration } from './options.ts';
import type { Column } from './tables.ts';

const limitOptions = {
  stored: {
    type: 'string',
    description:
      'What may be used of what is stored at the vendors: all, own, none, or "default" (own with --models, else all)',
  },
  'requests-per-minute': {
    type: 'string',
    description: 'A number, or "none" for no limit (as for the limits below)',
  },
  'tokens-per-minute': { type: 'string', description: 'Input and output tokens together' },
  'concurrent-requests': { type: 'string', description: 'Requests in progress at the same time' },
  'budget-day': { type: 'string', description: 'US dollars per day (in usage.timeZone, UTC by default)' },
  'budget-week': { type: 'string', description: 'US dollars per week, from Monday' },
  'budget-month': { type: 'string', description: 'US dollars per calendar month' },
  'budget-total': { type: 'string', description: 'US dollars in total; it never renews' },
  'budget-reserve': {
    type: 'string',
    description:
      'What each request holds of budgets until its cost is known: the cost of a "typical" answer (default) or of its "longest", with which budgets are not overspent',
  },
  'model-limits': {
    type: 'string',
    description:
      'Additional limits for some models, or "none": "anthropic/* requests-per-minute=10 budget-day=5; openai/o3 ..."',
  },
} as const satisfies ArgsDef;

/** The options that are limits. Limits for some models or each tag have the same names. */
const LIMITS = [
  'requests-per-minute',
  'tokens-per-minute',
  'concurrent-requests',
  'budget-day',
  'budget-week',
  'budget-month',
  'budget-total',
] as const satisfies readonly (keyof typeof limitOptions)[];

/** Tags come and go, so there is no total for them. */
const TAG_LIMITS = LIMITS.filter((name) => name !== 'budget-total');

export const keyOptions = {
  models: {
    type: 'string',
    description: 'Models it may use, comma-separated: full ids or <vendor>/*; "any" for all',
  },
  expires: {
    type: 'string',
    description: 'A date (2027-01-31), a time (ISO 8601), a duration from now (30d, 12h), or "never"',
  },
  ...limitOptions,
  'tag-limits': {
    type: 'string',
    description:
      'Limits for each tag (header x-gateway-tag) or end user, or "none": "requests-per-minute=10 budget-day=0.50"',
  },
  group: { type: 'string', description: 'The group whose limits also apply, or "none"' },
} as const satisfies ArgsDef;

export const groupOptions = {
  models: { type: 'string', description: 'Models its keys may use, comma-separated, or "any"' },
  ...limitOptions,
} as const satisfies ArgsDef;

type KeyOptions = { readonly [O in keyof typeof keyOptions]?: string | undefined };
type GroupOptions = { readonly [O in keyof typeof groupOptions]?: string | undefined };

/** Settings as the admin API takes them, not yet checked. */
type Settings = Readonly<Record<string, unknown>>;

/**
 * The settings of a key that the options give, and no others.
 * @param now Unix time in milliseconds, from which a duration counts.
 * @throws CommandError that names the option.
 */
export function readKeyOptions(options: KeyOptions, now: number): Settings {
  const { expires, group, 'tag-limits': byTag } = options;
  return {
    ...readGroupOptions(options),
    ...(expires !== undefined && { expires_at: parseTime(expires, now) }),
    ...(byTag !== undefined && { tag_limits: parseTagLimits(byTag) }),
    ...(group !== undefined && { group: group === 'none' ? null : group }),
  };
}

/** The settings of a group that the options give, and no others. @throws CommandError that names the option. */
export function readGroupOptions(options: GroupOptions): Settings {
  const { models, stored, 'budget-reserve': reserve, 'model-limits': byModel } = options;
  return {
    ...(stored !== undefined && { stored: stored === 'default' ? null : stored }),
    ...(models !== undefined && {
      models: models === 'any' ? null : models.split(',').map((id) => id.trim()),
    }),
    ...Object.fromEntries(LIMITS.flatMap((name) => parseLimit(name, options[name]))),
    ...(reserve !== undefined && { budget_reserve: reserve }),
    ...(byModel !== undefined && { model_limits: parseModelLimits(byModel) }),
  };
}

/** The error of a change without options. */
export function nothingToChange(): CommandError {
  return new CommandError('Nothing to change: give at least one setting, such as --models or --budget-day.');
}

/** The setting that an option gives, if it is given. @throws CommandError if its text is neither a number nor "none". */
function parseLimit(option: string, text: string | undefined): readonly (readonly [string, number | null])[] {
  if (text === undefined) return [];
  const value = text === 'none' ? null : Number(text.trim() || Number.NaN);
  if (Number.isNaN(value)) throw new CommandError(`--${option}: ${text} is neither a number nor "none".`);
  return [[option.replaceAll('-', '_'), value]];
}

/** A time in ISO 8601; null for "never". @throws CommandError */
function parseTime(text: string, now: number): string | null {
  if (text === 'never') return null;
  const duration = parseDuration(text);
  const time = duration === undefined ? parseIsoTime(text) : now + duration;
  if (Number.isNaN(time) || time > MAX_TIME)
    throw new CommandError(
      `--expires: ${text} is not a date, a time or a duration (2027-01-31, 2027-01-31T12:00Z, 30d).`,
    );
  return new Date(time).toISOString();
}

/** Milliseconds since 1970; NaN for what does not begin with a day. A Date takes 30 February for 2 March. */
function parseIsoTime(text: string): number {
  const day = text.slice(0, 10);
  const begins = Date.parse(day);
  const exists = !Number.isNaN(begins) && new Date(begins).toISOString().slice(0, 10) === day;
  return exists ? Date.parse(text) : Number.NaN;
}

/** The last millisecond of the year 9999: ISO 8601 writes later years in another form. */
const MAX_TIME = 253_402_300_799_999;

/** @returns null for "none". @throws CommandError */
function parseModelLimits(text: string): readonly Settings[] | null {
  return text.trim() === 'none' ? null : text.split(';').map((one) => parseModelLimit(one.trim()));
}

/** @returns null for "none". @throws CommandError */
function parseTagLimits(text: string): Settings | null {
  if (text.trim() === 'none') return null;
  const words = text.trim().split(/\s+/);
  if (!words.every(isFigure))
    throw new CommandError(`--tag-limits: "${text}" must be limits, such as "budget-day=0.50", or "none".`);
  return parseFigures('tag-limits', words, TAG_LIMITS);
}

function isFigure(word: string): boolean {
  return word.includes('=');
}

/**
 * @param words each a limit and its number, such as `budget-day=5`.
 * @param known the limits that there are.
 * @throws CommandError
 */
function parseFigures(option: string, words: readonly string[], known: readonly string[]): Settings {
  const figures = new Map<string, number>();
  for (const word of words) {
    const at = word.indexOf('=');
    const name = word.slice(0, at);
    if (!known.includes(name))
      throw new CommandError(`--${option}: there is no limit "${name}". The limits are ${known.join(', ')}.`);
    const value = Number(word.slice(at + 1) || Number.NaN);
    if (Number.isNaN(value)) throw new CommandError(`--${option}: ${word} has no number, as in ${name}=5.`);
    const field = name.replaceAll('-', '_');
    if (figures.has(field)) throw new CommandError(`--${option}: ${name} is given twice.`);
    figures.set(field, value);
  }
  return Object.fromEntries(figures);
}

function parseModelLimit(text: string): Settings {
  const words = text.split(/\s+/);
  const figures = words.filter(isFigure);
  const models = words.filter((word) => word !== '' && !isFigure(word));
  if (models.length === 0 || figures.length === 0)
    throw new CommandError(
      `--model-limits: "${text}" must have models and limits, such as "anthropic/* budget-day=5", or be "none".`,
    );
  return { models, ...parseFigures('model-limits', figures, LIMITS) };
}

type Limited = Omit<LimitColumns, 'models' | 'model_limits'> & {
  readonly models: readonly string[] | null;
  readonly model_limits: readonly ModelLimit[] | null;
};

/** The columns of a list that show the limits of a key or a group. */
export function limitColumns<T extends Limited>(): readonly Column<T>[] {
  const figure = (
    field: Exclude<keyof Limited, 'models' | 'model_limits' | 'stored' | 'budget_reserve'>,
    title: string,
  ): Column<T> => ({
    title,
    right: true,
    text: (limited) => String(limited[field] ?? '-'),
  });
  return [
    figure('requests_per_minute', 'req/min'),
    figure('tokens_per_minute', 'tok/min'),
    figure('concurrent_requests', 'at once'),
    figure('budget_day', '$/day'),
    figure('budget_week', '$/week'),
    figure('budget_month', '$/month'),
    figure('budget_total', '$ total'),
    { title: 'reserve', text: ({ budget_reserve: reserve }) => reserve ?? '-' },
    { title: 'models', text: ({ models }) => models?.join(',') ?? 'any' },
    { title: 'stored', text: ({ models, stored }) => stored ?? defaultStoredScope(models ?? undefined) },
    { title: 'by model', text: ({ model_limits: all }) => all?.map(formatModelLimit).join('; ') ?? '-' },
  ];
}

/** A limit as `--model-limits` takes it. */
function formatModelLimit({ models, ...figures }: ModelLimit): string {
  return [...models, formatFigures(figures)].join(' ');
}

/** Limits as `--tag-limits` takes them. */
export function formatFigures(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name.replaceAll('_', '-')}=${value}`)
    .join(' ');
}
