/** The figures that are counted of exchanges: plain data, which a structured clone takes to another thread. */

/** Upper bounds in seconds: from a cached short answer to the ten minutes that a vendor may take by default. */
export const DURATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640] as const;

export const FIRST_BYTE_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

export const TOKEN_TYPES = ['input', 'output', 'reasoning', 'cache_read', 'cache_write'] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

/** A histogram's figures: how many values fell into each bucket, and their sum. */
export interface Buckets {
  readonly bounds: readonly number[];
  /** One a bound, and one for what is above the last. */
  readonly counts: Float64Array;
  sum: number;
}

export interface RequestSeries {
  readonly labels: Readonly<
    Record<'format' | 'model' | 'vendor' | 'status' | 'outcome' | 'streamed', string>
  >;
  count: number;
}

export interface ModelSeries {
  readonly labels: Readonly<Record<'model' | 'vendor', string>>;
  readonly tokens: Record<TokenType, number>;
  cost: number;
  /** What answers cost beyond it, estimated. */
  estimated: number;
  /** Answers whose cost nobody knows. */
  uncounted: number;
  attempts: number;
  readonly duration: Buckets;
  readonly firstByte: Buckets;
}

export interface ErrorSeries {
  readonly labels: Readonly<Record<'fault' | 'format' | 'vendor', string>>;
  count: number;
}

/** Requests for a model that could not answer, so that another was asked in its place. */
export interface FallbackSeries {
  readonly labels: Readonly<Record<'model' | 'vendor' | 'fault' | 'fallback', string>>;
  count: number;
}

/** How a vendor has been doing. */
export interface VendorSeries {
  readonly vendor: string;
  /** Failures since it last did as it was asked. */
  failuresInARow: number;
}

/** All that was counted: plain data, which another thread can have. */
export interface CounterFigures {
  readonly requests: readonly RequestSeries[];
  /** Only exchanges of which a vendor was asked have a model here. */
  readonly models: readonly ModelSeries[];
  readonly errors: readonly ErrorSeries[];
  readonly fallbacks: readonly FallbackSeries[];
  readonly vendors: readonly VendorSeries[];
  /** Rules of a format that streams of ours have broken. */
  readonly violations: number;
}

export const NO_FIGURES: CounterFigures = {
  requests: [],
  models: [],
  errors: [],
  fallbacks: [],
  vendors: [],
  violations: 0,
};
