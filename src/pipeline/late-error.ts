/** The one place that reports an error after the head of an answer has been sent: as the last event of its stream. */

import { type Ledger, noteFault } from '../accounting/usage/ledger.ts';
import { asGatewayError, type GatewayError } from '../lib/errors.ts';
import type { Sse } from '../streams/sse.ts';
import type { Sink } from '../streams/step.ts';
import { withoutSecretsIn } from '../upstream/redact.ts';

/** Renders an error in the caller's format. */
export type RenderLateError = (error: GatewayError, out: Sink<Sse>) => void;

/**
 * Notes the failure of a stream in the ledger, and ends the stream with it.
 * @param secret what the caller must not see of the vendor's text.
 */
export function endWithError(
  ledger: Ledger,
  thrown: unknown,
  secret: string,
  render: RenderLateError,
  out: Sink<Sse>,
): void {
  const error = asGatewayError(thrown);
  noteFault(ledger, error);
  render(withoutSecretsIn(error, secret), out);
}
