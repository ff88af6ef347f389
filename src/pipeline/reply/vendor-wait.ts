/** How long a refusing vendor asks callers to wait, in the error and in its headers. */

import { amended, type Fault, type GatewayError, waitHeaders } from '../../lib/errors.ts';
import { retryAfter } from '../../upstream/retry-after.ts';
import type { UpstreamAnswer } from '../../upstream/upstream-answer.ts';

/** The faults of a 403 that concern the gateway's account at the vendor. */
const ACCOUNTS = new Set<Fault>(['upstream-auth', 'model-not-found']);

/**
 * Adds to the error of a refusal how long the vendor asks callers to wait, in seconds, whether the vendor has done any
 * work for it, and whether it is to blame.
 */
export function withWait(error: GatewayError, { status, headers }: UpstreamAnswer): GatewayError {
  const wait = error.retryAfter ?? retryAfter(headers, Date.now());
  return amended(error, {
    ...(wait !== undefined && { retryAfter: wait }),
    // The vendor did not even wait for the request.
    ...(status === 408 && { loss: 'rejected' }),
    // Another account may have what this one lacks, such as a model or a tool; this one may still do everything else.
    ...(status === 403 && ACCOUNTS.has(error.fault) && { loss: 'elsewhere' }),
    // The server lacks what was asked for (llama.cpp's `not_supported_error`), and may do everything else.
    ...(status === 501 && { concerns: 'caller' }),
  });
}

/**
 * Adds the headers from which SDKs read how long to wait, if a service says that only in the body (Google's
 * `RetryInfo`) or in headers of its own. Without them the AI SDK and LangChain would retry within seconds.
 */
export function withReportedWait(
  headers: Record<string, string>,
  error: GatewayError,
): Record<string, string> {
  const hasWait = 'retry-after' in headers || 'retry-after-ms' in headers;
  // For an exhausted daily quota the vendor's figure is the time until the quota of the minute is full again.
  return hasWait || error.fault === 'quota-exceeded' ? headers : { ...waitHeaders(error), ...headers };
}
