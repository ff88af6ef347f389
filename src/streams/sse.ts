/** Server-sent events (WHATWG HTML, 9.2): from bytes to events with eventsource-parser, and from events to text. */

import { createParser } from 'eventsource-parser';
import { GatewayError } from '../lib/errors.ts';
import { type Pieces, repeatedEvents } from './repeated-events.ts';
import { fuse, type Sink, type Step } from './step.ts';

/** One event. `event` is absent if the stream gives it no name. */
export interface Sse {
  readonly event?: string | undefined;
  readonly data: string;
  /**
   * Set if this is the event before once more, with this text in place of its piece. Its `data` is '' then, unless numbers
   * in it differ too.
   */
  readonly piece?: string;
}

/** The longest event that is held, in UTF-16 code units: enough for a thought signature or a base64 image. */
export const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/**
 * Makes the step from network chunks, cut anywhere, to events. It also gives a last event without its empty line,
 * because some services end that way.
 * @param maxLength UTF-16 code units.
 * @param pieces of the events' reader, if it takes any.
 * @throws GatewayError `upstream-broken` if an event is longer than `maxLength`.
 */
export function decodeSse(maxLength = MAX_EVENT_LENGTH, pieces?: Pieces): Step<Uint8Array, Sse> {
  const parser = parseSse(maxLength);
  return fuse(decodeText(), pieces === undefined ? parser : repeatedEvents(parser, pieces, asEvent));
}

const asEvent = (piece: string, data: string): Sse => ({ data, piece });

/** Decodes UTF-8, cut anywhere. */
function decodeText(): Step<Uint8Array, string> {
  const decoder = new TextDecoder();
  const pass = (text: string, out: Sink<string>): void => {
    if (text !== '') out.enqueue(text);
  };
  return {
    transform: (chunk, out) => pass(decoder.decode(chunk, { stream: true }), out),
    flush: (out) => pass(decoder.decode(), out),
  };
}

function parseSse(maxLength: number): Step<string, Sse> {
  let sink: Sink<Sse> | undefined;
  let tooLong = false;
  /** Code units since the last event. Lines that belong to no event are not held, but their number is bounded too. */
  let length = 0;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent(event) {
      length = 0;
      sink?.enqueue(event);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong = true;
    },
  });
  const transform = (text: string, out: Sink<Sse>): void => {
    sink = out;
    length += text.length;
    parser.feed(text);
    if (tooLong || length > 2 * maxLength)
      throw new GatewayError('upstream-broken', 'The upstream sent an event that is too long.');
  };
  return { transform, flush: (out) => transform('\n\n', out) };
}

/** Writes an event as text. `data` is JSON or a word, so it contains no line break. */
export function sseText(event: Sse): string {
  return event.event === undefined
    ? `data: ${event.data}\n\n`
    : `event: ${event.event}\ndata: ${event.data}\n\n`;
}

/** Makes the step from events to text. */
export function encodeSse(): Step<Sse, string> {
  return {
    transform(event, out) {
      out.enqueue(sseText(event));
    },
  };
}
