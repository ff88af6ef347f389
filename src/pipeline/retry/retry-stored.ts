/**
 * Asks each account of a vendor for a stored response until one knows it, and again after a failure. Nothing is lost by
 * asking twice: these requests read, delete or cancel, make no tokens, and come out the same however often they are
 * sent.
 */

import type { GatewayError } from '../../lib/errors.ts';
import type { Stage } from '../../streams/chain.ts';
import type { Upstreams } from '../../upstream/pool/upstreams.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import type { RenderedReply, Stored } from '../exchange.ts';
import { sessionInHeaders } from '../request/session.ts';
import { type AttemptContext, type AttemptFailure, attemptAt, isFailed, timeLeft } from './attempt.ts';
import { giveUpAfter, pause } from './retry.ts';
import { getLoss, mayRetry, waitBefore } from './retry-policy.ts';
import { saysUnknown } from './unknown-stored.ts';

/**
 * Wraps a single attempt. An account that does not know the response has not the last word while another may know it;
 * one that fails may be the one that does, so its failure counts for more than the others' refusals.
 * @param upstreams the limits on retries, and the health of each vendor's upstreams.
 * @param once a single attempt.
 * @returns a stage that gives the first answer, or the refusal of an account that knows the response, or else the last
 *   failure, or the refusal of the first account that was asked.
 * @throws GatewayError that the last attempt failed with.
 */
export function retryStored(
  upstreams: Upstreams,
  once: Stage<Stored, RenderedReply>,
): Stage<Stored, RenderedReply> {
  return (target) =>
    askEach(
      {
        once,
        upstreams,
        findSession: sessionInHeaders,
        adapt: (asked) => asked,
        began: performance.now(),
      },
      target,
    );
}

type Failure = AttemptFailure<Stored>;

async function askEach(context: AttemptContext<Stored>, target: Stored): Promise<RenderedReply> {
  const { getPool, getRetryBudget } = context.upstreams;
  /** Accounts that do not know the response, and what the first of them has said. */
  const strangers = new Set<Vendor>();
  let unknown: Failure | undefined;
  /** Accounts that failed since the last wait, and how the last of them did. */
  let troubled = new Set<Vendor>();
  let failed: Failure | undefined;
  let retries = 0;
  for (let number = 1; ; number += 1) {
    const avoid = strangers.union(troubled);
    const made = await attemptAt(context, { target, avoid }, number);
    if (!isFailed(made)) return made;
    const { at, error } = made;
    if (at === undefined) return giveUpAfter((failed ?? made).result, 1 + retries);
    if (isOfUnknown(error)) {
      strangers.add(at);
      troubled.delete(at);
      unknown ??= made;
      if (failed?.at === at) failed = undefined;
    } else if (getLoss(error) === undefined) return giveUpAfter(made.result, 1);
    else {
      troubled.add(at);
      failed = made;
    }
    const hasOther = getPool(target.vendor)?.hasOther(strangers.union(troubled)) === true;
    if (failed !== made && hasOther) {
      target.ledger.repairs = [...(target.ledger.repairs ?? []), 'other-upstream'];
      continue;
    }
    if (failed === undefined) return giveUpAfter((unknown ?? made).result, 1);
    if (retries >= context.upstreams.retries.limit || !getRetryBudget(failed.at ?? at).withdraw())
      return giveUpAfter(failed.result, 1 + retries);
    retries += 1;
    if (hasOther) continue;
    if (!(await waitAfter(context, target, failed.error, retries)))
      return giveUpAfter(failed.result, retries);
    troubled = new Set();
  }
}

/** Whether an account has refused because it does not know the response. */
function isOfUnknown(error: GatewayError): boolean {
  return error.fault === 'not-found' || saysUnknown(error);
}

/** Waits before the same account is asked again. @returns whether it may be. */
async function waitAfter(
  context: AttemptContext<Stored>,
  { signal }: Stored,
  error: GatewayError,
  made: number,
): Promise<boolean> {
  const loss = getLoss(error);
  if (loss === undefined || !mayRetry(loss, 'failed')) return false;
  const wait = waitBefore(error, made, context.upstreams.retries);
  return wait !== undefined && wait < timeLeft(context) && pause(wait, signal);
}
