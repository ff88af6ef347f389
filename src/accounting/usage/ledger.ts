/**
 * The notes of one exchange while it runs. It is the one mutable thing on the request path: a stage that throws returns
 * no value, and what was known before the error must still be recorded.
 */

import type { Model } from '../../catalog/model.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import type { Fault, GatewayError } from '../../lib/errors.ts';
import type { ExchangeTrace } from '../traces/exchange-trace.ts';
import type { ExchangeRecord, GaveWay } from './exchange-record.ts';
import { findCause } from './find-cause.ts';
import type { OutputEstimate } from './output-estimate.ts';
import type { UsageObserver } from './usage-observer.ts';

/** It has all its fields from the beginning, so that V8 keeps one shape for it. */
export interface Ledger {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** performance.now() when it began. */
  readonly began: number;
  /** Set if the path says it, and not the endpoint. */
  operation: ExchangeRecord['operation'] | undefined;
  key: string | undefined;
  /** The name of the key that the request carried, if it has expired. */
  expiredKey: string | undefined;
  /** The name of the key that the request carried, if it was revoked. */
  revokedKey: string | undefined;
  group: string | undefined;
  tag: string | undefined;
  /** The limits for some models that it counts for. */
  modelLimits: readonly string[] | undefined;
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
  /** The models that failed before a fallback was asked, in order. */
  gaveWay: readonly GaveWay[] | undefined;
  /** What was done to the request because the vendor refused it, in order. */
  repairs: readonly string[] | undefined;
  /** The vendor's own id of its last answer. */
  upstreamId: string | undefined;
  /** How many rules of its format the stream to the caller has broken; undefined if nobody counted. */
  violations: number | undefined;
  /** Tokens of the request to the vendor, estimated from its bytes. */
  asked: number;
  /** Whether a service tier is asked for. */
  tiered: boolean;
  usage: UsageObserver | undefined;
  output: OutputEstimate | undefined;
  /** Returns what the exchange holds of budgets. */
  release: (() => void) | undefined;
  /** Its trace; absent if none are collected. */
  readonly trace: ExchangeTrace | undefined;
  /** Whether the exchange is recorded. If not, the vendor's body is not searched for usage. */
  readonly isRecorded: boolean;
}

/** Opens the notes of an exchange that begins now. @param isRecorded whether they become a record when it is over. */
export function openLedger(isRecorded: boolean, trace?: ExchangeTrace): Ledger {
  return {
    time: Date.now(),
    began: performance.now(),
    operation: undefined,
    key: undefined,
    expiredKey: undefined,
    revokedKey: undefined,
    group: undefined,
    tag: undefined,
    modelLimits: undefined,
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

/**
 * Forgets what is estimated of an attempt that has failed, because another one follows. A failed attempt costs nothing,
 * also if the caller leaves before there is anything to say of the next one.
 */
export function forgetEstimate(ledger: Ledger): void {
  ledger.asked = 0;
  ledger.output = undefined;
}

/** Notes why an exchange failed or was refused. */
export function noteFault(ledger: Ledger, error: GatewayError): void {
  ledger.fault = error.fault;
  ledger.cause = findCause(error);
}
