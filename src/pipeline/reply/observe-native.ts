/**
 * All that watches a native answer, as one step that the bytes cross before they are queued for the caller. It reads the
 * usage, detects a truncation and an early failure, removes the usage that the gateway requested for itself, and hides
 * secrets in failures. Only the last two change any bytes. Of a translated answer it reads only the usage and the ids of
 * what is stored.
 */

import type { Ledger } from '../../accounting/usage/ledger.ts';
import { observeUsage, type UsageStep } from '../../accounting/usage/observe-usage.ts';
import { isStored } from '../../conversation/route.ts';
import { formats } from '../../formats/formats.ts';
import { type GatewayError, isVendorError } from '../../lib/errors.ts';
import { HIGH_WATER_MARK } from '../../streams/push-body.ts';
import { fuse, type Sink, type Step } from '../../streams/step.ts';
import { TrailingBytes } from '../../streams/trailing-bytes.ts';
import { END_LENGTH, EndWatch } from '../../translate/watch-end.ts';
import { isEventStream } from '../../upstream/headers.ts';
import type { AnswerObserver, UpstreamHead } from '../../upstream/upstream-answer.ts';
import type { Prepared } from '../exchange.ts';
import { endWithError } from '../late-error.ts';
import { bindStored } from '../restrictions/bind-stored.ts';
import { Beginning, WATCHED_MARK } from './early-failure.ts';
import { FailureHider } from './hide-failures.ts';
import { watchUnframed } from './unframed-json.ts';

type Bytes = Step<Uint8Array, Uint8Array>;

export interface NativeObservers {
  /** Absent if there is nothing to watch. */
  readonly observer: AnswerObserver | undefined;
  /** Absent unless the answer is an event stream that a model gives to this request. */
  readonly beginning?: Beginning | undefined;
}

/**
 * Makes the step that watches a native answer.
 * @param secret what the vendor's failures must not show.
 * @param head the head of the answer, which decides what there is to watch.
 * @param repeats whether the answer may repeat the request (`observeUsage`).
 */
export function observeNative(
  prepared: Prepared,
  secret: string,
  head: UpstreamHead,
  repeats: boolean,
): NativeObservers {
  const { upstreamFormat, stripInjectedUsage, ledger, route } = prepared;
  const { status, headers } = head;
  const format = formats[upstreamFormat];
  const isStream = isEventStream(headers);
  const stored = observeStored(prepared, head);
  if (status !== 200 || !isStream) {
    const end = status === 200 ? watchUnframed(headers) : undefined;
    return { observer: joined(joined(observeUsage(ledger, upstreamFormat, repeats), stored), end) };
  }
  const tail = new TrailingBytes(Buffer.allocUnsafeSlow(END_LENGTH));
  const usage = observeUsage(ledger, upstreamFormat, repeats, tail);
  const isResumed = isStored(route.operation);
  const end = new EndWatch(format, tail, isResumed);
  const beginning = isResumed ? undefined : new Beginning(format.outbound);
  const hider = new FailureHider(format.outbound, secret);
  const unseen = stripInjectedUsage === undefined ? hider : fuse(stripInjectedUsage(), hider);
  const visible = joined(unseen, stored) ?? unseen;
  const watches = { ledger, secret, tail, usage, end, beginning, visible };
  return { observer: new StreamObserver(watches), beginning };
}

/** Makes the step that watches an answer that is translated: its usage, and what it stores at its vendor. */
export function observeTranslated(
  prepared: Prepared,
  head: UpstreamHead,
  repeats: boolean,
): AnswerObserver | undefined {
  const { ledger, upstreamFormat } = prepared;
  return joined(observeUsage(ledger, upstreamFormat, repeats), observeStored(prepared, head));
}

function observeStored(
  { upstreamFormat, bind }: Prepared,
  { status, headers }: UpstreamHead,
): Bytes | undefined {
  return bind && status === 200 ? bindStored(upstreamFormat, isEventStream(headers), bind) : undefined;
}

/** What a `StreamObserver` consists of. */
interface StreamWatches {
  /** Notes the failure that the stream ends with. */
  readonly ledger: Ledger;
  /** What that failure must not show. */
  readonly secret: string;
  /** The end of the stream, which `usage` and `end` share. */
  readonly tail: TrailingBytes;
  readonly usage: UsageStep | undefined;
  readonly end: EndWatch;
  /**
   * Absent for the stream of a stored response: a failure that it tells was that of the request that made the response,
   * not of this one.
   */
  readonly beginning: Beginning | undefined;
  /** What changes the bytes that the caller sees. */
  readonly visible: Bytes;
}

/**
 * Joins the steps of a stream. All but the last one only watch: each of them sees what the vendor has sent. They are
 * called one after the other, because steps that are fused in pairs cost a native event two calls more each, and the
 * engine cannot inline them. If the stream breaks off or simply stops, its last bytes are the format's own error event.
 * That is not the vendor's, so usage is not looked for in it.
 */
class StreamObserver implements AnswerObserver {
  readonly #ledger: Ledger;
  readonly #secret: string;
  readonly #tail: TrailingBytes;
  readonly #usage: UsageStep | undefined;
  readonly #end: EndWatch;
  readonly #beginning: Beginning | undefined;
  readonly #visible: Bytes;

  constructor({ ledger, secret, tail, usage, end, beginning, visible }: StreamWatches) {
    this.#ledger = ledger;
    this.#secret = secret;
    this.#tail = tail;
    this.#usage = usage;
    this.#end = end;
    this.#beginning = beginning;
    this.#visible = visible;
  }

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.#usage?.watch(bytes);
    this.#end.watch(bytes);
    this.#tail.add(bytes);
    this.#show(bytes, out);
  }

  flush(out: Sink<Uint8Array>): void {
    this.#end.flush();
    this.#finish(out);
  }

  fail(error: GatewayError, out: Sink<Uint8Array>): void {
    const shown: Sink<Uint8Array> = { enqueue: (bytes) => this.#show(bytes, out) };
    this.#end.fail(error, shown, (late, render, events) =>
      endWithError(this.#ledger, late, this.#secret, render, events),
    );
    this.#finish(out);
  }

  isClosed(): boolean {
    return this.#end.isClosed();
  }

  hasFailed(): boolean {
    if (this.#beginning === undefined) return false;
    const fault = this.#end.failure()?.fault;
    if (fault === undefined) return false;
    this.#ledger.fault = fault;
    return isVendorError(fault);
  }

  maxQueued(): number {
    return this.#beginning?.isOpen() === true ? WATCHED_MARK : HIGH_WATER_MARK;
  }

  #show(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.#beginning?.watch(bytes);
    this.#visible.transform(bytes, out);
  }

  #finish(out: Sink<Uint8Array>): void {
    this.#beginning?.end();
    this.#visible.flush?.(out);
  }
}

/** Joins those steps that are given, one after the other; undefined if there are none. */
function joined(first: Bytes | undefined, second: Bytes | undefined): Bytes | undefined {
  return first && second ? fuse(first, second) : (first ?? second);
}
