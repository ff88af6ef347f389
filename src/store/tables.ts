/** The tables of the store, the same in SQLite and in PostgreSQL. Times are milliseconds since 1970, UTC. */

export interface Tables {
  readonly gateway_keys: KeyRow;
  readonly gateway_groups: GroupRow;
  readonly gateway_changes: ChangeRow;
  readonly gateway_exchanges: ExchangeRow;
  readonly gateway_usage_days: UsageDayRow;
  readonly gateway_usage_tags: UsageTagRow;
  readonly gateway_usage_groups: UsageGroupRow;
  readonly gateway_stored: StoredRow;
}

/** A key: never itself, only its hash. */
export interface KeyRow extends KeyColumns {
  readonly id: string;
  /** Unique among the keys not revoked. What usage is kept under, so it never changes. */
  readonly name: string;
  /** How the key begins, for people to tell keys apart. */
  readonly hint: string;
  /** SHA-256, hex. */
  readonly hash: string;
  /** The hash before the last rotation, and until when it still opens. */
  readonly old_hash: string | null;
  readonly old_until: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** The change that has made it what it is, by the number of ChangeRow's `by_row`. */
  readonly change: number;
}

/** What may be set of a key, and changed. null is: no such limit. */
export interface KeyColumns extends LimitColumns {
  readonly expires_at: number | null;
  /** The name of its group. There is one, for no group is deleted that a key is of. */
  readonly group_name: string | null;
}

/** Keys that have limits in common. */
export interface GroupRow extends LimitColumns {
  /** What usage is kept under, so it never changes. */
  readonly name: string;
  readonly created_at: number;
  /** The change that has made it what it is, as a key's. */
  readonly change: number;
}

/** What a key may use, or all keys of a group together. null is: no such limit. */
export interface LimitColumns {
  /** A JSON list. */
  readonly models: string | null;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrent_requests: number | null;
  /** US dollars, for a day and a month of UTC. */
  readonly budget_day: number | null;
  readonly budget_month: number | null;
  /** A JSON list of limits for some models, as the admin API has them. */
  readonly model_limits: string | null;
  /** One of STORED; null is: as `storedUnlessSaid`. */
  readonly stored: string | null;
}

/** Something at a vendor's that an answer has made, and the key whose answer that was. */
export interface StoredRow {
  /** As the vendor calls it. */
  readonly id: string;
  /** The key's name. */
  readonly key: string;
  readonly made_at: number;
}

/**
 * A number that is another one after every change of what it is named for: how running processes learn of it. A change of
 * a group counts as one of keys.
 */
export interface ChangeRow {
  readonly name: string;
  readonly version: number;
  /** How many changes there were whose row says which it was: all but those of processes of an earlier version. */
  readonly by_row: number;
}

/** An exchange. `batch` and `place` say in which write, and where in it: what is written twice counts once. */
export interface ExchangeRow {
  readonly batch: string;
  readonly place: number;
  readonly id: string;
  readonly time: number;
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly key: string;
  /** The group that the key was of then; null where it was of none. */
  readonly group_name: string | null;
  /** null where the caller named none. */
  readonly tag: string | null;
  /** '' where none was resolved, and so with `vendor`. */
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
  /** US dollars; null where the vendor told no usage. */
  readonly cost: number | null;
  /** What it cost beyond what the vendor told, estimated; null where that is nothing. */
  readonly estimated_cost: number | null;
  readonly attempts: number;
}

/** The exchanges of one day, key, model and vendor, summed up: kept when the exchanges themselves are not. */
export interface UsageDayRow extends UsageSums {
  readonly day: string;
  readonly key: string;
  readonly model: string;
  readonly vendor: string;
}

/** The same, of those exchanges of them that had one tag. */
export interface UsageTagRow extends UsageDayRow {
  readonly tag: string;
}

/** The same, of those exchanges of them whose key was of one group. */
export interface UsageGroupRow extends UsageDayRow {
  readonly group_name: string;
}

export interface UsageSums {
  readonly requests: number;
  /** Those answered by a status of 400 or more, or broken off by a vendor. */
  readonly errors: number;
  /** Those a vendor worked on without telling usage: their cost is not known, so it is in no sum. */
  readonly uncounted: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cost: number;
  /** What answers cost beyond what vendors told, estimated. */
  readonly estimated_cost: number;
  /** Milliseconds, all together. */
  readonly duration: number;
  /** Of the exchanges that had a first byte: the milliseconds to it, and how many those are. */
  readonly first_byte: number;
  readonly first_bytes: number;
}

/** What the sums of a day are of. */
export const USAGE_DAY = ['day', 'key', 'model', 'vendor'] as const satisfies readonly (keyof UsageDayRow)[];

/** The columns that are sums, each adding up by itself. */
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
