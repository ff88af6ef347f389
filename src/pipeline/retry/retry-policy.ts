/** Whether a vendor is asked again after a failure, and when. */

import type { GatewayError } from '../../lib/errors.ts';
import type { RetryLimits } from '../../upstream/pool/upstreams.ts';

/**
 * How much work a failure may have wasted, from none to that of a whole answer (see `retries.after` in the
 * configuration). `elsewhere`: none, but only another upstream or another model is worth a try.
 */
export type Loss = NonNullable<GatewayError['loss']> | 'failed';

const ORDER = ['rejected', 'reset', 'failed'];

/** Classifies an error. @returns undefined if the request itself was at fault, as for its length. */
export function getLoss(error: GatewayError): Loss | undefined {
  if (error.loss !== undefined) return error.loss;
  switch (error.fault) {
    case 'rate-limited':
    case 'upstream-overloaded':
    case 'conflict':
      return 'rejected';
    case 'upstream-broken':
    case 'upstream-timeout':
      return 'failed';
    // The vendor refuses the gateway's key, its account has no credit left, or it has no such model, which may be
    // retired.
    case 'upstream-auth':
    case 'quota-exceeded':
    case 'model-not-found':
      return 'elsewhere';
    default:
      return undefined;
  }
}

/** Whether the same vendor may be asked again after such a loss. @param worst the worst loss after which it may. */
export function mayRetry(loss: Loss, worst: RetryLimits['after']): boolean {
  const at = ORDER.indexOf(loss);
  return at >= 0 && at <= ORDER.indexOf(worst);
}

/**
 * Milliseconds to wait before the same upstream is asked again; undefined if that is too long, or of no use. If the
 * vendor asks for a wait, it is that and a little more; otherwise it is random, so that callers who failed together do
 * not come back together ("full jitter").
 * @param made the number of attempts so far.
 */
export function waitBefore(
  { fault, retryAfter }: GatewayError,
  made: number,
  { wait, longest, retryAfter: maxRetryAfter }: RetryLimits,
  random: () => number = Math.random,
): number | undefined {
  const jitter = random() * Math.min(longest, wait * 2 ** (made - 1));
  if (retryAfter !== undefined)
    return retryAfter * 1000 <= maxRetryAfter ? retryAfter * 1000 + jitter : undefined;
  // A rate limit without a time may be one of credit.
  return fault === 'rate-limited' ? undefined : jitter;
}
