/** The format in which the service of a model is asked for what a request asks. */

import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { formats } from '../formats/formats.ts';
import type { JsonObject } from '../lib/json.ts';
import { spokenFormat, type Vendor } from '../upstream/vendor.ts';
import { dialectOf } from './translate-request.ts';

/** @param request the body, or as much of it as tells; it is not read unless it matters. */
export function nativeFormatFor(
  vendor: Vendor,
  model: Model,
  asked: FormatName,
  request: () => JsonObject,
): FormatName {
  const { isKnownElsewhere } = formats[asked].outbound;
  const spoken = spokenFormat(
    vendor,
    model,
    asked,
    () => isKnownElsewhere?.(request(), dialectOf(vendor, model)) ?? true,
  );
  // Who speaks a format of the service's own has chosen it, or asks what the other one does not know.
  if (spoken === asked || model.thinking === undefined) return spoken;
  const thinking = formats[spoken].outbound.thinkingFormat?.(dialectOf(vendor, model));
  if (thinking === undefined || thinking === asked) return spoken;
  return model.endpoints?.some((format) => format === thinking) ? thinking : spoken;
}

/** The first format in which a vendor counts tokens; undefined where it does in none. */
export function countingFormat({ formats: spoken }: Vendor): FormatName | undefined {
  return spoken.find((each) => formats[each].outbound.counting !== undefined);
}
