/**
 * All that watches a native answer, as one step within the stream that its bytes come by: the usage, a stream that breaks
 * off, one that begins with its failure, and what the gateway itself has asked for or must hide. The bytes pass as they
 * are but for the last two.
 */

import { formats } from '../formats/formats.ts';
import { HIGH_WATER_MARK } from '../streams/push-body.ts';
import { type BodyStep, fuse, fuseBody, type Step } from '../streams/step.ts';
import type { AnswerObserver, UpstreamHead } from '../upstream/send.ts';
import { detectTruncation } from './detect-truncation.ts';
import { type Beginning, WATCHED_MARK, watchBeginning } from './early-failure.ts';
import type { Prepared } from './exchange.ts';
import { hideInFailures } from './hide-failures.ts';
import { noteStored } from './restrictions/note-stored.ts';

export interface NativeObservers {
  /** Absent where nothing is to be watched. */
  readonly observer: AnswerObserver | undefined;
  /** Absent of all but streams of events. */
  readonly beginning?: Beginning;
}

type Bytes = Step<Uint8Array, Uint8Array>;

/**
 * @param secret what the vendor's failures must not show.
 * @param usage reads the vendor's usage; absent where nobody wants to know.
 */
export function observeNative(
  { upstreamFormat, stripInjectedUsage, bind, ledger }: Prepared,
  secret: string,
  head: UpstreamHead,
  usage: Bytes | undefined,
): NativeObservers {
  const format = formats[upstreamFormat];
  const truncation = detectTruncation(format, head, ledger, secret);
  const isStream = String(head.headers['content-type']).startsWith('text/event-stream');
  const stored = bind && head.status === 200 ? noteStored(upstreamFormat, isStream, bind) : undefined;
  if (truncation === undefined) return { observer: joined(usage, stored) };
  const beginning = watchBeginning(format.outbound);
  const shown = hideInFailures(format.outbound, secret);
  const told = stripInjectedUsage === undefined ? shown : fuse(stripInjectedUsage(), shown);
  const step = fuseBody(truncation, fuse(beginning, joined(told, stored) ?? told));
  return {
    observer: {
      ...(usage === undefined ? step : watchedBy(usage, step)),
      hasFailed: truncation.hasFailed,
      mostQueued: () => (beginning.isOpen() ? WATCHED_MARK : HIGH_WATER_MARK),
    },
    beginning,
  };
}

/** The steps there are, one behind the other. */
function joined(first: Bytes | undefined, second: Bytes | undefined): Bytes | undefined {
  return first && second ? fuse(first, second) : (first ?? second);
}

/** A body's step behind one that only watches; what the step says of a failure is not the vendor's. */
function watchedBy(watcher: Bytes, step: BodyStep): BodyStep {
  return { ...fuse(watcher, step), ...(step.fail && { fail: step.fail }) };
}
