/** Why an exchange with a vendor failed, in words that show no address (undici's messages do) and no header. */

import { errors } from 'undici';
import { asGatewayError, BROKEN_OFF, GatewayError } from '../lib/errors.ts';

/**
 * @param cause what undici says, or an error of our own.
 * @param sent whether anything of the request was sent.
 * @param answered whether a byte of an answer has come.
 */
export function failureOf(cause: Error, sent: boolean, answered: boolean): GatewayError {
  // Nothing is sent of a request that cannot be written: that is nobody's fault but ours.
  if (cause instanceof GatewayError || cause instanceof errors.InvalidArgumentError)
    return asGatewayError(cause);
  if (sent) {
    return new GatewayError('upstream-broken', BROKEN_OFF.lost, {
      ...(!answered && { loss: 'reset' }),
      cause,
    });
  }
  return cause instanceof errors.ConnectTimeoutError
    ? new GatewayError('upstream-timeout', BROKEN_OFF.unreachedInTime, { loss: 'rejected', cause })
    : new GatewayError('upstream-broken', BROKEN_OFF.unreached, { loss: 'rejected', cause });
}
