/** The format in which the service of a model gets a request, and the errors if it has none for an operation. */

import type { Model } from '../../catalog/model.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import type { Route } from '../../conversation/route.ts';
import { formats } from '../../formats/formats.ts';
import { GatewayError, invalid } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { translatedFormat, vendorFormat } from '../../translate/vendor-format.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import type { Scanned } from '../body/scanned.ts';
import { findDialect } from './collect-traits.ts';
import type { ReachOptions } from './reach.ts';

/**
 * Picks the format for a request to a vendor: the caller's own if the service speaks it well enough, otherwise another.
 * @param request the body, or the part of it that decides; it is read only if it matters.
 */
export function nativeFormatFor(
  vendor: Vendor,
  model: Model,
  asked: FormatName,
  request: () => JsonObject,
): FormatName {
  return vendorFormat(vendor, model, asked, findDialect(vendor, model), request);
}

/** The first format in which a vendor counts tokens; undefined if it counts in none. */
function countingFormat({ formats: vendorFormats }: Vendor): FormatName | undefined {
  return vendorFormats.find((each) => formats[each].outbound.counting !== undefined);
}

/**
 * The format in which a vendor counts the tokens of a request of `format`: that one if it can; undefined if it counts in
 * none, or the configuration leaves it to the vendors of that format. A service that only answers some models in a
 * format (`endpoints` of a model) does not count in it.
 */
export function countsIn(
  format: FormatName,
  vendor: Vendor,
  { countTokens }: ReachOptions,
): FormatName | undefined {
  const isNative = vendor.formats.includes(format) && formats[format].outbound.counting !== undefined;
  if (isNative) return format;
  return countTokens === 'all' ? countingFormat(vendor) : undefined;
}

/** The format of the request to a vendor. @throws GatewayError `invalid-request` if it lacks the operation. */
export function formatFor(
  { format, operation }: Route,
  vendor: Vendor,
  model: Model,
  { tree }: Scanned,
  reach: ReachOptions,
  isResponses = false,
): FormatName {
  if (isResponses) return translatedFormat(vendor, model);
  if (operation === 'count-tokens') {
    const counting = countsIn(format, vendor, reach);
    if (counting !== undefined) return counting;
    throw countingFormat(vendor) === undefined ? notServed(operation, model) : notCounted(model);
  }
  const upstreamFormat = nativeFormatFor(vendor, model, format, tree);
  if (operation === 'compact' && upstreamFormat !== format) throw notServed(operation, model);
  return upstreamFormat;
}

/**
 * Makes the error for an operation, other than generating, that the service of a model does not offer. For compaction
 * it is a 404: clients of Open Responses, where not every service compacts, take that for a path that does not exist.
 */
export function notServed(operation: 'compact' | 'count-tokens', { id }: Model): GatewayError {
  if (operation === 'count-tokens')
    return invalid(`Token counting is not available for ${id}: its vendor does not offer it.`, 'model');
  return new GatewayError(
    'endpoint-not-available',
    `Only a service that speaks this format itself can compact a conversation, and that of ${id} does not. Ask this model for a summary as an ordinary message instead.`,
    { param: 'model' },
  );
}

/** Makes the error for a count that the configuration leaves to the vendors of the caller's format. */
function notCounted({ id }: Model): GatewayError {
  return invalid(
    `Token counting is not supported for ${id} in this format: it is for the models whose own format this is, unless the gateway is configured with countTokens: { models: 'all' }.`,
    'model',
  );
}
