/** Bodies that are not answers. */

import { isStored } from '../../conversation/route.ts';
import { GatewayError } from '../../lib/errors.ts';
import { leftFor } from '../../upstream/send.ts';
import type { VendorAnswer } from '../exchange.ts';
import { notServed } from '../model/native-format.ts';
import { notJson } from './decode-body.ts';

/**
 * Statuses, besides 404, of a service that has no such endpoint: vLLM takes what stands there for the id of a response.
 */
const NO_SUCH_PATH = new Set([405, 501]);

/**
 * The error that a service lacks the operation, if it refuses it for that, which is no failure of the service; otherwise
 * undefined. A 404 about a stored response says that the service does not know the response.
 */
export function findLacking(answered: VendorAnswer, { fault }: GatewayError): GatewayError | undefined {
  const isUnknown = fault === 'not-found' && !isStored(answered.route.operation);
  return isUnknown || NO_SUCH_PATH.has(answered.answer.status) ? lackedBy(answered) : undefined;
}

/**
 * Makes the error for a body that is not an answer, and cancels the body. Some services send one at paths that they do
 * not have (LM Studio: "Returning 200 anyway").
 */
export function noAnswer(answered: VendorAnswer): GatewayError {
  const { answer } = answered;
  const lacking = lackedBy(answered);
  return lacking === undefined ? notJson(answer) : leftFor(answer, lacking);
}

/** The error that a service lacks the operation; undefined for an operation that no service of the format lacks. */
function lackedBy({ route: { operation }, model, vendor }: VendorAnswer): GatewayError | undefined {
  if (isStored(operation)) {
    return new GatewayError(
      'endpoint-not-available',
      `The service of ${vendor.name} does not offer this for stored responses.`,
    );
  }
  const mayLack = operation === 'compact' || operation === 'count-tokens';
  return mayLack && model !== undefined ? notServed(operation, model) : undefined;
}
