/** The gateway's errors in this format (OpenAI API reference, "Error codes"). */

import type { GatewayError } from '../../../lib/errors.ts';
import type { Sse } from '../../../streams/sse.ts';
import { renderError } from '../../openai/errors.ts';

export { renderError } from '../../openai/errors.ts';

/**
 * An error inside a stream that has begun. Its data is the same object as in an error response.
 * @see Inbound.renderLateError
 */
export function renderLateError(error: GatewayError): Sse {
  return { data: JSON.stringify(renderError(error)) };
}
