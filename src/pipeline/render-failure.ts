/** The one place that turns an error into an answer, as long as no head has been sent. */

import { noteFault } from '../accounting/usage/ledger.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { asGatewayError, type GatewayError, waitHeaders } from '../lib/errors.ts';
import { errorAnswer } from '../translate/error-answer.ts';
import { discard } from './body/read-body.ts';
import { UPSTREAM_ID } from './encode.ts';
import type { Answer, Incoming } from './exchange.ts';

/** Statuses after which the same request may well succeed: the official SDKs retry those on their own. */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/** Renders an error as an answer in the caller's format. An error other than a GatewayError shows nothing of itself. */
export function renderFailure(
  thrown: unknown,
  format: FormatName,
  { id, message, ledger }: Incoming,
): Answer {
  const error = asGatewayError(thrown);
  noteFault(ledger, error);
  const { status, headers, body } = renderError(error, format, id);
  headers['x-request-id'] = id;
  if (format === 'messages') headers['request-id'] = id;
  if (ledger.upstreamId !== undefined) headers[UPSTREAM_ID] = ledger.upstreamId;
  Object.assign(headers, waitHeaders(error));
  const isLasting = error.fault === 'upstream-auth' || error.fault === 'quota-exceeded';
  if (!PASSING.has(status) || isLasting) headers['x-should-retry'] = 'false';
  if (!message.complete && bringsBody(message)) {
    headers['connection'] = 'close';
    discard(message);
  }
  return { status, headers, body };
}

/** Whether a request has a body, by its head (RFC 9112, 6.3). Without one it is over, even if Node has not yet said so. */
function bringsBody({ headers }: Incoming['message']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** An error as the last answer of a connection. Without a readable head the caller's format is unknown: it is in OpenAI's. */
export function renderUnparsed(error: GatewayError): Answer & { readonly body: Buffer } {
  const { headers, ...answer } = renderError(error, 'chat-completions', '');
  return { ...answer, headers: { ...headers, connection: 'close' } };
}

function renderError(error: GatewayError, format: FormatName, id: string) {
  const { status, body: said } = errorAnswer(error, format, id);
  const body = Buffer.from(JSON.stringify(said));
  const headers: Record<string, string> = {
    ...error.headers,
    'content-type': 'application/json',
    'content-length': String(body.byteLength),
  };
  return { status, headers, body };
}
