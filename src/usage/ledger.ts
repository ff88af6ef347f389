/**
 * The notes of one exchange while it runs. It is the one mutable thing that goes along the request path: an error
 * keeps no value, and what was known before it must be told all the same.
 */

import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { Tokens } from '../conversation/tokens.ts';
import type { Fault } from '../errors.ts';
import { formats } from '../formats/all.ts';
import type { ExchangeTrace } from '../observe/traces.ts';
import { costOf } from './cost.ts';
import type { ExchangeRecord, Outcome } from './exchange-record.ts';
import { type UsageTap, usageTap } from './usage-tap.ts';

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
    first: undefined,
    attempts: 0,
    violations: undefined,
    tap: undefined,
    trace,
  };
}

/** Notes the bytes of a vendor's body as they arrive; a new one begins with every attempt. */
export function tapBody(ledger: Ledger, spoken: FormatName): (bytes: Uint8Array) => void {
  const tap = usageTap(formats[spoken].outbound.usageField);
  ledger.tap = tap;
  return (bytes) => {
    ledger.first ??= performance.now();
    tap.chunk(bytes);
  };
}

/** What nobody was told, since the caller left first: nginx's number for it, which dashboards know. */
export const CLIENT_CLOSED = 499;

/** The notes as they were at the end: what breaks off after it is noted in the open ones, and is none of theirs. */
export interface ClosedLedger extends Readonly<Ledger> {
  /** performance.now() when it was over. */
  readonly ended: number;
  /** Whether the caller got all that was said. */
  readonly finished: boolean;
}

export function closeLedger(ledger: Ledger, finished: boolean): ClosedLedger {
  return { ...ledger, ended: performance.now(), finished };
}

/** What remains of an exchange that is over. */
export function recordOf(
  ledger: ClosedLedger,
  { id, format, operation }: Pick<ExchangeRecord, 'id' | 'format' | 'operation'>,
): ExchangeRecord {
  const { time, began, ended, key, model, vendor, spoken, streamed, status, fault, first, attempts } = ledger;
  const usage = tokensOf(ledger);
  const outcome = outcomeOf(ledger);
  return {
    id,
    time,
    key,
    model: model?.id,
    vendor,
    format,
    spoken,
    operation: ledger.operation ?? operation,
    streamed,
    status: status === 0 && outcome === 'client-closed' ? CLIENT_CLOSED : status,
    outcome,
    fault,
    duration: ended - began,
    firstByte: first === undefined ? undefined : first - began,
    usage,
    cost: model && costOf(usage, model.prices),
    attempts,
    violations: ledger.violations,
  };
}

function tokensOf({ tap, spoken }: ClosedLedger): Tokens {
  return tap === undefined || spoken === undefined ? {} : formats[spoken].outbound.parseTokens(tap.found());
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
