/** The notes of an exchange that is over. */

import type { Model } from '../../catalog/model.ts';
import { NO_BYTES } from '../../lib/bytes.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import type { Ledger } from './ledger.ts';

/** What is known of an exchange without its ledger. */
export type Named = Pick<ExchangeRecord, 'id' | 'format' | 'operation'>;

/**
 * Everything that a record is made from, as it was at the end of the exchange. What breaks off later is noted in the open
 * ledger only. It is plain data, which can be sent to another thread.
 */
export interface ClosedLedger
  extends Named,
    Omit<ExchangeRecord, 'model' | 'outcome' | 'usage' | 'cost' | 'estimated'> {
  readonly model: Pick<Model, 'id' | 'prices'> | undefined;
  /** The model as the vendor that was asked calls it; undefined if none was asked. */
  readonly upstreamModel: string | undefined;
  /** What was kept of the vendor's body, for `usageIn`. */
  readonly remains: readonly Uint8Array[];
  /** Whether that body is not a stream. */
  readonly isWhole: boolean;
  /** Whether the caller received all of the answer. */
  readonly finished: boolean;
  /** Tokens estimated from the text that passed, for what the vendor did not report; undefined if no vendor answered. */
  readonly passed: { readonly input: number; readonly output: number } | undefined;
}

/**
 * Takes the notes of an exchange that is over. It must return at once, and must not throw.
 * @param charged called once, when what the exchange used has been charged, or is lost.
 */
export type RecordExchange = (closed: ClosedLedger, charged?: () => void) => void;

/** Closes the notes of an exchange. @param finished whether the caller received all of the answer. */
export function closeLedger(
  ledger: Ledger,
  { id, format, operation }: Named,
  finished: boolean,
): ClosedLedger {
  const { began, first, usage, output } = ledger;
  const remains = usage?.remains() ?? [];
  const passed = finished && usage === undefined ? undefined : estimatePassed(ledger);
  usage?.release();
  return {
    id,
    time: ledger.time,
    key: ledger.key,
    expiredKey: ledger.expiredKey,
    revokedKey: ledger.revokedKey,
    group: ledger.group,
    tag: ledger.tag,
    modelLimits: ledger.modelLimits,
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
