/** Server-sent events (WHATWG HTML, 9.2): from bytes to events with eventsource-parser, and from events to text. */

import { createParser, type EventSourceParser } from 'eventsource-parser';
import { GatewayError } from '../lib/errors.ts';
import { type Pieces, RepeatedEvents } from './repeated-events.ts';
import { fuse, type Sink, type Step } from './step.ts';
import { UnframedErrors } from './unframed-errors.ts';

/** One event. `event` is absent if the stream gives it no name. */
export interface Sse {
  readonly event?: string | undefined;
  readonly data: string;
  /**
   * Set if this is the event before once more, with this text in place of its piece. Its `data` is '' then, unless numbers
   * in it differ too.
   */
  readonly piece?: string;
  /** Set if the data is a complete body that is no stream. */
  readonly isWhole?: true;
}

/** The longest event that is held, in UTF-16 code units: enough for a thought signature or a base64 image. */
export const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/**
 * Makes the step from network chunks, cut anywhere, to events. It also gives a last event without its empty line,
 * because some services end that way, and an error that stands outside of any event.
 * @param maxLength UTF-16 code units.
 * @param pieces of the events' reader, if it takes any.
 * @throws GatewayError `upstream-broken` if an event is longer than `maxLength`.
 */
export function decodeSse(maxLength = MAX_EVENT_LENGTH, pieces?: Pieces): Step<Uint8Array, Sse> {
  const parser =
    pieces === undefined ? makeParser(maxLength) : new RepeatedEvents(makeParser, maxLength, pieces, asEvent);
  return fuse(fuse(new TextStep(), new UnframedErrors()), parser);
}

const makeParser = (maxLength: number): EventStep => new EventStep(maxLength);

const asEvent = (piece: string, data: string): Sse => ({ data, piece });

/** Decodes UTF-8, cut anywhere. */
class TextStep implements Step<Uint8Array, string> {
  readonly #decoder = new TextDecoder();

  transform(chunk: Uint8Array, out: Sink<string>): void {
    const text = this.#decoder.decode(chunk, STREAMED);
    if (text !== '') out.enqueue(text);
  }

  flush(out: Sink<string>): void {
    const text = this.#decoder.decode();
    if (text !== '') out.enqueue(text);
  }
}

const STREAMED = { stream: true };

class EventStep implements Step<string, Sse> {
  readonly #maxLength: number;
  readonly #parser: EventSourceParser;
  #sink: Sink<Sse> | undefined;
  #tooLong = false;
  /** Code units since the last event. Lines that belong to no event are not held, but their number is bounded too. */
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
    this.#parser = createParser({
      maxBufferSize: maxLength,
      onEvent: (event) => {
        this.#length = 0;
        this.#sink?.enqueue(event);
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#tooLong = true;
      },
    });
  }

  transform(text: string, out: Sink<Sse>): void {
    this.#sink = out;
    this.#length += text.length;
    this.#parser.feed(text);
    if (this.#tooLong || this.#length > 2 * this.#maxLength)
      throw new GatewayError('upstream-broken', 'The upstream sent an event that is too long.');
  }

  flush(out: Sink<Sse>): void {
    this.transform('\n\n', out);
  }
}

/** Matches the beginning of an event that is not a comment. */
export const EVENT_BEGINNING = /(?:^|[\r\n])(?:event|data):/;

/** Writes an event as text. `data` is JSON or a word, so it contains no line break. */
export function sseText(event: Sse): string {
  return event.event === undefined
    ? `data: ${event.data}\n\n`
    : `event: ${event.event}\ndata: ${event.data}\n\n`;
}
