/**
 * How many retries an upstream can bear: a share of its requests, so that as many requests again do not make an outage
 * worse (the token bucket of Finagle, tower and Linkerd). It needs no timer, because it reads the clock when it is
 * used.
 */

export interface RetryBudgetLimits {
  /** What each request adds to the bucket. */
  readonly share: number;
  /** What each second adds. */
  readonly perSecond: number;
}

export interface RetryBudget {
  /** A request was sent that is not a retry. */
  deposit(): void;
  /** Takes a retry out of the bucket. @returns false if there is none left. */
  withdraw(): boolean;
}

/** The bucket holds at most what so many seconds add: retries saved up in quiet hours would feed a storm. */
const HELD_SECONDS = 10;

/** But it can always hold so many requests' worth. */
const HELD_REQUESTS = 100;

/** Makes the budget of one upstream, with a full bucket. @param clock milliseconds, monotonic. */
export function makeRetryBudget({ share, perSecond }: RetryBudgetLimits, clock: () => number): RetryBudget {
  const max = Math.max(perSecond * HELD_SECONDS, share * HELD_REQUESTS);
  let held = max;
  let seen = clock();
  return {
    deposit() {
      held = Math.min(max, held + share);
    },
    withdraw() {
      const now = clock();
      held = Math.min(max, held + ((now - seen) / 1000) * perSecond);
      seen = now;
      if (held < 1) return false;
      held -= 1;
      return true;
    },
  };
}
