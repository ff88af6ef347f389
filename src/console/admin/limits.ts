/** Keys and groups as the admin API shows them, and their settings. */

export interface Limits {
  readonly models: readonly string[] | null;
  readonly stored: string | null;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrent_requests: number | null;
  /** US dollars. */
  readonly budget_day: number | null;
  readonly budget_week: number | null;
  readonly budget_month: number | null;
  /** It never renews. */
  readonly budget_total: number | null;
  /** What a request holds of budgets until its cost is known; null: that of a typical answer. */
  readonly budget_reserve: string | null;
  readonly model_limits: readonly ModelLimit[] | null;
}

/** The limits for some models together. */
export interface ModelLimit extends Readonly<Partial<Record<NumberName, number>>> {
  readonly models: readonly string[];
}

export type TagLimits = Readonly<Partial<Record<NumberName, number>>>;

export interface Key extends Limits {
  readonly id: string;
  readonly name: string;
  /** The first characters. */
  readonly hint: string;
  readonly expires_at: string | null;
  readonly group: string | null;
  /** The limits of each tag, or else of each end user. */
  readonly tag_limits: TagLimits | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** When the old key of the last rotation stops working. */
  readonly previous_until: string | null;
}

export interface Group extends Limits {
  readonly name: string;
  readonly created_at: string;
}

/** A key that was just made: the only answer that has the key itself. */
export interface MadeKey extends Key {
  readonly key: string;
}

/** The numbers among the limits, by their fields, with their names for people. */
export const NUMBERS = [
  ['requests_per_minute', 'Requests per minute'],
  ['tokens_per_minute', 'Tokens per minute'],
  ['concurrent_requests', 'Requests at once'],
  ['budget_day', 'Dollars per day'],
  ['budget_week', 'Dollars per week, from Monday'],
  ['budget_month', 'Dollars per month'],
  ['budget_total', 'Dollars in total'],
] as const satisfies readonly (readonly [keyof Limits, string])[];

export type NumberName = (typeof NUMBERS)[number][0];

/** Those that each tag can have. */
export const TAG_NUMBERS = NUMBERS.filter(([name]) => name !== 'budget_total');

/** The rates of a key or a group in words. */
export function showRates(limits: Limits & Partial<Pick<Key, 'tag_limits'>>): string {
  const said = [
    limits.requests_per_minute !== null && perMinute(limits.requests_per_minute, 'request'),
    limits.tokens_per_minute !== null && perMinute(limits.tokens_per_minute, 'token'),
    limits.concurrent_requests !== null && `${limits.concurrent_requests} at once`,
    limits.model_limits !== null && `${limits.model_limits.length} by model`,
    limits.tag_limits && 'each tag',
    limits.budget_reserve === 'longest' && 'longest reserved',
  ].filter((each) => typeof each === 'string');
  return said.join(', ');
}

function perMinute(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}/min`;
}

/** The models that a key or a group may use, or that a budget covers, in words. */
export function showModels({ models }: Pick<Limits, 'models'>): string {
  return models === null ? 'all' : models.join(', ');
}
