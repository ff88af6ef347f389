/** The record of an exchange, made from its closed ledger. */

import type { Model } from '../../catalog/model.ts';
import { findPrices } from '../../catalog/prices-at.ts';
import { isStored } from '../../conversation/route.ts';
import { sumTokens, type Tokens, type UsageField } from '../../conversation/tokens.ts';
import { usageReaders } from '../../formats/usage-readers.ts';
import type { Fault } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { CACHE, SANDBOX } from '../../upstream/vendor.ts';
import type { ClosedLedger, RecordExchange } from './closed-ledger.ts';
import { computeCost, isSane, saneDollars } from './cost.ts';
import type { Estimated, ExchangeRecord, Outcome, Recorder } from './exchange-record.ts';
import { REFUSED_BY_HOOK } from './find-cause.ts';
import { completed } from './output-estimate.ts';
import { tierIn, usageIn } from './usage-search.ts';

/** The recorded status if the caller left before an answer: nginx's number for it, which dashboards know. */
export const CLIENT_CLOSED = 499;

const FREE: Model['prices'] = { input: 0, output: 0 };

/** Makes the record of an exchange that is over. */
export function makeRecord(closed: ClosedLedger): ExchangeRecord {
  const { model, upstreamModel, spoken, status, remains } = closed;
  // What a stored response has used was used by the request that made it.
  const reader = spoken && !isStored(closed.operation) ? usageReaders[spoken] : undefined;
  const figures = reader === undefined ? [] : ownUsage(closed, reader.field);
  const usage = reader?.tokens(figures, upstreamModel ?? '') ?? {};
  // An answer of the sandbox or the cache costs nothing. Its tokens count as usual, so that limits can be tried there.
  const simulated = closed.vendor === SANDBOX || closed.vendor === CACHE;
  const prices = model && (simulated ? FREE : findPrices(model.prices, closed.time));
  // To look for the tier takes as long as to write a line of the log.
  const tiers = (prices?.tiers && reader?.tiers(figures, () => tierIn(remains))) ?? [];
  const dollars = saneDollars(reader?.dollars?.(figures));
  const outcome = findOutcome(closed);
  // Field by field: the rest of an object without some of its fields is a dictionary to V8, and so is a copy of that.
  return {
    id: closed.id,
    time: closed.time,
    key: closed.key,
    expiredKey: closed.expiredKey,
    revokedKey: closed.revokedKey,
    group: closed.group,
    tag: closed.tag,
    modelLimits: closed.modelLimits,
    model: model?.id,
    vendor: closed.vendor,
    format: closed.format,
    spoken,
    operation: closed.operation,
    streamed: closed.streamed,
    status: recordedStatus(status, outcome),
    outcome,
    fault: closed.fault,
    cause: closed.cause,
    duration: closed.duration,
    firstByte: closed.firstByte,
    usage,
    cost: simulated ? 0 : (dollars ?? (prices && computeCost(usage, prices, tiers))),
    estimated:
      prices &&
      // What the vendor has charged includes the tokens that it has not counted.
      estimateTokens(closed, outcome, figures.length, usage, (all) =>
        dollars === undefined ? computeCost(all, prices, tiers) : undefined,
      ),
    upstreamId: closed.upstreamId,
    attempts: closed.attempts,
    gaveWay: closed.gaveWay,
    repairs: closed.repairs,
    violations: closed.violations,
  };
}

/**
 * The first and the last usage of an answer. In a non-streaming answer in messages, the input of a tool is an object, in
 * which the model may have written a `usage` because the caller told it to. The vendor's own is then the last one, and
 * complete.
 */
function ownUsage({ remains, spoken, isWhole }: ClosedLedger, field: UsageField): readonly JsonObject[] {
  if (remains.length === 0) return [];
  const figures = usageIn(remains, field);
  return spoken === 'messages' && isWhole ? figures.slice(-1) : figures;
}

/** Estimates the usage that the vendor did not report; undefined if it refused the request, or reported everything. */
function estimateTokens(
  { passed, spoken, operation, status, fault }: ClosedLedger,
  outcome: Outcome,
  figures: number,
  usage: Tokens,
  cost: (tokens: Tokens) => number | undefined,
): Estimated | undefined {
  if (passed === undefined || spoken === undefined) return undefined;
  if (operation === 'count-tokens' || status >= 400) return undefined;
  // A stream of nothing but an error is as good as refused. A model that took too long may have thought meanwhile.
  if (fault !== undefined && fault !== 'upstream-timeout' && passed.output === 0) return undefined;
  const told = isSane(usage) ? usage : {};
  // An error after the head cuts the answer, whoever is to blame.
  const isCut = outcome !== 'complete' || fault !== undefined;
  const isPart = isCut && usageReaders[spoken].beginsWithInput === true && figures === 1;
  const all = completed(told, passed, isPart);
  const tokens = sumTokens(all) - sumTokens(told);
  return tokens > 0 ? { tokens, cost: (cost(all) ?? 0) - (cost(told) ?? 0) } : undefined;
}

/** Makes the record at once, in the thread that has the notes. */
export function recording(record: Recorder): RecordExchange {
  return (closed, charged) => {
    record(makeRecord(closed));
    charged?.();
  };
}

/** Faults of the vendor or the gateway, and not of the request. */
const FAILURES: ReadonlySet<Fault> = new Set([
  'internal',
  'upstream-auth',
  'upstream-broken',
  'upstream-overloaded',
  'upstream-timeout',
]);

/** Whether a fault is a failure of the vendor or the gateway. */
export function isFailure(fault: Fault): boolean {
  return FAILURES.has(fault);
}

function recordedStatus(status: number, outcome: Outcome): number {
  return status === 0 && outcome === 'client-closed' ? CLIENT_CLOSED : status;
}

function findOutcome({ fault, cause, attempts, finished, vendor }: ClosedLedger): Outcome {
  if (!finished && fault === undefined) return 'client-closed';
  if (fault !== undefined && isFailure(fault)) return 'failed';
  // The gateway has ended what a vendor was asked for, since it shuts down or is short of something.
  if (fault === 'overloaded' && attempts > 0) return 'failed';
  // A hook may refuse an answer that the vendor has begun.
  if (cause === REFUSED_BY_HOOK) return 'refused';
  // An answer from the cache has a vendor's name, and no attempt.
  return attempts === 0 && (vendor === undefined || fault !== undefined) ? 'refused' : 'complete';
}
