/** Reports the outcome of an exchange, and how its body ends, to the health of its upstream. */

import type { Operation } from '../../conversation/prompt.ts';
import { isStored } from '../../conversation/route.ts';
import { type Fault, type GatewayError, isVendorError } from '../../lib/errors.ts';
import type { Lease } from '../../upstream/pool/pool.ts';
import type { Ending } from '../../upstream/upstream-answer.ts';

/** The vendor's faults that do not pass by themselves, unless another account may do what this one may not. */
const SURE_FAILURES = new Set<Fault>(['upstream-auth', 'quota-exceeded']);

/** How long to skip an upstream that is over a limit and does not say for how long, in milliseconds. */
const COOLDOWN = 1_000;

/** The longest time to skip it, in milliseconds: limits are raised, and accounts topped up, sooner than was said. */
const MAX_COOLDOWN = 60_000;

export interface OutcomeReporter {
  /** The attempt ended in an answer or an error. Called once. */
  settle(error: GatewayError | undefined): void;
  /** The exchange is over. Called once, before or after `settle`, and never if there was no exchange. */
  ended(how: Ending): void;
}

/**
 * Whether a key may lack the permission for an operation, and still ask models for answers: OpenAI's keys have scopes
 * ("Missing scopes: api.responses.read"), and AWS has an action of its own for the counting of tokens.
 */
function hasOwnPermission(operation: Operation): boolean {
  return operation === 'count-tokens' || isStored(operation);
}

/** Reports one exchange at the upstream of a lease, and releases the lease at its end. */
export function reportOutcome(lease: Lease, operation: Operation): OutcomeReporter {
  let answers = false;
  let ending: Ending | undefined;
  /** An error that came before the end of the exchange was known. */
  let early: GatewayError | undefined;
  const settle = (): void => {
    if (answers && ending === 'whole') lease.succeed();
    if (answers && ending === 'broken') lease.fail('somehow');
  };
  const report = (error: GatewayError): void => {
    // The upstream is not to blame for what the caller did not wait for. But only the vendor reports a rate limit, and a
    // stream that begins with that error is cancelled for it.
    if (ending === 'left' && error.fault !== 'rate-limited') return;
    if (error.concerns !== 'caller' && !blame(lease, error, operation)) answered();
  };
  const answered = (): void => {
    answers = true;
    lease.markAnswered();
    settle();
  };
  return {
    settle(error) {
      if (error === undefined) answered();
      else if (ending !== undefined) report(error);
      else {
        // Nothing was sent, and the upstream is not to blame; or the exchange is just about to end.
        early = error;
        lease.release();
      }
    },
    ended(how) {
      ending = how;
      lease.release();
      if (early === undefined) settle();
      else report(early);
    },
  };
}

/** Reports an error for which the upstream is to blame. @returns false if it is not: it has answered. */
function blame(lease: Lease, error: GatewayError, operation: Operation): boolean {
  if (error.fault === 'upstream-auth' && hasOwnPermission(operation)) lease.coolDown(MAX_COOLDOWN);
  else if (error.concerns === 'model') lease.coolDown(MAX_COOLDOWN);
  else if (SURE_FAILURES.has(error.fault)) lease.fail(error.loss === 'elsewhere' ? 'somehow' : 'surely');
  else if (error.fault === 'upstream-overloaded') lease.fail('overloaded');
  else if (isVendorError(error.fault)) lease.fail('somehow');
  else if (error.fault === 'rate-limited') lease.coolDown(restAfter(error));
  else return false;
  return true;
}

function restAfter({ retryAfter = 0 }: GatewayError): number {
  return Math.min(retryAfter * 1000 || COOLDOWN, MAX_COOLDOWN);
}
