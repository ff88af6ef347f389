/** Translates a vendor's whole answer. */

import type { FormatName } from '../conversation/prompt.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AnswerBodies } from './bodies.ts';
import { type Route, wayBack } from './way-back.ts';
import { wholeReply } from './whole-reply.ts';

/** What `translateAnswer` takes. */
export interface AnswerToTranslate<From extends FormatName, To extends FormatName> extends Route {
  readonly from: From;
  readonly to: To;
  /** The vendor's answer as parsed JSON. */
  readonly body: AnswerBodies[From];
}

/**
 * Translates a whole answer of status 200. In the caller's own format it stays as it is.
 * @returns the body of the response.
 * @throws GatewayError if the answer is a failure, or none at all. `renderError` makes a response of it.
 * @throws TypeError if `from` or `to` is no format, or `request` was translated between other formats.
 */
export function translateAnswer<From extends FormatName, To extends FormatName>(
  answer: AnswerToTranslate<From, To>,
): AnswerBodies[To];
export function translateAnswer({ body, ...way }: Route & { readonly body: object }): JsonObject | object {
  const translation = wayBack(way);
  return translation === undefined ? body : wholeReply(translation, JSON.stringify(body));
}
