/**
 * Stands by a native stream, whose bytes nobody here parses: where it breaks off, or just stops, its last bytes are
 * the format's own error event. A stream that was cut must not look like one that is whole. Where the vendor itself
 * ends by an error, that is noted.
 */

import type { Ledger } from '../accounting/usage/ledger.ts';
import type { Format } from '../formats/format.ts';
import { type ByteAccumulator, byteAccumulator } from '../lib/byte-accumulator.ts';
import { bytesOfText, latin1OfBytes } from '../lib/bytes.ts';
import { endedEarly, isVendors } from '../lib/errors.ts';
import { tryParseJson } from '../lib/json.ts';
import { decodeSse, sseText } from '../streams/sse.ts';
import { run } from '../streams/step.ts';
import { trailingBytes } from '../streams/trailing-bytes.ts';
import type { AnswerObserver, UpstreamHead } from '../upstream/send.ts';
import { endWithError, type RenderLateError } from './late-error.ts';

/** How much of a stream's end is kept, in bytes: more than the last events of an answer, unless one is a whole answer. */
const END = 2048;

/**
 * What a failure may say before its beginning is out of sight: it holds a whole request, or what was made of it. Its
 * line is a long one; shorter ones, as answers are made of, are not looked at. And how much of it is kept.
 */
const LARGE = 1024;
const LINE_FEED = 0x0a;
/** The line breaks behind an event, and the byte before them. */
const LONGEST_END = 5;
const MOST_OF_FAILURE = 256 * 1024;

/** Where an event is over, and where one can be that nobody has closed by an empty line. */
const BOUNDARY = /(?:\n\n|\r\r|\r\n\r\n)$/;
const EVENT = /(?:^|[\r\n])(?:event|data):/;
const LAST_DATA = /(?:^|[\r\n])data: ?([^\r\n]*)[\r\n]*$/;
const LAST_EVENT = /[}\]]\s*$/;

/**
 * Watches a native stream and passes it on as it is.
 * @param ledger notes the failure that the stream ends by. @param secret what nobody is to see of that.
 * @returns undefined where the answer is no event stream.
 */
export function detectTruncation(
  format: Format,
  { status, headers }: UpstreamHead,
  ledger: Ledger,
  secret: string,
): (AnswerObserver & Required<Pick<AnswerObserver, 'fail' | 'hasFailed'>>) | undefined {
  if (status !== 200 || !String(headers['content-type']).startsWith('text/event-stream')) return undefined;
  const { opening, ending, closing, failing } = format.outbound.marks;
  let isOpen = false;
  const tail = trailingBytes(END);
  const end = (): string => latin1OfBytes(tail.bytes());
  let failure: ByteAccumulator | undefined;

  /** Whether the stream may end as it does. */
  function isWhole(last: string): boolean {
    // What does not look like this format at all may end as it likes.
    if (last !== '' && !isOpen) return true;
    // Only the event that holds a whole answer, which is the last one, is so long that its beginning is not in sight.
    return (ending.test(last) || !EVENT.test(last)) && endsWhole(last);
  }

  return {
    transform(bytes, out) {
      isOpen ||= opening.test(end() + latin1OfBytes(bytes));
      if (failure === undefined && endsLong(bytes) && failing.test(end() + latin1OfBytes(bytes))) {
        failure = byteAccumulator(MOST_OF_FAILURE);
        failure.add(tail.bytes().slice());
      }
      if (failure !== undefined && failure.size() + bytes.byteLength <= MOST_OF_FAILURE)
        failure.add(bytes.slice());
      tail.add(bytes);
      out.enqueue(bytes);
    },
    flush() {
      if (!isWhole(end())) throw endedEarly();
    },
    fail(error, out) {
      const last = end();
      const isBetween = last === '' || BOUNDARY.test(last);
      const gap = isBetween ? '' : '\n\n';
      // A vendor that says nothing more after why it stopped has only failed to end its stream.
      const isParked = error.fault === 'upstream-timeout' && ending.test(last);
      if (closing !== undefined && (isParked || closing.test(last)) && endsWhole(last)) {
        if (gap !== '') out.enqueue(bytesOfText(gap));
        return;
      }
      const render: RenderLateError = (late, events) =>
        events.enqueue(format.inbound.renderLateError(late, last));
      endWithError(ledger, error, secret, render, {
        enqueue: (event) => out.enqueue(bytesOfText(gap + sseText(event))),
      });
    },
    hasFailed() {
      if (failure === undefined && !failing.test(end())) return false;
      // The first event in sight may be half of one, which says nothing.
      const events = run(decodeSse(), [failure?.whole() ?? tail.bytes()]);
      const fault = events.map(format.outbound.parseFailure).find((error) => error !== undefined)?.fault;
      if (fault === undefined) return false;
      ledger.fault = fault;
      return isVendors(fault);
    },
  };
}

/** Whether the line that a piece ends in, or with, has LARGE bytes of it. */
function endsLong(bytes: Uint8Array): boolean {
  const { byteLength } = bytes;
  return byteLength >= LARGE && bytes.lastIndexOf(LINE_FEED, byteLength - LONGEST_END) < byteLength - LARGE;
}

/** Whether the last event is all there, with the empty line that ends it or without. */
function endsWhole(end: string): boolean {
  if (BOUNDARY.test(end)) return true;
  const data = LAST_DATA.exec(end)?.[1];
  if (data === undefined) return LAST_EVENT.test(end);
  return data.startsWith('[DONE]') || tryParseJson(data) !== undefined;
}
