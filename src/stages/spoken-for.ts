/** The format in which the service of a model is asked for what a request asks. */

import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { formats } from '../formats/all.ts';
import type { JsonObject } from '../json.ts';
import { spokenFormat, type Vendor } from '../vendors/vendor.ts';
import { targetOf } from './translate-request.ts';

/** @param request the body, or as much of it as tells; it is not read unless it matters. */
export function spokenFor(
  vendor: Vendor,
  model: Model,
  asked: FormatName,
  request: () => JsonObject,
): FormatName {
  const { isKnownElsewhere } = formats[asked].outbound;
  return spokenFormat(
    vendor,
    model,
    asked,
    () => isKnownElsewhere?.(request(), targetOf(vendor, model).dialect) ?? true,
  );
}
