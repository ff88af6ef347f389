/** Explains what a request becomes for a model, and what happened to each of its fields. */

import type { Catalog } from '../catalog/catalog.ts';
import { DEFAULT_VENDOR } from '../catalog/default-vendor.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { type Note, reportInto } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import type { JsonObject } from '../lib/json.ts';
import { collectTraits } from '../pipeline/model/collect-traits.ts';
import { nativeFormatFor } from '../pipeline/model/native-format.ts';
import { notSupported } from '../pipeline/model/not-supported.ts';
import { type ReachOptions, reaches } from '../pipeline/model/reach.ts';
import { inboundFor } from '../translate/caller-format.ts';
import { isResponsesBody } from '../translate/cursor/index.ts';
import { type ExplainedFields, explainedFields } from '../translate/explained-fields.ts';
import { refuseUnknown } from '../translate/refuse-unknown.ts';
import { formatForPrompt, translatedFormat } from '../translate/vendor-format.ts';
import { writeRequest } from '../translate/write-request.ts';
import { upstreamName, type Vendor, type Vendors } from '../upstream/vendor.ts';

/** How a request reaches the vendor. */
export interface Explanation extends ExplainedFields {
  readonly from: FormatName;
  readonly to: FormatName;
  readonly native: boolean;
  /** Canonical id of the model. */
  readonly model: string;
  /** The request as the vendor receives it. */
  readonly request: JsonObject;
}

/** The models and vendors that can be asked. */
export interface Served {
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly reach: ReachOptions;
}

/**
 * @param asked the model as a caller writes it
 * @returns the model, and the vendor that serves it
 * @throws GatewayError if no vendor does, or if the format's endpoint does not reach the model
 */
export function findServed(
  { catalog, vendors, reach }: Served,
  from: FormatName,
  asked: string,
): readonly [Model, Vendor] {
  const model = catalog.resolve(asked, DEFAULT_VENDOR[from]);
  const vendor = model && vendors.serving(model);
  if (model === undefined || vendor === undefined || !reaches(reach, from, model))
    throw notSupported(asked, DEFAULT_VENDOR[from]);
  return [model, vendor];
}

/**
 * Explains a request without sending it.
 * @param from the format that the request is written in
 * @param asked the model as a caller writes it
 * @param given the request, which need not name a model
 * @returns the request as the vendor would receive it, and what happened to each field
 * @throws GatewayError the error that the caller of such a request would receive
 */
export function explain(served: Served, from: FormatName, asked: string, given: JsonObject): Explanation {
  const [model, vendor] = findServed(served, from, asked);
  // Google's format names the model in the path; a request in another one may leave that to the command.
  const body = from === 'generate-content' ? given : { ...given, model: given['model'] ?? asked };
  formats[from].inbound.requireFields?.((name) => (body[name] ?? null) !== null);
  const isAnew = from === 'chat-completions' && isResponsesBody(body);
  const spoken = isAnew ? translatedFormat(vendor, model) : nativeFormatFor(vendor, model, from, () => body);
  const name = upstreamName(vendor, model);
  if (spoken === from && !isAnew) {
    const request = 'model' in body ? { ...body, model: name } : body;
    return {
      from,
      to: spoken,
      native: true,
      model: model.id,
      request,
      notes: [],
      mapped: Object.keys(given),
    };
  }
  const read: Note[] = [];
  const inbound = inboundFor(from, body);
  const prompt = { ...inbound.parseRequest(body, reportInto(read)), model: name };
  const to = formatForPrompt(spoken, vendor, prompt, collectTraits(vendor, model, spoken));
  if (to !== from) refuseUnknown(inbound, from, body, prompt);
  const written: Note[] = [];
  const { request } = writeRequest(
    formats[to].outbound,
    prompt,
    collectTraits(vendor, model, to),
    from,
    body,
    reportInto(written),
  );
  const fields = explainedFields(from, given, read, written);
  return { from, to, native: false, model: model.id, request, ...fields };
}
