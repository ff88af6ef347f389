/** The one place where an error is said after the head of an answer: as the last event of its stream. */

import { type Ledger, noteFault } from '../accounting/usage/ledger.ts';
import { asGatewayError, type GatewayError } from '../lib/errors.ts';
import type { Sse } from '../streams/sse.ts';
import type { Sink } from '../streams/step.ts';
import { tellable } from '../upstream/redact.ts';

/** Says an error in the caller's format. */
export type RenderLateError = (error: GatewayError, out: Sink<Sse>) => void;

/**
 * Notes what a stream failed by, and ends it with that.
 * @param secret what the caller must not see of the vendor's words.
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
  render(tellable(error, secret), out);
}
