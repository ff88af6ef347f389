/**
 * All that watches a native answer, as one step inside the stream that carries its bytes. It reads the usage, detects a
 * truncation and an early failure, removes the usage that the gateway requested for itself, and hides secrets in
 * failures. Only the last two change any bytes.
 */

import { formats } from '../formats/formats.ts';
import { HIGH_WATER_MARK } from '../streams/push-body.ts';
import { type BodyStep, fuse, type Sink, type Step } from '../streams/step.ts';
import { isEventStream } from '../upstream/headers.ts';
import type { AnswerObserver, UpstreamHead } from '../upstream/send.ts';
import { detectTruncation } from './detect-truncation.ts';
import { type Beginning, WATCHED_MARK, watchBeginning } from './early-failure.ts';
import type { Prepared } from './exchange.ts';
import { hideInFailures } from './hide-failures.ts';
import { noteStored } from './restrictions/note-stored.ts';

export interface NativeObservers {
  /** Absent if there is nothing to watch. */
  readonly observer: AnswerObserver | undefined;
  /** Absent unless the answer is an event stream. */
  readonly beginning?: Beginning;
}

type Bytes = Step<Uint8Array, Uint8Array>;

/**
 * Makes the step that watches a native answer.
 * @param secret what the vendor's failures must not show.
 * @param head the head of the answer, which decides what there is to watch.
 * @param usage reads the vendor's usage; absent if nothing records it.
 */
export function observeNative(
  { upstreamFormat, stripInjectedUsage, bind, ledger }: Prepared,
  secret: string,
  head: UpstreamHead,
  usage: Bytes | undefined,
): NativeObservers {
  const format = formats[upstreamFormat];
  const truncation = detectTruncation(format, head, ledger, secret);
  const stored =
    bind && head.status === 200 ? noteStored(upstreamFormat, isEventStream(head.headers), bind) : undefined;
  if (truncation === undefined) return { observer: joined(usage, stored) };
  const beginning = watchBeginning(format.outbound);
  const shown = hideInFailures(format.outbound, secret);
  const unseen = stripInjectedUsage === undefined ? shown : fuse(stripInjectedUsage(), shown);
  const visible = joined(unseen, stored) ?? unseen;
  return {
    observer: {
      ...watchedBy(usage, truncation, beginning, visible),
      hasFailed: truncation.hasFailed,
      mostQueued: () => (beginning.isOpen() ? WATCHED_MARK : HIGH_WATER_MARK),
    },
    beginning,
  };
}

/** Takes what a step passes on unchanged, and the next one gets anyway. */
const NOWHERE: Sink<Uint8Array> = { enqueue() {} };

/**
 * Joins the steps. The first three only watch: each of them sees what the vendor has sent, and passes it on as it is.
 * They are called one after the other, because steps that are fused in pairs cost a native event two calls more each,
 * and the engine cannot inline them. What is written for a failure is not the vendor's, so usage is not looked for in
 * it.
 */
function watchedBy(
  usage: Bytes | undefined,
  truncation: Bytes & Required<Pick<BodyStep, 'fail'>>,
  beginning: Beginning,
  visible: Bytes,
): BodyStep {
  const flush = (out: Sink<Uint8Array>): void => {
    beginning.flush?.(NOWHERE);
    visible.flush?.(out);
  };
  return {
    transform(bytes, out) {
      usage?.transform(bytes, NOWHERE);
      truncation.transform(bytes, NOWHERE);
      beginning.transform(bytes, NOWHERE);
      visible.transform(bytes, out);
    },
    flush(out) {
      usage?.flush?.(NOWHERE);
      truncation.flush?.(NOWHERE);
      flush(out);
    },
    fail(error, out) {
      truncation.fail(error, {
        enqueue(bytes) {
          beginning.transform(bytes, NOWHERE);
          visible.transform(bytes, out);
        },
      });
      flush(out);
    },
  };
}

/** The steps that are given, one behind the other; undefined if there are none. */
function joined(first: Bytes | undefined, second: Bytes | undefined): Bytes | undefined {
  return first && second ? fuse(first, second) : (first ?? second);
}
