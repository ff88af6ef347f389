/** Whether a vendor is asked again after a failure, and when. */

import type { GatewayError } from '../../lib/errors.ts';
import type { RetryLimits } from '../../upstream/pool/upstreams.ts';

/**
 * How much is lost by a failure, from nothing to what a whole answer costs (see the configuration's `retries.after`);
 * `elsewhere`: nothing, but only another upstream, or another model, is worth a try.
 */
export type Loss = NonNullable<GatewayError['loss']> | 'failed';

const ORDER = ['rejected', 'reset', 'failed'];

/** Undefined where the request itself was at fault: it would fail anywhere. */
export function lossOf(error: GatewayError): Loss | undefined {
  if (error.loss !== undefined) return error.loss;
  switch (error.fault) {
    case 'rate-limited':
    case 'upstream-overloaded':
    case 'conflict':
      return 'rejected';
    case 'upstream-broken':
    case 'upstream-timeout':
      return 'failed';
    // The gateway's key there is refused, or has no money left, or no such model, which may be retired.
    case 'upstream-auth':
    case 'quota-exceeded':
    case 'model-not-found':
      return 'elsewhere';
    default:
      return undefined;
  }
}

/** Whether the same vendor may be asked again after such a loss. */
export function mayRetry(loss: Loss, worst: RetryLimits['after']): boolean {
  const at = ORDER.indexOf(loss);
  return at >= 0 && at <= ORDER.indexOf(worst);
}

/**
 * Milliseconds to wait before the same upstream is asked again; undefined where that is too long, or of no use.
 * What the vendor asks for is waited for and a little more; else it is random, so that callers who failed together do
 * not come back together ("full jitter").
 * @param made attempts so far.
 */
export function waitBefore(
  { fault, retryAfter }: GatewayError,
  made: number,
  { wait, longest, retryAfter: most }: RetryLimits,
  random: () => number = Math.random,
): number | undefined {
  const jitter = random() * Math.min(longest, wait * 2 ** (made - 1));
  if (retryAfter !== undefined) return retryAfter * 1000 <= most ? retryAfter * 1000 + jitter : undefined;
  // A limit of which nobody says when it is over may be one of money.
  return fault === 'rate-limited' ? undefined : jitter;
}
