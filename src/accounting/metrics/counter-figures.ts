/** The figures that are counted of exchanges: plain data, which a structured clone takes to another thread. */

/** Upper bounds in seconds: from a short cached answer to the ten minutes that a vendor may take by default. */
export const DURATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640] as const;

export const FIRST_BYTE_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

export const TOKEN_TYPES = ['input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

/** The figures of a histogram: how many values fell into each bucket, and their sum. */
export interface Buckets {
  readonly bounds: readonly number[];
  /** One for each bound, and one for the values above the last. */
  readonly counts: Float64Array;
  sum: number;
}

/** How often something with these labels has happened. */
export interface CountSeries<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  count: number;
}

export type RequestSeries = CountSeries<'format' | 'model' | 'vendor' | 'status' | 'outcome' | 'streamed'>;

export type ErrorSeries = CountSeries<'fault' | 'format' | 'vendor'>;

/** Requests for a model that could not answer, so that a fallback was asked. */
export type FallbackSeries = CountSeries<'model' | 'vendor' | 'fault' | 'fallback'>;

/** Repairs of requests that a vendor refused. */
export type RepairSeries = CountSeries<'repair' | 'model' | 'vendor'>;

export interface ModelSeries {
  readonly labels: Readonly<Record<'model' | 'vendor', string>>;
  readonly tokens: Record<TokenType, number>;
  cost: number;
  /** An estimate of what answers cost beyond that. */
  estimated: number;
  /** Answers whose cost is unknown. */
  uncounted: number;
  attempts: number;
  readonly duration: Buckets;
  readonly firstByte: Buckets;
}

/** The recent success of a vendor. */
export interface VendorSeries {
  readonly vendor: string;
  /** Failures since its last success. */
  failuresInARow: number;
}

/** All figures. */
export interface CounterFigures {
  readonly requests: readonly RequestSeries[];
  /** Only exchanges for which a vendor was asked have a model here. */
  readonly models: readonly ModelSeries[];
  readonly errors: readonly ErrorSeries[];
  readonly fallbacks: readonly FallbackSeries[];
  readonly repairs: readonly RepairSeries[];
  readonly vendors: readonly VendorSeries[];
  /** Violations of a format's rules in the gateway's own streams. */
  readonly violations: number;
}

export const NO_FIGURES: CounterFigures = {
  requests: [],
  models: [],
  errors: [],
  fallbacks: [],
  repairs: [],
  vendors: [],
  violations: 0,
};
