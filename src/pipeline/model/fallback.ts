/** The same request for another model: a fallback's, or the one that a hook has chosen. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import type { Vendors } from '../../upstream/vendor.ts';
import type { Routed } from '../exchange.ts';
import { formatFor } from './native-format.ts';
import { type ReachOptions, reaches } from './reach.ts';
import { withinMost } from './within-most.ts';

/** The same request for the first of `models`, all usable by the key, that has a vendor; undefined if none has. */
export function fallback(
  routed: Routed,
  models: readonly Model[],
  vendors: Vendors,
  reach: ReachOptions,
): Routed | undefined {
  const { route } = routed;
  for (const [at, model] of models.entries()) {
    const vendor = vendors.serving(model);
    if (vendor === undefined) continue;
    const upstreamFormat = formatFor(route, vendor, model, routed, reach);
    return {
      ...routed,
      model,
      vendor,
      upstreamFormat,
      ...withinMost(routed, model),
      isFallback: true,
      nextFallback: () => fallback(routed, models.slice(at + 1), vendors, reach),
    };
  }
  return undefined;
}

/**
 * The same request for another model, and after it for the fallbacks of that one.
 * @returns undefined if the model, or what serves it, cannot be reached in the caller's format.
 */
export function routeTo(
  routed: Routed,
  model: Model,
  catalog: Catalog,
  vendors: Vendors,
  reach: ReachOptions,
): Routed | undefined {
  const { principal, route } = routed;
  const usable = [model, ...catalog.fallbacks(model)].filter(
    (each) => principal.allows(each.id, catalog.otherNames) && reaches(reach, route.format, each),
  );
  return usable[0] === model && vendors.serving(model) !== undefined
    ? fallback(routed, usable, vendors, reach)
    : undefined;
}
