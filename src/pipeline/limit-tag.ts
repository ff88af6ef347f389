/** Keeps each tag, or each end user, of a key to the limits that the key has for them. */

import type { Limits } from '../access/limits/limits.ts';
import type { Stage } from '../streams/chain.ts';
import type { Routed } from './exchange.ts';
import { withAllFallbacks } from './model/admit-fallbacks.ts';
import { findEndUser } from './request/end-user.ts';

/**
 * Makes the stage that refuses what is over a limit of its tag. A request passes at once if its key has no such limits.
 * @throws GatewayError `rate-limited` or `quota-exceeded`.
 */
export function limitTag(limits: Limits | undefined): Stage<Routed, Routed> {
  return (routed) => {
    const { principal, response, route, standings, ledger } = routed;
    if (limits === undefined || principal.tagLimits === undefined) return routed;
    const tag = limits.boundTag(principal.name, ledger.tag ?? findEndUser(routed));
    // What it uses is recorded under the tag that it counts for.
    ledger.tag = tag;
    const allowed = limits.admitTag(principal, tag, response, route.format, standings);
    return allowed instanceof Promise
      ? allowed.then((passed) => withAllFallbacks(routed, passed))
      : withAllFallbacks(routed, allowed);
  };
}
