/** What happens after a vendor fails: retries, and upstreams that are skipped for a while. */

import { z } from 'zod';
import { milliseconds } from './durations.ts';

/** Which requests are retried, and when. A request is never retried once the caller has received a part of its answer. */
export const retriesSchema = z.strictObject({
  /** How many further requests to vendors one request may cost: to other upstreams, for other models, or repeated. */
  limit: z.number().int().min(0).max(2).default(1),
  /**
   * After which failures a request is retried.
   * `rejected`: the vendor did nothing, because it was not reached or said so (408, 409, 429 with Retry-After, 503, 529).
   * `reset`: also if the connection closed without a byte of an answer. The vendor may have worked on it, and bill it.
   * `failed`: also after 500, 502, 504, a timeout, and an answer that broke off before its first event.
   */
  after: z.enum(['rejected', 'reset', 'failed']).default('reset'),
  /** The wait before a retry at the same upstream is random, up to this value, which doubles each time, up to `longest`. */
  wait: milliseconds.default(250),
  /** The longest wait before a retry. */
  longest: milliseconds.default(2_000),
  /** A longer `Retry-After` is passed to the caller instead of waited for. */
  retryAfter: milliseconds.default(5_000),
  /** The share of an upstream's requests that may be retries. */
  share: z.number().min(0).max(1).default(0.1),
  /** How many retries a second are allowed in any case. */
  perSecond: z.number().nonnegative().default(3),
});

/** When one of several upstreams of a vendor is skipped for a while. */
export const ejectionSchema = z.strictObject({
  /** Failures in a row after which it is skipped. 0: never. */
  failures: z.number().int().nonnegative().default(5),
  /** The share of failures after which it is skipped, among at least `requests` requests in `window`. 1: never. */
  share: z.number().gt(0).max(1).default(0.5),
  /** How many requests `share` needs. */
  requests: z.number().int().positive().default(20),
  /** The time over which `share` is counted. */
  window: milliseconds.min(1).default(30_000),
  /** For how long it is skipped. If it fails again at once, two times, three times as long, up to `longest`. */
  duration: milliseconds.min(1).default(30_000),
  /** For how long it is skipped at most. */
  longest: milliseconds.min(1).default(300_000),
  /** Whether a vendor's only upstream is skipped too: its callers then get a 503 at once. */
  lone: z.boolean().default(false),
});
