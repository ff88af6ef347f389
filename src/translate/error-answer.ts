/** An error before an answer has begun, as a response in the caller's format. */

import type { FormatName } from '../conversation/prompt.ts';
import { formats } from '../formats/formats.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';

/** A response with an error. */
export interface ErrorAnswer {
  /** The HTTP status. */
  readonly status: number;
  readonly body: JsonObject;
}

/** Renders an error. @param id the id of the exchange, which some formats repeat in the body. */
export function errorAnswer(error: GatewayError, format: FormatName, id: string): ErrorAnswer {
  // Anthropic's own status for 'overloaded', which its SDKs and agents know.
  const status = format === 'messages' && error.fault === 'upstream-overloaded' ? 529 : error.status;
  return { status, body: formats[format].renderError(error, id) };
}
