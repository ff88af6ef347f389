/** Errors about fields of a caller's request, beyond those that both of OpenAI's formats have in common. */

import { GatewayError } from '../../../lib/errors.ts';

/** A 400 for a field that is known, but not supported by the gateway. @param path the field in the caller's body */
export function unsupported(path: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: path, code: 'unsupported_parameter' });
}
