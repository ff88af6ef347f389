/** How long a vendor that refuses asks to be left alone, as the error and as its headers tell it. */

import { amended, type Fault, type GatewayError, waitHeaders } from '../lib/errors.ts';
import { retryAfter } from '../upstream/retry-after.ts';
import type { UpstreamAnswer } from '../upstream/send.ts';

/** Where a 403 is one of the gateway's account, which is known there. */
const ACCOUNTS = new Set<Fault>(['upstream-auth', 'model-not-found']);

/** An error answer with how long the vendor asks to be left alone, and whether it has done anything. */
export function withWait(error: GatewayError, { status, headers }: UpstreamAnswer): GatewayError {
  const wait = error.retryAfter ?? retryAfter(headers, Date.now());
  return amended(error, {
    ...(wait !== undefined && { retryAfter: wait }),
    // It did not even wait for the request.
    ...(status === 408 && { loss: 'rejected' }),
    // What this account may not do, a model or a tool for one, another may; and all else this one too.
    ...(status === 403 && ACCOUNTS.has(error.fault) && { loss: 'elsewhere' }),
  });
}

/**
 * What SDKs read of how long to wait, where a service says that in the body alone (Google's `RetryInfo`) or in headers of
 * its own: the AI SDK and LangChain would ask again within seconds.
 */
export function withWaitTold(headers: Record<string, string>, error: GatewayError): Record<string, string> {
  const isTold = 'retry-after' in headers || 'retry-after-ms' in headers;
  // What is said of a day's quota is until the minute's is full again.
  return isTold || error.fault === 'quota-exceeded' ? headers : { ...waitHeaders(error), ...headers };
}
