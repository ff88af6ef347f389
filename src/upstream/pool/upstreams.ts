/**
 * All changing state of the vendors: the clock of their timeouts, and the load, the health and the retry budget of
 * their upstreams.
 */

import { openTimeoutClock, type TimeoutClock, type VendorTimeouts } from '../timeout-clock.ts';
import type { Vendor } from '../vendor.ts';
import type { EjectionLimits } from './ejection.ts';
import { Pool } from './pool.ts';
import { makeRetryBudget, type RetryBudget, type RetryBudgetLimits } from './retry-budget.ts';

export interface RetryLimits extends RetryBudgetLimits {
  /** The most retries of one request. */
  readonly limit: number;
  /** The worst failure after which a vendor is asked again. */
  readonly after: 'rejected' | 'reset' | 'failed';
  /** Milliseconds: the longest first wait, and the longest wait. */
  readonly wait: number;
  readonly longest: number;
  /** The longest `Retry-After` that is waited for, in milliseconds. */
  readonly retryAfter: number;
}

export interface UpstreamLimits {
  readonly retries: RetryLimits;
  readonly ejection: EjectionLimits & { readonly lone: boolean };
  readonly timeouts: VendorTimeouts & { readonly pool: number };
}

export interface UpstreamHealth {
  readonly vendor: string;
  /** Its number in the vendor's configuration, from 0. */
  readonly place: string;
  readonly up: boolean;
  /** How often it was ejected since the configuration was loaded. */
  readonly ejections: number;
}

export interface Upstreams {
  readonly retries: RetryLimits;
  readonly timeoutClock: TimeoutClock;
  /** The pool of a vendor's upstreams; undefined if it has only one and there is nothing to count. */
  getPool(vendor: Vendor): Pool | undefined;
  /** The retry budget of an upstream. @param vendor the vendor as it is at one of its upstreams. */
  getRetryBudget(vendor: Vendor): RetryBudget;
  /** The health of each upstream of the vendors that have several. */
  health(): readonly UpstreamHealth[];
  close(): void;
}

/** Makes the state of one gateway's vendors, before any request. */
export function openUpstreams(vendors: readonly Vendor[], limits: UpstreamLimits): Upstreams {
  const { retries, ejection, timeouts } = limits;
  const clock = (): number => performance.now();
  const pools = new Map<Vendor, Pool>();
  const budgets = new Map<Vendor, RetryBudget>();
  for (const vendor of vendors) {
    // Each upstream has its own credential, and never another's.
    const { upstreams, connections = Number.POSITIVE_INFINITY, credentials: _, ...shared } = vendor;
    const members = upstreams?.map(({ weight, ...place }) => ({ vendor: { ...shared, ...place }, weight }));
    if (members === undefined && !Number.isFinite(connections) && !ejection.lone) continue;
    const poolLimits = { connections, wait: timeouts.pool, ejection, ejectsLone: ejection.lone };
    pools.set(vendor, new Pool(members ?? [{ vendor, weight: 1 }], poolLimits, clock));
  }
  const timeoutClock = openTimeoutClock(timeouts);
  return {
    retries,
    timeoutClock,
    getPool: (vendor) => pools.get(vendor),
    getRetryBudget(vendor) {
      const known = budgets.get(vendor);
      if (known !== undefined) return known;
      const made = makeRetryBudget(retries, clock);
      budgets.set(vendor, made);
      return made;
    },
    health: () =>
      Array.from(pools, ([vendor, pool]) =>
        pool.state().map(({ well, ejections }, place) => ({
          vendor: vendor.name,
          place: `${place}`,
          up: well,
          ejections,
        })),
      ).flat(),
    close: () => timeoutClock.close(),
  };
}
