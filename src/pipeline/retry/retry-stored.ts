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
import { findTenant } from './find-tenant.ts';
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
    new StoredSearch(
      {
        once,
        upstreams,
        findSession: sessionInHeaders,
        adapt: (asked) => asked,
        began: performance.now(),
      },
      target,
    ).run();
}

type Failure = AttemptFailure<Stored>;

/** What the caller gets, and after how many attempts. */
type Final = readonly [failure: Failure, attempts: number];

class StoredSearch {
  readonly #context: AttemptContext<Stored>;
  readonly #target: Stored;
  /** What accounts have said that do not know the response, the first of them first. */
  readonly #unknown = new Map<Vendor, Failure>();
  /** How the others have failed, the last of them last. */
  readonly #failed = new Map<Vendor, Failure>();
  /** Accounts that are not asked again before the next wait. */
  #avoid = new Set<Vendor>();
  #retries = 0;

  constructor(context: AttemptContext<Stored>, target: Stored) {
    this.#context = context;
    this.#target = target;
  }

  async run(): Promise<RenderedReply> {
    for (let number = 1; ; number += 1) {
      const made = await attemptAt(this.#context, { target: this.#target, avoid: this.#avoid }, number);
      if (!isFailed(made)) return made;
      const final = await this.#goOn(made);
      if (final !== undefined) return giveUpAfter(final[0].result, final[1]);
    }
  }

  /** Decides what follows a failure, and waits for it. @returns undefined if there is to be another attempt. */
  async #goOn(made: Failure): Promise<Final | undefined> {
    const { at, error } = made;
    // No account could be asked.
    if (at === undefined) return [this.#lastFailure() ?? made, 1 + this.#retries];
    const isUnknown = isNotHere(error);
    // This account knows the response, but refuses the request.
    if (!isUnknown && getLoss(error) === undefined) return [made, 1];
    this.#avoid.add(at);
    this.#failed.delete(at);
    (isUnknown ? this.#unknown : this.#failed).set(at, made);
    const { ledger, vendor, principal } = this.#target;
    const pool = this.#context.upstreams.getPool(vendor);
    const hasOther = pool?.hasOther(this.#avoid, findTenant(principal)) === true;
    if (isUnknown && hasOther) {
      ledger.repairs = [...(ledger.repairs ?? []), 'other-upstream'];
      return undefined;
    }
    const unknown = new Set(this.#unknown.keys());
    const failure = this.#lastFailure() ?? notAsked(pool?.secondsUntilOther(unknown));
    if (failure === undefined) {
      const [first = made] = this.#unknown.values();
      return [first, 1];
    }
    if (!(await this.#mayRetry(failure, at, hasOther))) return [failure, 1 + this.#retries];
    this.#retries += 1;
    if (!hasOther) this.#avoid = unknown;
    return undefined;
  }

  #lastFailure(): Failure | undefined {
    return [...this.#failed.values()].at(-1);
  }

  /** Whether there may be a retry, for which the account that was asked last pays. Waits if no other account is left. */
  async #mayRetry({ error }: Failure, at: Vendor, hasOther: boolean): Promise<boolean> {
    const { getRetryBudget, retries: limits } = this.#context.upstreams;
    if (this.#retries >= limits.limit || !getRetryBudget(at).withdraw()) return false;
    return hasOther || waitAfter(this.#context, this.#target, error, this.#retries + 1);
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
