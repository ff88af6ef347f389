/** Keeps a key and its group to their limits for the requested model. */

import { isLimitedByModel } from '../access/limits/limited.ts';
import type { Limits } from '../access/limits/limits.ts';
import type { Catalog, FallbackReason } from '../catalog/catalog.ts';
import { GatewayError } from '../lib/errors.ts';
import type { Stage } from '../streams/chain.ts';
import type { Routed } from './exchange.ts';

/**
 * Makes the stage that refuses what is over a limit for the model. A request passes at once if nothing is limited by
 * model.
 * @throws GatewayError `rate-limited` or `quota-exceeded`.
 */
export function limitModel(limits: Limits | undefined, { otherNames }: Catalog): Stage<Routed, Routed> {
  /** Admits a request. Each of its fallbacks is a request for another model, and must fit the limits for that one. */
  async function admit(limited: Limits, routed: Routed): Promise<Routed> {
    const {
      principal,
      response,
      route,
      model,
      otherModels: beside = [],
      standings,
      nextFallback: otherwise,
    } = routed;
    const asked = { model: model.id, beside, otherNames };
    const allowed = await limited.admitModel(principal, asked, response, route.format, standings);
    const admitted = { ...routed, ...allowed };
    return otherwise === undefined
      ? admitted
      : {
          ...admitted,
          nextFallback: async (reason) => findFirst(limited, reason, await otherwise(reason)),
        };
  }

  /** A fallback that is over a limit cannot answer either, but the one after it may. */
  async function findFirst(
    limited: Limits,
    reason: FallbackReason,
    fallback: Routed | undefined,
  ): Promise<Routed | undefined> {
    if (fallback === undefined) return undefined;
    try {
      return await admit(limited, fallback);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return findFirst(limited, reason, await fallback.nextFallback?.(reason));
    }
  }

  return (routed) =>
    limits === undefined || !isLimitedByModel(routed.principal) ? routed : admit(limits, routed);
}
