/** What an upstream's health learns of an exchange: from its outcome, and from how its body ends. */

import { type Fault, type GatewayError, isVendors } from '../../lib/errors.ts';
import type { Lease } from '../../upstream/pool/pool.ts';
import type { Ending } from '../../upstream/send.ts';

/** Of the vendor's faults, those that will not pass, unless another account may do what this one may not. */
const SURE_FAILURES = new Set<Fault>(['upstream-auth', 'quota-exceeded']);

/** How long an upstream is left alone that is over a limit and does not say for how long, in milliseconds. */
const REST = 1_000;

/** And at most, for limits are raised, and money is paid, sooner than was said. */
const LONGEST_REST = 60_000;

export interface OutcomeReporter {
  /** The attempt came to an answer, or to an error. Called once. */
  settle(error: GatewayError | undefined): void;
  /** The exchange is over. Called once, before `judge` or after, and never where it did not come to one. */
  ended(how: Ending): void;
}

/** Follows one exchange at the upstream of a lease, which is let go at its end. */
export function reportOutcome(lease: Lease): OutcomeReporter {
  let answers = false;
  let ending: Ending | undefined;
  const settle = (): void => {
    if (answers && ending === 'whole') lease.succeed();
    if (answers && ending === 'broken') lease.fail('somehow');
  };
  return {
    settle(error) {
      // Of what was never sent, or what nobody waited for, it is not to blame. But that there is a limit only the vendor
      // says, and its stream is left for that where it says so in one.
      const isLeft = ending === 'left' && error?.fault !== 'rate-limited';
      if (error !== undefined && (ending === undefined || isLeft)) {
        lease.release();
      } else if (error !== undefined && SURE_FAILURES.has(error.fault))
        lease.fail(error.loss === 'elsewhere' ? 'somehow' : 'surely');
      else if (error?.fault === 'upstream-overloaded') lease.fail('overloaded');
      else if (error !== undefined && isVendors(error.fault)) lease.fail('somehow');
      else if (error?.fault === 'rate-limited') lease.rest(restAfter(error));
      else {
        answers = true;
        lease.answer();
        settle();
      }
    },
    ended(how) {
      ending = how;
      lease.release();
      settle();
    },
  };
}

function restAfter({ retryAfter = 0 }: GatewayError): number {
  return Math.min(retryAfter * 1000 || REST, LONGEST_REST);
}
