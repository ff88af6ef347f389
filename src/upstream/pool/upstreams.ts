/** All that changes while vendors are asked: how long each is waited for, how busy and how well its upstreams are. */

import { openTimeoutClock, type TimeoutClock, type VendorTimeouts } from '../timeout-clock.ts';
import type { Vendor } from '../vendor.ts';
import { type Budget, type BudgetLimits, budgetOf } from './budget.ts';
import type { EjectionLimits } from './ejection.ts';
import { type Pool, poolOf } from './pool.ts';

export interface RetryLimits extends BudgetLimits {
  /** Requests beyond the first that one request may cost. */
  readonly limit: number;
  /** The worst failure after which a vendor is asked again. */
  readonly after: 'rejected' | 'reset' | 'failed';
  /** Milliseconds: the first wait at most, and any wait at most. */
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
  /** Which of the vendor's, by its number in the configuration, from 0. */
  readonly place: string;
  readonly up: boolean;
  /** How often it came to be left alone since the configuration is in force. */
  readonly ejections: number;
}

export interface Upstreams {
  readonly retries: RetryLimits;
  readonly timeoutClock: TimeoutClock;
  /** The upstreams of a vendor; undefined where it has one, and nothing is to be counted. */
  poolOf(vendor: Vendor): Pool | undefined;
  /** @param vendor as it is asked: at one of its upstreams. */
  budgetOf(vendor: Vendor): Budget;
  /** Whether each upstream of the vendors that have several is asked, or left alone. */
  health(): readonly UpstreamHealth[];
  close(): void;
}

/** The state of one gateway's vendors, as it is before any has been asked. */
export function openUpstreams(vendors: readonly Vendor[], limits: UpstreamLimits): Upstreams {
  const { retries, ejection, timeouts } = limits;
  const clock = (): number => performance.now();
  const pools = new Map<Vendor, Pool>();
  const budgets = new Map<Vendor, Budget>();
  for (const vendor of vendors) {
    // What one of several is shown is no other's.
    const { upstreams, connections = Number.POSITIVE_INFINITY, credentials: _, ...shared } = vendor;
    const members = upstreams?.map(({ weight, ...place }) => ({ vendor: { ...shared, ...place }, weight }));
    if (members === undefined && !Number.isFinite(connections) && !ejection.lone) continue;
    const poolLimits = { connections, wait: timeouts.pool, ejection, ejectsLone: ejection.lone };
    pools.set(vendor, poolOf(members ?? [{ vendor, weight: 1 }], poolLimits, clock));
  }
  const timeoutClock = openTimeoutClock(timeouts);
  return {
    retries,
    timeoutClock,
    poolOf: (vendor) => pools.get(vendor),
    budgetOf(vendor) {
      const known = budgets.get(vendor);
      if (known !== undefined) return known;
      const made = budgetOf(retries, clock);
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
