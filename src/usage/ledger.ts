/**
 * The notes of one exchange while it runs. It is the one mutable thing that goes along the request path: an error
 * keeps no value, and what was known before it must be told all the same.
 */

import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Tokens } from '../conversation/tokens.ts';
import type { Fault, GatewayError } from '../errors.ts';
import { usageReaders } from '../formats/usage-readers.ts';
import type { ExchangeTrace } from '../observe/traces.ts';
import { causeOf } from './cause-of.ts';
import { costOf } from './cost.ts';
import type { ExchangeRecord, Outcome, Recorder } from './exchange-record.ts';
import { remainsOf, tapChunk, type UsageTap, usageIn, usageTap } from './usage-tap.ts';

/** Of one shape from the first note to the last. */
export interface Ledger {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** performance.now() when it began. */
  readonly began: number;
  /** Where the path says it, and not the endpoint. */
  operation: ExchangeRecord['operation'] | undefined;
  key: string | undefined;
  model: Model | undefined;
  vendor: string | undefined;
  spoken: FormatName | undefined;
  streamed: boolean;
  status: number;
  fault: Fault | undefined;
  cause: string | undefined;
  /** performance.now() at the first byte of the vendor's body. */
  first: number | undefined;
  attempts: number;
  /** Rules of its format that the stream to the caller has broken, where somebody counted. */
  violations: number | undefined;
  tap: UsageTap | undefined;
  /** Its trace, where those are collected. */
  readonly trace: ExchangeTrace | undefined;
}

export function openLedger(trace?: ExchangeTrace): Ledger {
  return {
    time: Date.now(),
    began: performance.now(),
    operation: undefined,
    key: undefined,
    model: undefined,
    vendor: undefined,
    spoken: undefined,
    streamed: false,
    status: 0,
    fault: undefined,
    cause: undefined,
    first: undefined,
    attempts: 0,
    violations: undefined,
    tap: undefined,
    trace,
  };
}

/** Notes what an exchange has failed by, or was refused for. */
export function noteFault(ledger: Ledger, error: GatewayError): void {
  ledger.fault = error.fault;
  ledger.cause = causeOf(error);
}

/** Notes the bytes of a vendor's body as they arrive; a new one begins with every attempt. */
export function tapBody(ledger: Ledger, spoken: FormatName): (bytes: Uint8Array) => void {
  const tap = usageTap(usageReaders[spoken].field);
  ledger.tap = tap;
  return (bytes) => {
    ledger.first ??= performance.now();
    tapChunk(tap, bytes);
  };
}

/** What nobody was told, since the caller left first: nginx's number for it, which dashboards know. */
export const CLIENT_CLOSED = 499;

/** Of an exchange, what is known beside its ledger. */
export type Named = Pick<ExchangeRecord, 'id' | 'format' | 'operation'>;

/**
 * All that a record is made of, as it was at the end: what breaks off after it is noted in the open ledger, and is none
 * of this one's. Plain data, which another thread can have.
 */
export interface ClosedLedger extends Named, Omit<ExchangeRecord, 'model' | 'outcome' | 'usage' | 'cost'> {
  readonly model: Pick<Model, 'id' | 'prices'> | undefined;
  /** What was kept of the vendor's body, for `usageIn`. */
  readonly remains: readonly Uint8Array[];
  /** Whether the caller got all that was said. */
  readonly finished: boolean;
}

/** Is given the notes of every exchange when it is over. Called on the request path: must return at once, not throw. */
export type TakeNotes = (closed: ClosedLedger) => void;

export function closeLedger(
  ledger: Ledger,
  { id, format, operation }: Named,
  finished: boolean,
): ClosedLedger {
  const { began, first } = ledger;
  return {
    id,
    time: ledger.time,
    key: ledger.key,
    model: ledger.model,
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
    violations: ledger.violations,
    remains: ledger.tap === undefined ? [] : remainsOf(ledger.tap),
    finished,
  };
}

/** What remains of an exchange that is over. */
export function recordOf(closed: ClosedLedger): ExchangeRecord {
  const { model, spoken, status, remains, finished: _, ...noted } = closed;
  const usage = tokensOf(spoken, remains);
  const outcome = outcomeOf(closed);
  return {
    ...noted,
    model: model?.id,
    spoken,
    status: status === 0 && outcome === 'client-closed' ? CLIENT_CLOSED : status,
    outcome,
    usage,
    cost: model && costOf(usage, model.prices),
  };
}

/** Makes records of notes at once, where they are taken. */
export function recording(record: Recorder): TakeNotes {
  return (closed) => record(recordOf(closed));
}

function tokensOf(spoken: FormatName | undefined, remains: ClosedLedger['remains']): Tokens {
  if (spoken === undefined || remains.length === 0) return {};
  const reader = usageReaders[spoken];
  return reader.tokens(usageIn(remains, reader.field));
}

/** Faults that are the vendor's, or ours: not of what was asked. */
const FAILURES: ReadonlySet<Fault> = new Set([
  'internal',
  'upstream-auth',
  'upstream-broken',
  'upstream-overloaded',
  'upstream-timeout',
]);

function outcomeOf({ fault, attempts, finished }: ClosedLedger): Outcome {
  if (!finished && fault === undefined) return 'client-closed';
  if (fault !== undefined && FAILURES.has(fault)) return 'failed';
  return attempts === 0 ? 'refused' : 'complete';
}
