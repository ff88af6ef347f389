/**
 * Stands by a native stream, whose bytes nobody here parses: where it breaks off, or just stops, its last bytes are
 * the format's own error event. A stream that was cut must not look like one that is whole. Where the vendor itself
 * ends by an error, that is noted.
 */

import { type Ledger, noteFault } from '../accounting/usage/ledger.ts';
import type { Format } from '../formats/format.ts';
import { type ByteAccumulator, byteAccumulator } from '../lib/byte-accumulator.ts';
import { endedEarly, isVendors } from '../lib/errors.ts';
import { tryParseJson } from '../lib/json.ts';
import { decodeSse, sseText } from '../streams/sse.ts';
import { run } from '../streams/step.ts';
import { trailingBytes } from '../streams/trailing-bytes.ts';
import { toBuffer } from '../upstream/net/to-buffer.ts';
import type { TruncationDetector, UpstreamHead } from '../upstream/send.ts';

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

/** @returns undefined where the answer is no event stream. */
export function detectTruncation(
  format: Format,
  { status, headers }: UpstreamHead,
  ledger: Ledger | undefined,
): TruncationDetector | undefined {
  if (status !== 200 || !String(headers['content-type']).startsWith('text/event-stream')) return undefined;
  const { opening, ending, closing, failing } = format.outbound.marks;
  let isOpen = false;
  const tail = trailingBytes(END);
  const said = (): string => latin1(tail.bytes());
  let failure: ByteAccumulator | undefined;

  return {
    chunk(bytes) {
      isOpen ||= opening.test(said() + latin1(bytes));
      if (failure === undefined && endsLong(bytes) && failing.test(said() + latin1(bytes))) {
        failure = byteAccumulator(MOST_OF_FAILURE);
        failure.add(Buffer.from(tail.bytes()));
      }
      if (failure !== undefined && failure.size() + bytes.byteLength <= MOST_OF_FAILURE)
        failure.add(Buffer.from(bytes));
      tail.add(bytes);
    },
    checkTruncated() {
      const end = said();
      // What does not look like this format at all may end as it likes.
      if (end !== '' && !isOpen) return undefined;
      // Only the event that holds a whole answer, which is the last one, is so long that its beginning is not in sight.
      const isWhole = ending.test(end) || !EVENT.test(end);
      if (isWhole && endsWhole(end)) return undefined;
      return endedEarly();
    },
    hasFailed() {
      if (failure === undefined && !failing.test(said())) return false;
      // The first event in sight may be half of one, which says nothing.
      const events = run(decodeSse(), [failure?.whole() ?? tail.bytes()]);
      const fault = events.map(format.outbound.parseFailure).find((error) => error !== undefined)?.fault;
      if (fault === undefined) return false;
      if (ledger !== undefined) ledger.fault = fault;
      return isVendors(fault);
    },
    errorFrame(error) {
      const end = said();
      const isBetween = end === '' || BOUNDARY.test(end);
      const gap = isBetween ? '' : '\n\n';
      // A vendor that says nothing more after why it stopped has only failed to end its stream.
      const isParked = error.fault === 'upstream-timeout' && ending.test(end);
      if (closing !== undefined && (isParked || closing.test(end)) && endsWhole(end)) return Buffer.from(gap);
      if (ledger !== undefined) noteFault(ledger, error);
      return Buffer.from(gap + sseText(format.inbound.renderLateError(error, end)));
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

/** As latin1, a byte a character: the marks are ASCII, and no character that is cut in two gets in the way. */
function latin1(bytes: Uint8Array): string {
  return toBuffer(bytes).toString('latin1');
}
