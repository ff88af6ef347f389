/** The format in which the service of a model gets a request. */

import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { formats } from '../formats/formats.ts';
import type { JsonObject } from '../lib/json.ts';
import { spokenFormat } from '../translate/spoken-format.ts';
import type { Vendor } from '../upstream/vendor.ts';
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
  return spokenFormat(vendor, model, asked, findDialect(vendor, model), request);
}

/** The first format in which a vendor counts tokens; undefined if it counts in none. */
export function countingFormat({ formats: vendorFormats }: Vendor): FormatName | undefined {
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
