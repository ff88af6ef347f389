/** The one place that makes an error into an answer, for as long as no head has been sent. */

import type { FormatName } from './conversation/prompt.ts';
import { asGatewayError } from './errors.ts';
import { formats } from './formats/all.ts';
import { discard } from './read-body.ts';
import type { Incoming } from './stages/exchange.ts';

/** Statuses after which the same request may well succeed: official SDKs retry those on their own. */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/** An error as a Response in the caller's format. What is no GatewayError says nothing of itself. */
export function rescue(thrown: unknown, format: FormatName, { id, message, ledger }: Incoming): Response {
  const error = asGatewayError(thrown);
  if (ledger) ledger.fault = error.fault;
  // Anthropic's own status for 'overloaded', which its SDKs and agents know.
  const status = format === 'messages' && error.fault === 'upstream-overloaded' ? 529 : error.status;
  const headers = new Headers({ ...error.headers, 'content-type': 'application/json', 'x-request-id': id });
  if (format === 'messages') headers.set('request-id', id);
  if (error.retryAfter !== undefined) headers.set('retry-after', String(Math.ceil(error.retryAfter)));
  if (!PASSING.has(status) || error.fault === 'upstream-auth') headers.set('x-should-retry', 'false');
  if (!message.complete) {
    headers.set('connection', 'close');
    discard(message);
  }
  return new Response(JSON.stringify(formats[format].renderError(error, id)), { status, headers });
}
