/** What is known of a model at the service that serves it: what it takes, and how the service deviates. */

import { vendorName } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import type { ModelTraits } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import { offeredTraits } from '../../translate/model-traits.ts';
import { isVertex, upstreamName, type Vendor } from '../../upstream/vendor.ts';

/**
 * Collects what a renderer needs to know about a model at a vendor.
 * @param format the format of the request to the vendor.
 */
export function collectTraits(vendor: Vendor, model: Model, format: FormatName): ModelTraits {
  return offeredTraits(model, {
    name: upstreamName(vendor, model),
    dialect: findDialect(vendor, model),
    service: formats[format].outbound.serviceTraits?.(vendor),
    caches: vendor.caches,
  });
}

/**
 * The name of the service's deviations in its format. A service in front of many vendors is `compatible`, and does not
 * get those of the model's vendor.
 */
export function findDialect(vendor: Vendor, model: Model): string {
  if (vendor.dialect === undefined && isVertex(vendor)) return 'vertex';
  return vendor.dialect ?? (vendor.fullIds ? 'compatible' : (model.dialect ?? vendorName(model.id)));
}
