/**
 * Asks each account of a vendor for a stored response until one knows it, and again after a failure. Nothing is lost by
 * asking twice: these requests read, delete or cancel, and make no tokens. A deletion whose answer was lost gets a 404
 * then, as it does if the caller repeats it.
 */

import { GatewayError } from '../../lib/errors.ts';
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
 * @throws GatewayError that the last attempt failed with, or `upstream-overloaded` if an account could not be asked.
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
  const { getPool, getRetryBudget, retries: limits } = context.upstreams;
  const pool = getPool(target.vendor);
  /** What accounts have said that do not know the response, the first of them first. */
  const unknown = new Map<Vendor, Failure>();
  /** How the others have failed, the last of them last. */
  const failed = new Map<Vendor, Failure>();
  /** Accounts that are not asked again before the next wait. */
  let avoid = new Set<Vendor>();
  let retries = 0;
  for (let number = 1; ; number += 1) {
    const made = await attemptAt(context, { target, avoid }, number);
    if (!isFailed(made)) return made;
    const { at, error } = made;
    // No account could be asked.
    if (at === undefined) return giveUpAfter(([...failed.values()].at(-1) ?? made).result, 1 + retries);
    const isUnknown = isNotHere(error);
    // This account knows the response, but refuses the request.
    if (!isUnknown && getLoss(error) === undefined) return giveUpAfter(made.result, 1);
    avoid.add(at);
    failed.delete(at);
    (isUnknown ? unknown : failed).set(at, made);
    const hasOther = pool?.hasOther(avoid) === true;
    if (isUnknown && hasOther) {
      target.ledger.repairs = [...(target.ledger.repairs ?? []), 'other-upstream'];
      continue;
    }
    const failure = [...failed.values()].at(-1) ?? notAsked(pool?.secondsUntilOther(new Set(unknown.keys())));
    if (failure === undefined) return giveUpAfter(([...unknown.values()].at(0) ?? made).result, 1);
    const mayAsk = retries < limits.limit && getRetryBudget(at).withdraw();
    if (!mayAsk) return giveUpAfter(failure.result, 1 + retries);
    retries += 1;
    if (hasOther) continue;
    if (!(await waitAfter(context, target, failure.error, retries)))
      return giveUpAfter(failure.result, retries);
    avoid = new Set(unknown.keys());
  }
}

/** The failure of accounts that were not asked, because they fail or have no place free. @param seconds until one may be. */
function notAsked(seconds: number | undefined): Failure | undefined {
  if (seconds === undefined) return undefined;
  const error = new GatewayError(
    'upstream-overloaded',
    'Another upstream may know the response, and takes no request right now.',
    { retryAfter: seconds, loss: 'rejected' },
  );
  return { result: error, error };
}

/** Whether an account has refused because it does not know the response. */
function isNotHere(error: GatewayError): boolean {
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
