/**
 * Why an exchange with a vendor failed, worded without addresses (undici's messages contain them) and without headers.
 */

import { errors } from 'undici';
import { errorCode } from '../lib/error-code.ts';
import { asGatewayError, BROKEN_OFF, GatewayError } from '../lib/errors.ts';

/** The message for callers when the process is short of file descriptors. */
export const LOW_ON_CONNECTIONS = 'The gateway is low on connections. Try again shortly.';

/** The codes of a process, and of a machine, without a free descriptor (socket(2)). */
const NO_DESCRIPTOR: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE']);

/**
 * Turns the cause of a failure into the gateway's error.
 * @param cause undici's error, or one of our own.
 * @param sent whether any of the request was sent.
 * @param answered whether a byte of an answer has come.
 * @returns `upstream-broken` or `upstream-timeout` with what the failure may have cost; `overloaded` if the process has no
 *   descriptor left for a connection; an error of our own unchanged.
 */
export function toFailure(cause: Error, sent: boolean, answered: boolean): GatewayError {
  // Nothing is sent of a request that cannot be written: that is the gateway's own fault.
  if (cause instanceof GatewayError || cause instanceof errors.InvalidArgumentError)
    return asGatewayError(cause);
  if (sent) {
    return new GatewayError('upstream-broken', BROKEN_OFF.lost, {
      ...(!answered && { loss: 'reset' }),
      cause,
    });
  }
  if (NO_DESCRIPTOR.has(errorCode(cause)))
    return new GatewayError('overloaded', LOW_ON_CONNECTIONS, { retryAfter: 1, cause });
  // Before a request is sent, only a proxy answers: whether it gives a tunnel.
  return cause instanceof errors.ConnectTimeoutError || cause instanceof errors.HeadersTimeoutError
    ? new GatewayError('upstream-timeout', BROKEN_OFF.unreachedInTime, { loss: 'rejected', cause })
    : new GatewayError('upstream-broken', BROKEN_OFF.unreached, { loss: 'rejected', cause });
}
