/** Reads the server-sent events of a response body (WHATWG HTML, 9.2): the name of each event, and its data. */

import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  /** The `event` field; empty if there is none. */
  readonly name: string;
  readonly data: string;
}

/** @throws whatever reading the body throws */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const read: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ event: name = '', data }) => read.push({ name, data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* read.splice(0);
  }
  // Some services leave out the empty line that ends the last event.
  parser.feed('\n\n');
  yield* read.splice(0);
}
