/**
 * All that watches a native answer, as one step inside the stream that carries its bytes. It reads the usage, detects a
 * truncation and an early failure, removes the usage that the gateway requested for itself, and hides secrets in
 * failures. Only the last two change any bytes.
 */

import { formats } from '../formats/formats.ts';
import type { GatewayError } from '../lib/errors.ts';
import { HIGH_WATER_MARK } from '../streams/push-body.ts';
import { fuse, type Sink, type Step } from '../streams/step.ts';
import { isEventStream } from '../upstream/headers.ts';
import type { AnswerObserver, UpstreamHead } from '../upstream/send.ts';
import { TruncationWatch } from './detect-truncation.ts';
import { Beginning, WATCHED_MARK } from './early-failure.ts';
import type { Prepared } from './exchange.ts';
import { FailureHider } from './hide-failures.ts';
import { noteStored } from './restrictions/note-stored.ts';

type Bytes = Step<Uint8Array, Uint8Array>;

export interface NativeObservers {
  /** Absent if there is nothing to watch. */
  readonly observer: AnswerObserver | undefined;
  /** Absent unless the answer is an event stream. */
  readonly beginning?: Beginning;
}

/**
 * Makes the step that watches a native answer.
 * @param secret what the vendor's failures must not show.
 * @param head the head of the answer, which decides what there is to watch.
 * @param usage reads the vendor's usage; absent if nothing records it.
 */
export function observeNative(
  { upstreamFormat, stripInjectedUsage, bind, ledger }: Prepared,
  secret: string,
  { status, headers }: UpstreamHead,
  usage: Bytes | undefined,
): NativeObservers {
  const format = formats[upstreamFormat];
  const isStream = isEventStream(headers);
  const stored = bind && status === 200 ? noteStored(upstreamFormat, isStream, bind) : undefined;
  if (status !== 200 || !isStream) return { observer: joined(usage, stored) };
  const truncation = new TruncationWatch(format, ledger, secret);
  const beginning = new Beginning(format.outbound);
  const hider = new FailureHider(format.outbound, secret);
  const unseen = stripInjectedUsage === undefined ? hider : fuse(stripInjectedUsage(), hider);
  const visible = joined(unseen, stored) ?? unseen;
  return { observer: new StreamObserver(usage, truncation, beginning, visible), beginning };
}

/** Takes what a step passes on unchanged, and the next one gets anyway. */
const NOWHERE: Sink<Uint8Array> = { enqueue() {} };

/**
 * Joins the steps of a stream. The first three only watch: each of them sees what the vendor has sent, and passes it on
 * as it is. They are called one after the other, because steps that are fused in pairs cost a native event two calls
 * more each, and the engine cannot inline them. What is written for a failure is not the vendor's, so usage is not
 * looked for in it.
 */
class StreamObserver implements AnswerObserver {
  readonly #usage: Bytes | undefined;
  readonly #truncation: TruncationWatch;
  readonly #beginning: Beginning;
  readonly #visible: Bytes;

  constructor(usage: Bytes | undefined, truncation: TruncationWatch, beginning: Beginning, visible: Bytes) {
    this.#usage = usage;
    this.#truncation = truncation;
    this.#beginning = beginning;
    this.#visible = visible;
  }

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.#usage?.transform(bytes, NOWHERE);
    this.#truncation.transform(bytes, NOWHERE);
    this.#beginning.transform(bytes, NOWHERE);
    this.#visible.transform(bytes, out);
  }

  flush(out: Sink<Uint8Array>): void {
    this.#usage?.flush?.(NOWHERE);
    this.#truncation.flush();
    this.#end(out);
  }

  fail(error: GatewayError, out: Sink<Uint8Array>): void {
    this.#truncation.fail(error, {
      enqueue: (bytes) => {
        this.#beginning.transform(bytes, NOWHERE);
        this.#visible.transform(bytes, out);
      },
    });
    this.#end(out);
  }

  hasFailed(): boolean {
    return this.#truncation.hasFailed();
  }

  mostQueued(): number {
    return this.#beginning.isOpen() ? WATCHED_MARK : HIGH_WATER_MARK;
  }

  #end(out: Sink<Uint8Array>): void {
    this.#beginning.flush();
    this.#visible.flush?.(out);
  }
}

/** The steps that are given, one behind the other; undefined if there are none. */
function joined(first: Bytes | undefined, second: Bytes | undefined): Bytes | undefined {
  return first && second ? fuse(first, second) : (first ?? second);
}
