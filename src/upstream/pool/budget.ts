/**
 * How many retries an upstream can stand: a share of its requests, so that an outage is not made worse by as many
 * requests again (the token bucket of Finagle, tower and Linkerd). Without a timer: time is looked at when it is asked.
 */

export interface BudgetLimits {
  /** What a request adds to the bucket. */
  readonly share: number;
  /** What a second adds. */
  readonly perSecond: number;
}

export interface Budget {
  /** A request has been sent that is no retry. */
  deposit(): void;
  /** Takes a retry out of the bucket. @returns false where there is none left. */
  withdraw(): boolean;
}

/** The bucket holds what so many seconds add: what was saved up in quiet hours would feed a storm. */
const HELD_SECONDS = 10;

/** And at least so many requests' worth. */
const HELD_REQUESTS = 100;

/** @param clock milliseconds, monotonic. */
export function budgetOf({ share, perSecond }: BudgetLimits, clock: () => number): Budget {
  const most = Math.max(perSecond * HELD_SECONDS, share * HELD_REQUESTS);
  let held = most;
  let seen = clock();
  return {
    deposit() {
      held = Math.min(most, held + share);
    },
    withdraw() {
      const now = clock();
      held = Math.min(most, held + ((now - seen) / 1000) * perSecond);
      seen = now;
      if (held < 1) return false;
      held -= 1;
      return true;
    },
  };
}
