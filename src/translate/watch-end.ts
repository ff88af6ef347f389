/**
 * Watches the end of a native stream, which nothing here parses. If the stream breaks off or simply stops, its last
 * bytes are the format's own error event: a stream that was cut must not look complete.
 */

import type { EventRenderer, Format } from '../formats/format.ts';
import { ByteAccumulator } from '../lib/byte-accumulator.ts';
import { bytesOfText, LF, latin1OfBytes } from '../lib/bytes.ts';
import { endedEarly, type GatewayError } from '../lib/errors.ts';
import { tryParseJson } from '../lib/json.ts';
import { endsEvent, lastEventEnd, SEAM } from '../streams/event-ends.ts';
import { EVENT_BEGINNING, type Sse, sseText } from '../streams/sse.ts';
import type { Sink, Step } from '../streams/step.ts';
import { TrailingBytes } from '../streams/trailing-bytes.ts';
import { findFailure, HEAD } from './find-failure.ts';

/**
 * How much of a stream's end is kept, in bytes: more than the last events of an answer, unless one of them holds the
 * whole answer.
 */
export const END_LENGTH = 2048;

/**
 * The least length of a line, in bytes, that may be a failure whose beginning has left the kept end. Such a failure
 * holds a whole request, or what was made of it, in one long line. Answers consist of shorter lines, which are not
 * examined. The second figure is how much of such a failure is kept.
 */
const LARGE = 1024;
/** The line breaks after an event, and the byte before them, in bytes. */
const MAX_END_LENGTH = 5;
const MAX_FAILURE_LENGTH = 256 * 1024;

/** Matches where data begins. Comments and names alone make no event (WHATWG HTML, 9.2.6). */
const DATA = /(?:^(?:\xef\xbb\xbf)?|[\r\n])data:/;
/** Match the places where an event may end that lacks its empty line. */
const LAST_DATA = /(?:^|[\r\n])data: ?([^\r\n]*)[\r\n]*$/;
const LAST_EVENT = /[}\]]\s*$/;

/** Says a late error by `render`, as an event. */
export type ReportLate = (error: GatewayError, render: EventRenderer['fail'], out: Sink<Sse>) => void;

/** A step that passes a native stream's bytes on unchanged. */
export class EndWatch implements Step<Uint8Array, Uint8Array> {
  readonly #format: Format;
  readonly #tail: TrailingBytes;
  #isOpen: boolean;
  readonly #isResumed: boolean;
  /** Whether data has come. It is looked for only until the stream is open. */
  #hasData = false;
  /** What has come of a long failure, from its beginning on. */
  #failure: ByteAccumulator | undefined;

  /**
   * @param tail the end of the stream, if somebody else keeps it too.
   * @param isResumed whether the stream begins after some of its events, or after all of them: then it may be empty.
   */
  constructor(
    format: Format,
    tail = new TrailingBytes(new Uint8Array(END_LENGTH)),
    isResumed: boolean = false,
  ) {
    this.#format = format;
    this.#tail = tail;
    this.#isResumed = isResumed;
    this.#isOpen = isResumed;
  }

  transform(bytes: Uint8Array, out: Sink<Uint8Array>): void {
    this.watch(bytes);
    this.#tail.add(bytes);
    out.enqueue(bytes);
  }

  /** Sees the next bytes, which somebody else then adds to the shared end, and passes on. */
  watch(bytes: Uint8Array): void {
    const { failing } = this.#format.outbound.marks;
    const tail = this.#tail;
    if (!this.#isOpen) this.#readBeginning(bytes);
    if (
      this.#failure === undefined &&
      endsLong(bytes) &&
      failing.test(this.#lastText() + latin1OfBytes(bytes))
    ) {
      this.#failure = new ByteAccumulator(MAX_FAILURE_LENGTH);
      this.#failure.add(tail.bytes().slice());
    }
    if (this.#failure !== undefined && this.#failure.size() + bytes.byteLength <= MAX_FAILURE_LENGTH)
      this.#failure.add(bytes.slice());
  }

  /** @throws GatewayError if the stream must not end here. */
  flush(): void {
    if (this.#isResumed && this.#tail.latin1() === '') return;
    const last = this.#lastText();
    if (!this.#isWhole(last) && !this.#wasComplete(last)) throw endedEarly();
  }

  /** Whether the stream's last event has come. */
  isClosed(): boolean {
    const last = this.#lastText();
    const isLast = this.#format.outbound.marks.closing?.test(last) === true;
    return isLast && endsEvent(this.#tail.last(SEAM)) && this.#isWhole(last);
  }

  /** Writes an error as the stream's last bytes, unless the stream is complete in spite of it. */
  fail(error: GatewayError, out: Sink<Uint8Array>, say: ReportLate): void {
    const format = this.#format;
    const { ending, closing } = format.outbound.marks;
    const last = this.#lastText();
    if (this.#wasComplete(last)) return;
    const isBetween = last === '' || endsEvent(this.#tail.last(SEAM));
    const gap = isBetween ? '' : '\n\n';
    // A vendor that sends nothing more after the finish reason has merely failed to end its stream.
    const isParked = error.fault === 'upstream-timeout' && ending.test(last);
    if ((isParked || closing?.test(last) === true) && this.#endsWhole(last)) {
      if (gap !== '') out.enqueue(bytesOfText(gap));
      return;
    }
    say(error, (late, events) => events.enqueue(format.inbound.renderLateError(late, last)), {
      enqueue: (event) => out.enqueue(bytesOfText(gap + sseText(event))),
    });
  }

  /** The failure that the vendor itself has ended the stream with, if it has. */
  failure(): GatewayError | undefined {
    const { outbound } = this.#format;
    if (this.#failure === undefined && !outbound.marks.failing.test(this.#lastText())) return undefined;
    // The first event in the kept end may be half of one, which parses as nothing.
    return findFailure(this.#failure?.whole() ?? this.#tail.bytes(), outbound);
  }

  #lastText(): string {
    return this.#tail.latin1();
  }

  /**
   * Looks for the opening in a piece and what came before it. It stands near the beginning, as a rule of a large piece.
   */
  #readBeginning(bytes: Uint8Array): void {
    const { opening } = this.#format.outbound.marks;
    const before = this.#lastText();
    const head = before + latin1OfBytes(bytes, 0, Math.min(bytes.byteLength, HEAD));
    this.#isOpen =
      opening.test(head) || (bytes.byteLength > HEAD && opening.test(before + latin1OfBytes(bytes)));
    this.#hasData ||= DATA.test(head);
  }

  /** Whether the stream may end here. @param last the kept end. */
  #isWhole(last: string): boolean {
    // A stream that does not look like this format at all may end behind any of its events. Without one it may not: the
    // official SDKs would take it for an empty answer. JSON is left as it is, since it may be the vendor's error.
    if (!this.#isOpen)
      return this.#hasData || DATA.test(last) ? this.#endsWhole(last) : LAST_EVENT.test(last);
    return this.#mayEndAfter(last) && this.#endsWhole(last);
  }

  /** Whether the last event had come before the half of another one, which no client reads. @param last the kept end. */
  #wasComplete(last: string): boolean {
    const { closing } = this.#format.outbound.marks;
    if (closing?.test(last) !== true || endsEvent(this.#tail.last(SEAM))) return false;
    const whole = last.slice(0, Math.max(0, lastEventEnd(this.#tail.bytes())));
    return closing.test(whole) && this.#mayEndAfter(whole);
  }

  #mayEndAfter(last: string): boolean {
    // Only the event that holds a whole answer, which is the last one, is so long that its beginning is not in the kept
    // end.
    return this.#format.outbound.marks.ending.test(last) || !EVENT_BEGINNING.test(last);
  }

  /** Whether the last event is complete, with or without the empty line after it. @param last the kept end. */
  #endsWhole(last: string): boolean {
    if (endsEvent(this.#tail.last(SEAM))) return true;
    const data = LAST_DATA.exec(last)?.[1];
    if (data === undefined) return LAST_EVENT.test(last);
    return data.startsWith('[DONE]') || tryParseJson(data) !== undefined;
  }
}

/** Whether the line in which a piece ends, or which ends with the piece, has at least LARGE bytes. */
function endsLong(bytes: Uint8Array): boolean {
  const { byteLength } = bytes;
  return byteLength >= LARGE && bytes.lastIndexOf(LF, byteLength - MAX_END_LENGTH) < byteLength - LARGE;
}
