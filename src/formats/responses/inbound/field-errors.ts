/** What is wrong with a field of a caller's, beyond what both of OpenAI's formats say in the same words. */

import { GatewayError } from '../../../lib/errors.ts';

/** A 400 for a field that is known but cannot be had here. */
export function unsupported(path: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param: path, code: 'unsupported_parameter' });
}
