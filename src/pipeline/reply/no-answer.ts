/** Bodies that are not answers. */

import type { GatewayError } from '../../lib/errors.ts';
import { leftFor } from '../../upstream/send.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';
import type { VendorAnswer } from '../exchange.ts';
import { notServed } from '../model/native-format.ts';
import { notJson } from './decode-body.ts';

/**
 * Statuses, besides 404, of a service that has no such endpoint: vLLM takes what stands there for the id of a response.
 */
const NO_SUCH_PATH = new Set([405, 501]);

/** Whether a service refuses an operation because it does not offer it. That is not a failure of the service. */
export function isNoSuchPath({ status }: UpstreamAnswer, { fault }: GatewayError): boolean {
  return fault === 'not-found' || NO_SUCH_PATH.has(status);
}

/**
 * Makes the error for a body that is not an answer, and cancels the body. Some services send one at paths that they do
 * not have (LM Studio: "Returning 200 anyway").
 */
export function noAnswer(answered: VendorAnswer): GatewayError {
  const { answer } = answered;
  const lacking = findLacking(answered);
  return lacking === undefined ? notJson(answer) : leftFor(answer, lacking);
}

/** The error that a service lacks the operation; undefined for an operation that no service of the format lacks. */
export function findLacking({
  route: { operation },
  model,
}: Pick<VendorAnswer, 'route' | 'model'>): GatewayError | undefined {
  const mayLack = operation === 'compact' || operation === 'count-tokens';
  return mayLack && model !== undefined ? notServed(operation, model) : undefined;
}
