/** The step that reads a vendor's usage off the bytes of its body, which pass as they are. */

import type { FormatName } from '../../conversation/prompt.ts';
import { usageReaders } from '../../formats/usage-readers.ts';
import type { Sink, Step } from '../../streams/step.ts';
import type { TrailingBytes } from '../../streams/trailing-bytes.ts';
import type { Ledger } from './ledger.ts';
import { OutputEstimate } from './output-estimate.ts';
import { keepTopLevel } from './top-level-member.ts';
import { UsageObserver } from './usage-observer.ts';

/**
 * Makes the step for one attempt.
 * @param repeats whether the answer may have the caller's words in it, which must not pass for the vendor's
 *   (`top-level-member.ts`).
 * @param tail the end of the answer, if the caller of this function keeps it too: it then adds each piece to it after
 *   the step has seen the piece.
 * @returns undefined if nobody records the exchange.
 */
export function observeUsage(
  ledger: Ledger,
  upstreamFormat: FormatName,
  repeats: boolean,
  tail?: TrailingBytes,
): UsageStep | undefined {
  if (!ledger.isRecorded) return undefined;
  const { field } = usageReaders[upstreamFormat];
  // Of an answer that repeats the request, the observer sees other bytes, so their end is its own.
  ledger.usage = new UsageObserver(field, ledger.tiered, repeats ? undefined : tail);
  ledger.output = new OutputEstimate(upstreamFormat);
  return new UsageStep(ledger, ledger.usage, ledger.output, repeats ? keepTopLevel() : undefined);
}

/** The step, which notes in the ledger when the first byte has come. */
export class UsageStep implements Step<Uint8Array, Uint8Array> {
  readonly #ledger: Ledger;
  readonly #usage: UsageObserver;
  readonly #output: OutputEstimate;
  readonly #keepTopLevel: ((piece: Uint8Array) => Uint8Array) | undefined;

  /** @param keepTopLevel reduces the pieces of an answer that repeats the request to what the vendor says itself. */
  constructor(
    ledger: Ledger,
    usage: UsageObserver,
    output: OutputEstimate,
    keepTopLevel: ((piece: Uint8Array) => Uint8Array) | undefined,
  ) {
    this.#ledger = ledger;
    this.#usage = usage;
    this.#output = output;
    this.#keepTopLevel = keepTopLevel;
  }

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.watch(bytes);
    out.enqueue(bytes);
  }

  /** Sees the next bytes, which somebody else passes on. */
  watch(bytes: Uint8Array): void {
    this.#ledger.first ??= performance.now();
    this.#usage.add(this.#keepTopLevel === undefined ? bytes : this.#keepTopLevel(bytes));
    this.#output.add(bytes);
  }
}
