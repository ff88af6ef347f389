/** Finds the format of a translated request. */

import { DEFAULT_VENDOR } from '../catalog/default-vendor.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { unreported } from '../formats/format.ts';
import type { RequestBodies } from './bodies.ts';
import { inboundFor } from './caller-format.ts';
import { asBody, checkFormats } from './check-input.ts';
import { catalog, chooseSpeaker, chooseTraits } from './choose-traits.ts';
import { isResponsesBody } from './cursor/index.ts';
import { formatForPrompt, translatedFormat, vendorFormat } from './vendor-format.ts';

/** What `chooseFormat` takes. */
export interface RequestToPlace<From extends FormatName> {
  /** The format of `body`: the caller's. */
  readonly from: From;
  /** An id of the gateway's catalog; the vendor may be left out if its own format is `from`. */
  readonly model: string;
  /** The request as parsed JSON. */
  readonly body: RequestBodies[From];
}

/**
 * Finds the format in which a model's own vendor gets a request, as a gateway chooses it: the `to` of
 * `translateRequest`.
 * @returns undefined if the catalog does not have the model.
 * @throws GatewayError `invalid-request` for what is not valid in the caller's format.
 * @throws TypeError if `from` is no format.
 */
export function chooseFormat<From extends FormatName>(request: RequestToPlace<From>): FormatName | undefined;
export function chooseFormat({
  from,
  model: name,
  body: given,
}: Omit<RequestToPlace<FormatName>, 'body'> & { readonly body: object }): FormatName | undefined {
  checkFormats(from);
  const body = asBody(given);
  const model = catalog.resolve(name, DEFAULT_VENDOR[from]);
  if (model === undefined) return undefined;
  const speaker = chooseSpeaker(model);
  const isResponses = from === 'chat-completions' && isResponsesBody(body);
  const spoken = isResponses
    ? translatedFormat(speaker, model)
    : vendorFormat(speaker, model, from, speaker.dialect, () => body);
  if (spoken === from && !isResponses) return spoken;
  const prompt = inboundFor(from, body).parseRequest(body, unreported);
  return formatForPrompt(spoken, speaker, prompt, chooseTraits(model.id, spoken));
}
