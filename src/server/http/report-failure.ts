/** Logs a request that failed for a reason other than its caller, and that has no line of its own in the access log. */

import type { LogProblem } from '../../lib/diagnostics.ts';
import { asGatewayError } from '../../lib/errors.ts';
import { getReason, isOfDatabase } from '../../store/store-errors.ts';
import { STORE_UNAVAILABLE } from '../../store/store-failure.ts';

/**
 * Reports an internal error; any other one is its caller's or its vendor's. What a database says is written as it is:
 * it names tables and files, and no key. Of other errors the log has only the kind, because they may quote the request.
 * @param request the method and the path, as a template.
 */
export function reportFailure(log: LogProblem, request: string, id: string, error: unknown): void {
  const { fault, code, cause } = asGatewayError(error);
  if (fault !== 'internal') return;
  if (code === STORE_UNAVAILABLE || isOfDatabase(cause))
    log(`${request} failed (${id}): ${getReason(cause)}`);
  else log(`${request} failed (${id}).`, cause);
}
