/** Keeps a request to the limits of its key and group: in all, of its tag, and for its model. */

import { isLimited, isLimitedByModel } from '../access/limits/limited.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Stage } from '../streams/chain.ts';
import type { Admitted, Routed } from './exchange.ts';
import { admitFallbacks, withAllFallbacks } from './model/admit-fallbacks.ts';
import { findEndUser } from './request/end-user.ts';

/**
 * Makes the stage that refuses what is over a limit of the key or its group. A request passes at once if neither has
 * any.
 * @throws GatewayError
 */
export function limit(limits: Limits | undefined): Stage<Admitted, Admitted> {
  return (admitted) => {
    if (limits === undefined || !isLimited(admitted.principal)) return admitted;
    const allowed = limits.admit(admitted);
    return allowed instanceof Promise
      ? allowed.then((passed) => ({ ...admitted, ...passed }))
      : { ...admitted, ...allowed };
  };
}

/**
 * Makes the stage that refuses what is over a limit of its tag. A request passes at once if its key has no such limits.
 * @throws GatewayError `rate-limited` or `quota-exceeded`.
 */
export function limitTag(limits: Limits | undefined): Stage<Routed, Routed> {
  return (routed) => {
    const { principal, ledger } = routed;
    if (limits === undefined || principal.tagLimits === undefined) return routed;
    const tag = limits.boundTag(principal.name, ledger.tag ?? findEndUser(routed));
    // What it uses is recorded under the tag that it counts for.
    ledger.tag = tag;
    const allowed = limits.admitTag(routed, tag);
    return allowed instanceof Promise
      ? allowed.then((passed) => withAllFallbacks(routed, passed))
      : withAllFallbacks(routed, allowed);
  };
}

/**
 * Makes the stage that refuses what is over a limit for the model. A request passes at once if nothing is limited by
 * model.
 * @throws GatewayError `rate-limited` or `quota-exceeded`.
 */
export function limitModel(limits: Limits | undefined, { otherNames }: Catalog): Stage<Routed, Routed> {
  /** Admits a request. Each of its fallbacks is a request for another model, and must fit the limits for that one. */
  async function admit(limited: Limits, routed: Routed): Promise<Routed> {
    const { principal, model, otherModels = [], ledger } = routed;
    const asked = { model: model.id, otherModels, otherNames };
    const allowed = await limited.admitModel(routed, asked);
    // A fallback is charged in place of the model that has failed.
    ledger.modelLimits = limited.placesByModel(principal, asked);
    return admitFallbacks({ ...routed, ...allowed }, (fallback) => admit(limited, fallback));
  }

  return (routed) =>
    limits === undefined || !isLimitedByModel(routed.principal) ? routed : admit(limits, routed);
}
