/**
 * Stands by a native stream, whose bytes nobody here parses: where it breaks off, or just stops, its last bytes are
 * the format's own error event. A stream that was cut must not look like one that is whole.
 */

import { GatewayError } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { sseText } from '../streams/sse.ts';
import type { Ledger } from '../usage/ledger.ts';
import type { Guard, UpstreamHead } from '../vendors/send.ts';

/** Longer than any mark. */
const EDGE = 48;

/** How much of a stream's end is looked at once it has broken. */
const END = 4096;

/** Where an event is over, and where one can be that nobody has closed by an empty line. */
const BOUNDARY = /(?:\n\n|\r\r|\r\n\r\n)$/;
const LAST_EVENT = /[}\]]\s*$/;

const NOTHING = new Uint8Array();

/** @returns undefined where the answer is no event stream. */
export function guardOf(
  format: Format,
  { status, headers }: UpstreamHead,
  ledger: Ledger | undefined,
): Guard | undefined {
  if (status !== 200 || !String(headers['content-type']).startsWith('text/event-stream')) return undefined;
  const { opening, ending, closing } = format.outbound.marks;
  let isOpen = false;
  let isEnded = false;
  let isClosed = false;
  let edge = '';
  let last: Uint8Array = NOTHING;
  let beforeLast: Uint8Array = NOTHING;
  const said = (): string => latin1(beforeLast).slice(-END) + latin1(last).slice(-END);

  return {
    chunk(bytes) {
      beforeLast = last;
      last = bytes;
      if (isClosed || (isEnded && closing === undefined)) return;
      // As latin1, a byte a character: the marks are ASCII, and no character that is cut in two gets in the way.
      const text = edge + latin1(bytes);
      isOpen ||= opening.test(text);
      isEnded ||= isOpen && ending.test(text);
      isClosed = isEnded && closing?.test(text) === true;
      edge = text.slice(-EDGE);
    },
    cut() {
      // What does not look like this format at all may end as it likes.
      if (last !== NOTHING && (!isOpen || (isEnded && LAST_EVENT.test(said())))) return undefined;
      return new GatewayError('upstream-broken', 'The upstream ended its answer before it was finished.');
    },
    words(error) {
      const end = said();
      const isWhole = end === '' || BOUNDARY.test(end);
      if (isWhole && isClosed) return NOTHING;
      if (ledger !== undefined) ledger.fault = error.fault;
      return Buffer.from((isWhole ? '' : '\n\n') + sseText(format.inbound.renderLateError(error, end)));
    },
  };
}

function latin1(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('latin1');
}
