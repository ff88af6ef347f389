/**
 * The notes of one exchange while it runs. It is the one mutable thing on the request path: a stage that throws returns
 * no value, and what was known before the error must still be recorded.
 */

import type { Model } from '../../catalog/model.ts';
import { findPrices } from '../../catalog/prices-at.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import { sumTokens, type Tokens, type UsageField } from '../../conversation/tokens.ts';
import { usageReaders } from '../../formats/usage-readers.ts';
import { NO_BYTES } from '../../lib/bytes.ts';
import type { Fault, GatewayError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { CACHE, SANDBOX } from '../../upstream/vendor.ts';
import type { ExchangeTrace } from '../traces/exchange-trace.ts';
import { findCause } from './cause-of.ts';
import { computeCost, isSane, saneDollars } from './cost.ts';
import type { Estimated, ExchangeRecord, GaveWay, Outcome, Recorder } from './exchange-record.ts';
import { completed, type OutputEstimate } from './output-estimate.ts';
import type { UsageObserver } from './usage-observer.ts';
import { tierIn, usageIn } from './usage-search.ts';

/** Of one shape from the first note to the last. */
export interface Ledger {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** performance.now() when it began. */
  readonly began: number;
  /** Where the path says it, and not the endpoint. */
  operation: ExchangeRecord['operation'] | undefined;
  key: string | undefined;
  group: string | undefined;
  tag: string | undefined;
  model: Model | undefined;
  /** The model as the vendor that was asked calls it. */
  upstreamModel: string | undefined;
  vendor: string | undefined;
  spoken: FormatName | undefined;
  streamed: boolean;
  status: number;
  fault: Fault | undefined;
  cause: string | undefined;
  /** performance.now() at the first byte of the vendor's body. */
  first: number | undefined;
  attempts: number;
  /** What became of the models in whose place another one was asked, that which was asked for first. */
  gaveWay: readonly GaveWay[] | undefined;
  /** What was done to the request because the vendor refused it, in order. */
  repairs: readonly string[] | undefined;
  /** The vendor's own id of its last answer. */
  upstreamId: string | undefined;
  /** Rules of its format that the stream to the caller has broken, where somebody counted. */
  violations: number | undefined;
  /** Tokens of the request to the vendor, by its bytes. */
  asked: number;
  /** Whether a service tier is asked for. */
  tiered: boolean;
  usage: UsageObserver | undefined;
  output: OutputEstimate | undefined;
  /** Gives back what the exchange holds of budgets. */
  release: (() => void) | undefined;
  /** Its trace, where those are collected. */
  readonly trace: ExchangeTrace | undefined;
  /** Whether anybody wants to know: without, nothing is read off the vendor's body. */
  readonly isRecorded: boolean;
}

/** The notes of an exchange that begins now. @param isRecorded whether anybody takes them when it is over. */
export function openLedger(isRecorded: boolean, trace?: ExchangeTrace): Ledger {
  return {
    time: Date.now(),
    began: performance.now(),
    operation: undefined,
    key: undefined,
    group: undefined,
    tag: undefined,
    model: undefined,
    upstreamModel: undefined,
    vendor: undefined,
    spoken: undefined,
    streamed: false,
    status: 0,
    fault: undefined,
    cause: undefined,
    first: undefined,
    attempts: 0,
    gaveWay: undefined,
    repairs: undefined,
    upstreamId: undefined,
    violations: undefined,
    asked: 0,
    tiered: false,
    usage: undefined,
    output: undefined,
    release: undefined,
    trace,
    isRecorded,
  };
}

/** Notes what an exchange has failed by, or was refused for. */
export function noteFault(ledger: Ledger, error: GatewayError): void {
  ledger.fault = error.fault;
  ledger.cause = findCause(error);
}

/** The recorded status if the caller left before an answer: nginx's number for it, which dashboards know. */
export const CLIENT_CLOSED = 499;

/** Of an exchange, what is known beside its ledger. */
export type Named = Pick<ExchangeRecord, 'id' | 'format' | 'operation'>;

/**
 * All that a record is made of, as it was at the end: what breaks off after it is noted in the open ledger, and is none
 * of this one's. Plain data, which another thread can have.
 */
export interface ClosedLedger
  extends Named,
    Omit<ExchangeRecord, 'model' | 'outcome' | 'usage' | 'cost' | 'estimated'> {
  readonly model: Pick<Model, 'id' | 'prices'> | undefined;
  /** The model as the vendor that was asked calls it; undefined if none was asked. */
  readonly upstreamModel: string | undefined;
  /** What was kept of the vendor's body, for `usageIn`. */
  readonly remains: readonly Uint8Array[];
  /** Whether that body is no stream. */
  readonly isWhole: boolean;
  /** Whether the caller got all that was said. */
  readonly finished: boolean;
  /** Tokens by the text that went to the vendor and came back, of an answer of which not all may have been told. */
  readonly passed: { readonly input: number; readonly output: number } | undefined;
}

/**
 * Is given the notes of every exchange when it is over: must return at once, not throw. @param charged called once, when
 * what the exchange used has been charged, or is lost.
 */
export type RecordExchange = (closed: ClosedLedger, charged?: () => void) => void;

export function closeLedger(
  ledger: Ledger,
  { id, format, operation }: Named,
  finished: boolean,
): ClosedLedger {
  const { began, first, usage, output } = ledger;
  const remains = usage?.remains() ?? [];
  const passed = finished && usage?.hasUsage() !== false ? undefined : estimatePassed(ledger);
  usage?.release();
  return {
    id,
    time: ledger.time,
    key: ledger.key,
    group: ledger.group,
    tag: ledger.tag,
    model: ledger.model,
    upstreamModel: ledger.upstreamModel,
    vendor: ledger.vendor,
    format,
    spoken: ledger.spoken,
    operation: ledger.operation ?? operation,
    streamed: ledger.streamed,
    status: ledger.status,
    fault: ledger.fault,
    cause: ledger.cause,
    duration: performance.now() - began,
    firstByte: first === undefined ? undefined : first - began,
    attempts: ledger.attempts,
    gaveWay: ledger.gaveWay,
    repairs: ledger.repairs,
    upstreamId: ledger.upstreamId,
    violations: ledger.violations,
    remains,
    isWhole: output?.isWhole() ?? false,
    finished,
    passed,
  };
}

function estimatePassed({ asked, usage, output }: Ledger): ClosedLedger['passed'] {
  return { input: asked, output: output?.tokens(usage?.end() ?? NO_BYTES) ?? 0 };
}

const FREE: Model['prices'] = { input: 0, output: 0 };

/** What remains of an exchange that is over. */
export function makeRecord(closed: ClosedLedger): ExchangeRecord {
  const { model, upstreamModel, spoken, status, remains } = closed;
  const reader = spoken && usageReaders[spoken];
  const figures = reader === undefined || remains.length === 0 ? [] : ownUsage(closed, reader.field);
  const usage = reader?.tokens(figures, upstreamModel ?? '') ?? {};
  // What the sandbox or the cache answers costs nothing; its tokens count as anybody's, so that limits can be tried there.
  const simulated = closed.vendor === SANDBOX || closed.vendor === CACHE;
  const prices = model && (simulated ? FREE : findPrices(model.prices, closed.time));
  // To look for the tier takes as long as to write a line of the log.
  const tiers = (prices?.tiers && reader?.tiers(figures, () => tierIn(remains))) ?? [];
  const outcome = findOutcome(closed);
  // Field by field: the rest of an object without some of its fields is a dictionary to V8, and so is a copy of that.
  return {
    id: closed.id,
    time: closed.time,
    key: closed.key,
    group: closed.group,
    tag: closed.tag,
    model: model?.id,
    vendor: closed.vendor,
    format: closed.format,
    spoken,
    operation: closed.operation,
    streamed: closed.streamed,
    status: status === 0 && outcome === 'client-closed' ? CLIENT_CLOSED : status,
    outcome,
    fault: closed.fault,
    cause: closed.cause,
    duration: closed.duration,
    firstByte: closed.firstByte,
    usage,
    cost: simulated
      ? 0
      : (saneDollars(reader?.dollars?.(figures)) ?? (prices && computeCost(usage, prices, tiers))),
    estimated:
      prices &&
      estimateTokens(closed, outcome, figures.length, usage, (all) => computeCost(all, prices, tiers)),
    upstreamId: closed.upstreamId,
    attempts: closed.attempts,
    gaveWay: closed.gaveWay,
    repairs: closed.repairs,
    violations: closed.violations,
  };
}

/**
 * The first and the last usage of an answer. In a whole one of messages an input of a tool is an object, in which the
 * model may have written a usage, as the caller has told it to: its own is the last one, and all of it.
 */
function ownUsage({ remains, spoken, isWhole }: ClosedLedger, field: UsageField): readonly JsonObject[] {
  const figures = usageIn(remains, field);
  return spoken === 'messages' && isWhole ? figures.slice(-1) : figures;
}

/** What the vendor has not told of an answer; undefined of one that it has refused, or has told all of. */
function estimateTokens(
  { passed, spoken, operation, status, fault }: ClosedLedger,
  outcome: Outcome,
  figures: number,
  usage: Tokens,
  cost: (tokens: Tokens) => number | undefined,
): Estimated | undefined {
  if (passed === undefined || spoken === undefined) return undefined;
  if (operation === 'count-tokens' || status >= 400) return undefined;
  // A stream that is all of it an error is as good as refused; what took too long may have been thought about.
  if (fault !== undefined && fault !== 'upstream-timeout' && passed.output === 0) return undefined;
  const told = isSane(usage) ? usage : {};
  const isPart = outcome !== 'complete' && usageReaders[spoken].beginsWithInput === true && figures === 1;
  const all = completed(told, passed, isPart);
  const tokens = sumTokens(all) - sumTokens(told);
  return tokens > 0 ? { tokens, cost: (cost(all) ?? 0) - (cost(told) ?? 0) } : undefined;
}

/** Makes records of notes at once, where they are taken. */
export function recording(record: Recorder): RecordExchange {
  return (closed, charged) => {
    record(makeRecord(closed));
    charged?.();
  };
}

/** Faults that are the vendor's, or ours: not of what was asked. */
const FAILURES: ReadonlySet<Fault> = new Set([
  'internal',
  'upstream-auth',
  'upstream-broken',
  'upstream-overloaded',
  'upstream-timeout',
]);

/** Whether a fault is a failure of the vendor's, or ours. */
export function isFailure(fault: Fault): boolean {
  return FAILURES.has(fault);
}

function findOutcome({ fault, attempts, finished, vendor }: ClosedLedger): Outcome {
  if (!finished && fault === undefined) return 'client-closed';
  if (fault !== undefined && isFailure(fault)) return 'failed';
  // What the cache answers has a vendor's name, and no attempt.
  return attempts === 0 && (vendor === undefined || fault !== undefined) ? 'refused' : 'complete';
}
