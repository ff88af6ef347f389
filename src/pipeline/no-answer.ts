/** Answers that are none. */

import type { GatewayError } from '../lib/errors.ts';
import { leftFor, type UpstreamAnswer } from '../upstream/send.ts';
import { notJson } from './decode-body.ts';
import type { Answered } from './exchange.ts';
import { notServed } from './resolve-model.ts';

/** Statuses of a service that has nothing at a path, beside 404: vLLM takes what stands there for the id of a response. */
const NO_PLACE = new Set([405, 501]);

/** Whether a service refuses an operation because it does not have it, which is no failure of the service. */
export function isNoPlace({ status }: UpstreamAnswer, { fault }: GatewayError): boolean {
  return fault === 'not-found' || NO_PLACE.has(status);
}

/**
 * The error for an answer that is none, of which no more is read. Some services answer so at paths that they do not have
 * (LM Studio: "Returning 200 anyway").
 */
export function noAnswer({ answer, route: { operation }, model }: Answered): GatewayError {
  return operation === 'generate' ? notJson(answer) : leftFor(answer, notServed(operation, model));
}
