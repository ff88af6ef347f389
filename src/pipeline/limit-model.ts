/** Keeps a key and its group to their limits for the requested model. */

import { isLimitedByModel } from '../access/limits/limited.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Stage } from '../streams/chain.ts';
import type { Routed } from './exchange.ts';
import { admitFallbacks } from './model/admit-fallbacks.ts';

/**
 * Makes the stage that refuses what is over a limit for the model. A request passes at once if nothing is limited by
 * model.
 * @throws GatewayError `rate-limited` or `quota-exceeded`.
 */
export function limitModel(limits: Limits | undefined, { otherNames }: Catalog): Stage<Routed, Routed> {
  /** Admits a request. Each of its fallbacks is a request for another model, and must fit the limits for that one. */
  async function admit(limited: Limits, routed: Routed): Promise<Routed> {
    const { principal, response, route, model, otherModels = [], standings, ledger } = routed;
    const asked = { model: model.id, otherModels, otherNames };
    const allowed = await limited.admitModel(principal, asked, response, route.format, standings);
    // A fallback is charged in place of the model that has failed.
    ledger.modelLimits = limited.placesByModel(principal, asked);
    return admitFallbacks({ ...routed, ...allowed }, (fallback) => admit(limited, fallback));
  }

  return (routed) =>
    limits === undefined || !isLimitedByModel(routed.principal) ? routed : admit(limits, routed);
}
