/** One attempt to get an answer: at which upstream it is made, and what came of it. */

import { forgetEstimate } from '../../accounting/usage/ledger.ts';
import { asGatewayError, type GatewayError } from '../../lib/errors.ts';
import type { Stage } from '../../streams/chain.ts';
import type { Upstreams } from '../../upstream/pool/upstreams.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import type { Prepared, RenderedReply, Routed, Targeted } from '../exchange.ts';
import { findTenant } from './find-tenant.ts';
import type { Lessons } from './lessons.ts';
import { type OutcomeReporter, reportOutcome } from './report-outcome.ts';
import { isOfUnknownStored } from './unknown-stored.ts';

/** What all attempts for one caller share, whatever is asked. */
export interface AttemptContext<T extends Targeted> {
  readonly once: Stage<T, RenderedReply>;
  readonly upstreams: Upstreams;
  /** The id of the request's session, which chooses among upstreams; undefined if it has none. */
  readonly findSession: (target: T) => string | undefined;
  /** Adapts a request to what its vendor has refused before. */
  readonly adapt: (target: T) => T;
  /** The time of the first attempt, by performance.now(). */
  readonly began: number;
}

/** What all attempts to get a model's answer share. */
export interface RetryContext extends AttemptContext<Routed> {
  readonly lessons: Lessons;
  readonly prepare: (routed: Routed) => Prepared;
}

/** An attempt that is to be made. */
export interface NextAttempt<T extends Targeted = Routed> {
  readonly target: T;
  /** Upstreams that have just failed. */
  readonly avoid?: ReadonlySet<Vendor>;
}

/** An attempt that failed. */
export interface AttemptFailure<T extends Targeted = Routed> {
  /** What the caller gets if no later attempt succeeds: an error, or an answer that is one. */
  readonly result: GatewayError | RenderedReply;
  readonly error: GatewayError;
  /** The upstream that failed; absent if none could be asked. */
  readonly at?: Vendor;
  /** The request as it was sent; absent if none could be. */
  readonly sent?: T;
}

/**
 * Makes one attempt. Whatever a request names that is stored at its vendor is stored in one account, so each upstream is
 * asked once until one knows it. A refusal costs nothing, so neither the limit on retries nor their budget counts it.
 */
export async function attemptOnce(
  context: RetryContext,
  next: NextAttempt,
  number: number,
): Promise<RenderedReply | AttemptFailure> {
  const { ledger } = next.target;
  const before = ledger.attempts;
  const first = await attemptAt(context, next, number);
  // What the gateway itself refuses was never sent.
  return isFailed(first) && ledger.attempts > before ? askOthers(context, next, number, first) : first;
}

/** Asks the other upstreams after one that does not know what is stored. @returns its refusal if none of them does. */
async function askOthers(
  context: RetryContext,
  next: NextAttempt,
  number: number,
  first: AttemptFailure,
): Promise<RenderedReply | AttemptFailure> {
  const { ledger, signal, vendor, principal } = next.target;
  const pool = context.upstreams.getPool(vendor);
  const asked = new Set<Vendor>();
  let outcome: RenderedReply | AttemptFailure = first;
  while (isFailed(outcome)) {
    const { at, sent, error }: AttemptFailure = outcome;
    if (at === undefined || sent === undefined) break;
    asked.add(at);
    const isLast = signal.aborted || pool?.hasOther(asked, findTenant(principal)) !== true;
    if ((isLast && outcome === first) || !isOfUnknownStored(sent, error)) break;
    if (isLast) return first;
    ledger.repairs = [...(ledger.repairs ?? []), 'other-upstream'];
    outcome = await attemptAt(context, { ...next, avoid: asked }, number + 1);
  }
  return outcome;
}

/** Makes one attempt at one upstream. @param number of the attempt, from 1. */
export async function attemptAt<T extends Targeted>(
  context: AttemptContext<T>,
  { target, avoid }: NextAttempt<T>,
  number: number,
): Promise<RenderedReply | AttemptFailure<T>> {
  const { once, upstreams, findSession, adapt } = context;
  let at: Vendor | undefined;
  let followed: OutcomeReporter | undefined;
  let sent: T | undefined;
  try {
    const pool = upstreams.getPool(target.vendor);
    // To take a place may take a while, and so may the vendor's head.
    if (number > 1) forgetEstimate(target.ledger);
    const lease =
      pool &&
      (await pool.take(
        {
          subject: limitSubject(target),
          caller: findTenant(target.principal),
          session: target.vendor.upstreams && findSession(target),
        },
        avoid,
        target.signal,
      ));
    at = lease?.vendor ?? target.vendor;
    followed = lease && reportOutcome(lease, target.route.operation);
    if (number === 1) upstreams.getRetryBudget(at).deposit();
    const asked =
      number === 1 && followed === undefined
        ? target
        : {
            ...target,
            vendor: at,
            attempt: {
              timeLeft: timeLeft(context),
              ...(followed !== undefined && { ended: followed.ended }),
            },
          };
    sent = adapt(asked);
    const replied = await once(sent);
    followed?.settle(replied.refusal);
    return replied.refusal === undefined ? replied : { result: replied, error: replied.refusal, at, sent };
  } catch (thrown) {
    const error = asGatewayError(thrown);
    followed?.settle(error);
    return { result: error, error, ...(at !== undefined && { at }), ...(sent !== undefined && { sent }) };
  }
}

/**
 * The subject of the vendor's own limits: a model's answers and, separately, the counting of its tokens ("Token
 * counting", Claude documentation: "separate and independent rate limits").
 */
export function limitSubject({ model, route: { operation } }: Targeted): string {
  if (model === undefined) return operation;
  return operation === 'count-tokens' ? `${model.id} ${operation}` : model.id;
}

/** Milliseconds that are left for all attempts. */
export function timeLeft({
  upstreams,
  began,
}: Pick<AttemptContext<Targeted>, 'upstreams' | 'began'>): number {
  return upstreams.timeoutClock.limits.total - (performance.now() - began);
}

/** Whether an attempt has failed. */
export function isFailed<T extends Targeted>(
  outcome: RenderedReply | AttemptFailure<T>,
): outcome is AttemptFailure<T> {
  return 'result' in outcome;
}
