/** Server-sent events (WHATWG HTML, 9.2): bytes to events by eventsource-parser, and events to text. */

import { createParser } from 'eventsource-parser';
import { GatewayError } from '../lib/errors.ts';
import type { Sink, Step } from './step.ts';

/** One event. `event` is absent where the stream names none. */
export interface Sse {
  readonly event?: string | undefined;
  readonly data: string;
}

/** The longest event we hold, in UTF-16 code units: room for a thought signature or a base64 image, not for a flood. */
export const MAX_EVENT_LENGTH = 8 * 1024 * 1024;

/**
 * Network chunks, cut anywhere, to events.
 * A last event without its blank line is given at the end all the same: some services end so.
 * @throws GatewayError `upstream-broken` where an event is longer than `maxLength`.
 */
export function decodeSse(maxLength = MAX_EVENT_LENGTH): Step<Uint8Array, Sse> {
  const decoder = new TextDecoder();
  let sink: Sink<Sse> | undefined;
  let tooLong = false;
  /** Since the last event. Lines that nobody reads are not held, but neither are they waited for without end. */
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
  const feed = (text: string): void => {
    length += text.length;
    if (text !== '') parser.feed(text);
    if (tooLong || length > 2 * maxLength)
      throw new GatewayError('upstream-broken', 'The upstream sent an event that is too long.');
  };
  return {
    transform(chunk, out) {
      sink = out;
      feed(decoder.decode(chunk, { stream: true }));
    },
    flush(out) {
      sink = out;
      feed(`${decoder.decode()}\n\n`);
    },
  };
}

/** An event as text. `data` is JSON or a word, so it holds no line break. */
export function sseText(event: Sse): string {
  return event.event === undefined
    ? `data: ${event.data}\n\n`
    : `event: ${event.event}\ndata: ${event.data}\n\n`;
}

/** Events to text. */
export function encodeSse(): Step<Sse, string> {
  return {
    transform(event, out) {
      out.enqueue(sseText(event));
    },
  };
}
