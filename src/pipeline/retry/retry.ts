/**
 * Makes several attempts to get one answer: at another upstream of the vendor, for a fallback model, or at the same
 * upstream after a wait. It does so only while nothing of an answer has been sent, never for a caller who has left, and
 * no more often than the upstream's retry budget allows.
 */

import { forgetEstimate } from '../../accounting/usage/ledger.ts';
import type { FallbackReason } from '../../catalog/catalog.ts';
import { amended, GatewayError } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { Stage } from '../../streams/chain.ts';
import type { Upstreams } from '../../upstream/pool/upstreams.ts';
import { recordedName } from '../../upstream/vendor.ts';
import type { Prepared, RenderedReply, Routed } from '../exchange.ts';
import { identifyDialogue } from '../request/session.ts';
import { storedReferences } from '../restrictions/stored-references.ts';
import {
  type AttemptFailure,
  attemptOnce,
  isFailed,
  limitSubject,
  type NextAttempt,
  type RetryContext,
  timeLeft,
} from './attempt.ts';
import { findTenant } from './find-tenant.ts';
import { openLessons } from './lessons.ts';
import { describeRefusal, parseExactBody } from './refusal.ts';
import { isAboutContent, isSameRefusal } from './refused-words.ts';
import type { Repaired } from './repair.ts';
import { repair } from './repairs.ts';
import { getLoss, mayRetry, waitBefore } from './retry-policy.ts';

/**
 * Wraps a single attempt in retries.
 * @param upstreams the limits on retries, and the health of each vendor's upstreams.
 * @param once a single attempt: the stages from `translateRequest` to `translateReply`.
 * @param prepare the first of these stages, which tells what a repair would change.
 * @returns a stage that gives the first answer that succeeds, or else the last refusal for the requested model.
 * @throws GatewayError that the requested model failed with.
 */
export function retry(
  upstreams: Upstreams,
  once: Stage<Routed, RenderedReply>,
  prepare: (routed: Routed) => Prepared,
): Stage<Routed, RenderedReply> {
  const lessons = openLessons(() => performance.now());
  return async (routed) => {
    const context = {
      once,
      upstreams,
      lessons,
      prepare,
      findSession: identifyDialogue,
      adapt: lessons.adapt,
      began: performance.now(),
    };
    const first = await attemptOnce(context, { target: routed }, 1);
    if (!isFailed(first)) return first;
    const outcome = await withRepairs(context, { target: routed }, 1, first);
    return isFailed(outcome) ? retryWhilePossible(context, routed, outcome) : outcome;
  };
}

async function retryWhilePossible(
  context: RetryContext,
  routed: Routed,
  first: AttemptFailure,
): Promise<RenderedReply> {
  const { limit } = context.upstreams.retries;
  let failed = first;
  let { result } = first;
  let target = routed;
  let number = 1;
  while (number <= limit && !routed.signal.aborted) {
    const next = await planNext(context, target, failed, number);
    if (next === undefined) break;
    number += 1;
    if (next.target.model !== target.model) recordFallback(target, failed);
    const made = await attemptOnce(context, next, number);
    const outcome = isFailed(made) ? await withRepairs(context, next, number, made) : made;
    if (!isFailed(outcome)) return nameFallback(outcome, next.target, routed);
    failed = outcome;
    target = next.target;
    // The caller gets the failure of the model that was requested, not that of a fallback.
    if (target.model === routed.model) result = outcome.result;
  }
  return giveUpAfter(result, number);
}

/** Adds a header that names the model if it is not the one that was requested. */
function nameFallback(replied: RenderedReply, { model }: Routed, asked: Routed): RenderedReply {
  if (model === asked.model) return replied;
  return { ...replied, headers: { ...replied.headers, 'x-gateway-model': model.id } };
}

/** Notes in the ledger how a model failed before a fallback is asked. */
function recordFallback({ ledger, model, vendor }: Routed, { error, at = vendor }: AttemptFailure): void {
  const { gaveWay: before = [] } = ledger;
  const attempts = before.reduce((left, made) => left - made.attempts, ledger.attempts);
  ledger.gaveWay = [...before, { model: model.id, vendor: recordedName(at), fault: error.fault, attempts }];
}

/** How often a request is sent once more because the vendor has refused it as it was. */
const MAX_REPAIRS = 3;

/**
 * Continues an attempt that has failed. If the vendor has refused the content of the request, repaired requests follow as
 * part of the same attempt, the last of them in the strictest form. If that is refused too, or another form for the same
 * reason, the caller gets the refusal before it, which is about the caller's own words.
 */
async function withRepairs(
  context: RetryContext,
  next: NextAttempt,
  number: number,
  failed: AttemptFailure,
): Promise<RenderedReply | AttemptFailure> {
  const { lessons, prepare } = context;
  const { ledger } = next.target;
  const made: Repaired[] = [];
  let outcome: RenderedReply | AttemptFailure = failed;
  let refusal = failed;
  let { target } = next;
  while (made.length < MAX_REPAIRS && isFailed(outcome) && outcome.sent !== undefined) {
    const { sent } = outcome;
    const repaired = findRepair(outcome, sent, made, prepare);
    if (repaired === undefined) break;
    made.push(repaired);
    ledger.repairs = [...(ledger.repairs ?? []), ...repaired.names];
    if (repaired.isCertain && repaired.lesson) lessons.remember(sent, repaired.lesson);
    else {
      const { attempt: _, ...routed } = repaired.routed;
      target = { ...routed, vendor: target.vendor };
    }
    outcome = await attemptOnce(context, { ...next, target }, number + 1);
    if (isFailed(outcome) && saysMore(outcome, repaired, refusal)) refusal = outcome;
  }
  if (isFailed(outcome)) return refusal;
  for (const { routed, lesson } of made) if (lesson !== undefined) lessons.remember(routed, lesson);
  return outcome;
}

/** The repair of a request as it was sent, after those that were made before; undefined if there is none. */
function findRepair(
  { result, error }: AttemptFailure,
  sent: Routed,
  made: readonly Repaired[],
  prepare: RetryContext['prepare'],
): Repaired | undefined {
  const names = made.flatMap((before) => before.names);
  const refused = describeRefusal(sent, result, error, names, prepare);
  return refused && repair(refused, made.length === MAX_REPAIRS - 1);
}

/** Whether the failure of a repaired request tells the caller more than the refusal before it. */
function saysMore(failure: AttemptFailure, { isGuess }: Repaired, { error }: AttemptFailure): boolean {
  return !isRefusal(failure) || (!isGuess && !isSameRefusal(error, failure.error));
}

/** Whether an attempt failed by what was asked, and not by the vendor's state. */
function isRefusal({ error }: AttemptFailure): boolean {
  return getLoss(error) === undefined;
}

/** Decides where to try next, and waits until then; undefined if another attempt is of no use. */
async function planNext(
  context: RetryContext,
  target: Routed,
  failed: AttemptFailure,
  made: number,
): Promise<NextAttempt | undefined> {
  const { retries, getPool, getRetryBudget } = context.upstreams;
  const { error, at } = failed;
  const loss = getLoss(error) ?? (isOfUnknownPlace(failed) ? 'elsewhere' : undefined);
  if (loss === undefined) {
    const refusal = findRefusal(error);
    return refusal && planFallback(target, refusal);
  }
  const again = mayRetry(loss, retries.after);
  const avoid = new Set(at && [at]);
  const hasOther =
    at !== undefined &&
    getPool(target.vendor)?.hasOther(avoid, findTenant(target.principal), limitSubject(target));
  if (hasOther && (again || loss === 'elsewhere') && getRetryBudget(at).withdraw()) return { target, avoid };
  const other = await planFallback(target, 'outage');
  if (other !== undefined) return other;
  if (!again || at === undefined) return undefined;
  const wait = waitBefore(error, made, retries);
  if (wait === undefined || wait >= timeLeft(context) || !getRetryBudget(at).withdraw()) return undefined;
  forgetEstimate(target.ledger);
  return (await pause(wait, target.signal)) ? { target } : undefined;
}

/**
 * Whether a vendor's 404 is about the place that the gateway has asked: an endpoint or a deployment that is gone. There
 * is nothing else that the vendor could have looked for, if the request names nothing that is stored.
 */
function isOfUnknownPlace({ error, sent }: AttemptFailure): boolean {
  if (error.fault !== 'not-found' || sent === undefined) return false;
  const body = parseExactBody(sent);
  return body !== undefined && storedReferences(sent.route.format, body).length === 0;
}

/** The kind of a refusal after which another model may answer the same prompt; undefined for any other refusal. */
function findRefusal(error: GatewayError): FallbackReason | undefined {
  if (error.fault === 'context-too-long') return 'long-prompt';
  return isAboutContent(error) ? 'content-policy' : undefined;
}

async function planFallback(target: Routed, reason: FallbackReason): Promise<NextAttempt | undefined> {
  const other = await target.nextFallback?.(reason);
  return other && { target: other };
}

/** Waits for so many milliseconds. @returns false, and sooner, if the signal aborts. */
export async function pause(milliseconds: number, signal: Signal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', resolve);
  if (!signal.aborted) await withTimeout(promise, milliseconds);
  signal.removeEventListener('abort', resolve);
  return !signal.aborted;
}

/**
 * Gives the final outcome. After more than one attempt it advises the official SDKs not to retry. An overloaded vendor
 * is the exception: agents retry it ten times and more, as they would without a gateway.
 */
export function giveUpAfter(result: GatewayError | RenderedReply, number: number): RenderedReply {
  const failure = result instanceof GatewayError ? result : result.refusal;
  const final = number > 1 && failure?.retryAfter === undefined && failure?.fault !== 'upstream-overloaded';
  if (result instanceof GatewayError) throw final ? amended(result, NOT_AGAIN) : result;
  return final ? { ...result, headers: { ...result.headers, ...NOT_AGAIN.headers } } : result;
}

const NOT_AGAIN = { headers: { 'x-should-retry': 'false' } } as const;
