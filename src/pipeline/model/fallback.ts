/** The same request for another model: a fallback's, or the one that a hook has chosen. */

import type { Catalog, FallbackReason } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { keepItems } from '../../lib/lists.ts';
import type { Vendors } from '../../upstream/vendor.ts';
import type { Routed } from '../exchange.ts';
import { capMaxTokens } from './answer-length.ts';
import { formatFor } from './native-format.ts';
import { type ReachOptions, reaches } from './reach.ts';

/**
 * The models that may be asked instead of one, in order, by the reason why it does not answer. The key may use all of
 * them.
 */
type OtherModels = Readonly<Record<FallbackReason, readonly Model[]>>;

/**
 * The fallbacks of a model for a request. A body that also names the path's model cannot go to another one, and another
 * model counts tokens differently.
 * @param mayAsk whether the request may go to a model.
 */
export function findFallbacks(
  { route, named, scan }: Routed,
  model: Model,
  catalog: Catalog,
  mayAsk: (other: Model) => boolean,
): OtherModels {
  const isBound = route.operation !== 'generate' || (named !== undefined && scan.fields.has('model'));
  const find = (reason: FallbackReason): readonly Model[] =>
    isBound ? [] : keepItems(catalog.fallbacks(model, reason), mayAsk);
  return {
    outage: find('outage'),
    'long-prompt': find('long-prompt'),
    'content-policy': find('content-policy'),
  };
}

/**
 * The same request for the first model that may be asked for that reason and has a vendor; undefined if there is none.
 * @param routed the request as it was before any fallback.
 */
export function fallback(
  routed: Routed,
  others: OtherModels,
  reason: FallbackReason,
  vendors: Vendors,
  reach: ReachOptions,
): Routed | undefined {
  const { route } = routed;
  const models = others[reason];
  for (const [at, model] of models.entries()) {
    const vendor = vendors.serving(model);
    if (vendor === undefined) continue;
    const upstreamFormat = formatFor(route, vendor, model, routed, reach);
    const left = withRemaining(others, reason, at);
    return {
      ...routed,
      model,
      vendor,
      upstreamFormat,
      ...capMaxTokens(routed, model),
      isFallback: true,
      nextFallback: (why) => fallback(routed, left, why, vendors, reach),
    };
  }
  return undefined;
}

/**
 * The models that are left to ask. Once a model has refused the prompt, they are those of the list for such refusals
 * alone, whatever fails next.
 */
function withRemaining(others: OtherModels, reason: FallbackReason, at: number): OtherModels {
  const asked = others[reason][at];
  const left = others[reason].slice(at + 1);
  const leftFor = (refusal: 'long-prompt' | 'content-policy'): readonly Model[] =>
    refusal === reason ? left : others[refusal].filter((other) => other !== asked);
  return {
    outage: left,
    'long-prompt': leftFor('long-prompt'),
    'content-policy': leftFor('content-policy'),
  };
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
  const mayAsk = (each: Model): boolean =>
    principal.allows(each.id, catalog.otherNames) && reaches(reach, route.format, each);
  if (!mayAsk(model) || vendors.serving(model) === undefined) return undefined;
  const others = findFallbacks(routed, model, catalog, mayAsk);
  return fallback(routed, { ...others, outage: [model, ...others.outage] }, 'outage', vendors, reach);
}
