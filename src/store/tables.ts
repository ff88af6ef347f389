/** The tables of the store, the same in SQLite and in PostgreSQL. Times are in milliseconds since 1970, UTC. */

export interface Tables {
  readonly gateway_keys: KeyRow;
  readonly gateway_groups: GroupRow;
  readonly gateway_changes: ChangeRow;
  readonly gateway_exchanges: ExchangeRow;
  readonly gateway_usage_days: UsageDayRow;
  readonly gateway_usage_tags: UsageTagRow;
  readonly gateway_usage_groups: UsageDayRow & { readonly group_name: string };
  readonly gateway_stored: StoredRow;
  readonly gateway_spent: SpentRow;
  readonly gateway_audit: AuditRow;
  readonly gateway_secrets: SecretRow;
  readonly gateway_usage_months: UsageMonthRow;
  readonly gateway_usage_tag_months: UsageMonthRow & { readonly tag: string };
  readonly gateway_usage_group_months: UsageMonthRow & { readonly group_name: string };
  readonly gateway_usage_models: Omit<UsageDayRow, 'key'>;
}

/** A random secret of the gateway itself. */
export interface SecretRow {
  readonly name: string;
  /** In base64url. */
  readonly value: string;
}

/** A key. Only its hash is stored. */
export interface KeyRow extends KeyColumns {
  readonly id: string;
  /** Unique among the keys that are not revoked. Usage is recorded under it, so it never changes. */
  readonly name: string;
  /** The first characters of the key, by which people tell keys apart. */
  readonly hint: string;
  /** SHA-256, in hex. */
  readonly hash: string;
  /** The hash before the last rotation, and until when it still works. */
  readonly old_hash: string | null;
  readonly old_until: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** The number of the change that made this row what it is, from `by_row` of ChangeRow. */
  readonly change: number;
}

/** The columns of a key that can be set and changed. null means no limit. */
export interface KeyColumns extends LimitColumns {
  readonly expires_at: number | null;
  /** Limits for each of its tags: a JSON object, as the admin API has it. */
  readonly tag_limits: string | null;
  /** The name of its group. The group exists: no group is deleted while a key belongs to it. */
  readonly group_name: string | null;
}

/** A group: keys that share limits. */
export interface GroupRow extends LimitColumns {
  /** Usage is recorded under it, so it never changes. */
  readonly name: string;
  readonly created_at: number;
  /** The number of the change that made this row what it is, as for a key. */
  readonly change: number;
}

/** What a key, or all keys of a group together, may use. null means no limit. */
export interface LimitColumns {
  /** A JSON array. */
  readonly models: string | null;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrent_requests: number | null;
  /** US dollars per day, week and month, and in total. */
  readonly budget_day: number | null;
  readonly budget_week: number | null;
  readonly budget_month: number | null;
  readonly budget_total: number | null;
  /** One of BUDGET_RESERVES; null means `typical`. */
  readonly budget_reserve: string | null;
  /** A JSON array of limits for some models, as the admin API has them. */
  readonly model_limits: string | null;
  /** One of STORED; null means `defaultStoredScope`. */
  readonly stored: string | null;
}

/** An object at a vendor, and the key whose response created it. */
export interface StoredRow {
  /** The vendor's id. */
  readonly id: string;
  /** The key's name. */
  readonly key: string;
  readonly made_at: number;
}

/**
 * A number that changes with every change of what the row is named for; running processes watch it. A change to a group
 * counts as a change to keys.
 */
export interface ChangeRow {
  readonly name: string;
  readonly version: number;
  /** The number of changes whose row says which change it was: all but those by processes of an earlier version. */
  readonly by_row: number;
}

/**
 * An exchange. `batch` and `place` say in which write and where in it: an exchange that is written twice counts once.
 */
export interface ExchangeRow {
  readonly batch: string;
  readonly place: number;
  readonly id: string;
  readonly time: number;
  /** YYYY-MM-DD, in the configured time zone. */
  readonly day: string;
  readonly key: string;
  /** The group of the key at that time; null if it had none. */
  readonly group_name: string | null;
  /** null if the caller sent none. */
  readonly tag: string | null;
  /** '' if none was resolved; the same goes for `vendor`. */
  readonly model: string;
  readonly vendor: string;
  readonly format: string;
  readonly spoken: string | null;
  readonly operation: string;
  /** 1 or 0. */
  readonly streamed: number;
  readonly status: number;
  readonly outcome: string;
  readonly fault: string | null;
  /** Milliseconds. */
  readonly duration: number;
  readonly first_byte: number | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
  readonly cache_read: number | null;
  readonly cache_write: number | null;
  readonly cache_write_hour: number | null;
  /** US dollars; null if the vendor reported no usage. */
  readonly cost: number | null;
  /** An estimate of what it cost beyond what the vendor reported; null if that is nothing. */
  readonly estimated_cost: number | null;
  readonly attempts: number;
  /** The vendor's own id of its last answer; null if it gave none. */
  readonly upstream_id: string | null;
  /** The names of the repairs of the request, comma-separated and in order; null if there were none. */
  readonly repairs: string | null;
}

/** The sums of the exchanges of one day, key, model and vendor. They are kept after the exchanges are deleted. */
export interface UsageDayRow extends UsageSums {
  readonly day: string;
  readonly key: string;
  readonly model: string;
  readonly vendor: string;
}

/** An entry of the audit trail. */
export interface AuditRow {
  /** Later entries have a higher id. */
  readonly id: string;
  readonly time: number;
  /** One of AUDIT_SOURCES. */
  readonly via: string;
  readonly actor: string | null;
  readonly address: string | null;
  /** One of AUDIT_ACTIONS. */
  readonly action: string;
  readonly target: string;
  readonly target_id: string | null;
  /** JSON objects, as the admin API shows the key or the group. */
  readonly before: string | null;
  readonly after: string | null;
}

/** What a key or a group has ever spent on a model. It is kept after the sums of the days are deleted. */
export interface SpentRow {
  /** `key` or `group`. */
  readonly holder: string;
  readonly name: string;
  readonly model: string;
  /** US dollars, estimates included. */
  readonly cost: number;
}

/** The same sums of one month. */
export interface UsageMonthRow extends Omit<UsageDayRow, 'day'> {
  /** YYYY-MM. */
  readonly month: string;
}

/** The same sums, of the exchanges with one tag. */
export interface UsageTagRow extends UsageDayRow {
  readonly tag: string;
}

export interface UsageSums {
  readonly requests: number;
  /** Exchanges with a status of 400 or more, or that a vendor cut off. */
  readonly errors: number;
  /** Exchanges that a vendor worked on without reporting usage. Their cost is unknown, so it is in no sum. */
  readonly uncounted: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cost: number;
  /** Estimates of what answers cost beyond what vendors reported. */
  readonly estimated_cost: number;
  /** Milliseconds, in total. */
  readonly duration: number;
  /** Milliseconds to the first byte in total, and how many exchanges had a first byte. */
  readonly first_byte: number;
  readonly first_bytes: number;
}

/** The columns by which the sums of a day are grouped. */
export const USAGE_DAY = ['day', 'key', 'model', 'vendor'] as const satisfies readonly (keyof UsageDayRow)[];

/** The columns that hold sums. */
export const USAGE_SUMS = [
  'requests',
  'errors',
  'uncounted',
  'input',
  'output',
  'reasoning',
  'cache_read',
  'cache_write',
  'cost',
  'estimated_cost',
  'duration',
  'first_byte',
  'first_bytes',
] as const satisfies readonly (keyof UsageSums)[];
