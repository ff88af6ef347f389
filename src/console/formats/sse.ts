/**
 * Reads the server-sent events of a response body (WHATWG HTML, 9.2) as they came: the raw text of each event, its name,
 * and its data.
 */

export interface ServerSentEvent {
  /** The `event` field; empty if there is none. */
  readonly name: string;
  readonly data: string;
}

/** @throws whatever reading the body throws */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const event = new EventFields();
  let held = '';
  for await (const chunk of body) {
    held += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') yield* event.end();
      else event.add(line);
    }
  }
  yield* event.end();
}

/** The fields of the event that is being read. */
class EventFields {
  #data: string[] = [];
  #name = '';

  add(line: string): void {
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) this.#name = line.slice(6).trim();
  }

  /** @returns the event, unless it has no data */
  end(): readonly ServerSentEvent[] {
    const [data, name] = [this.#data, this.#name];
    this.#data = [];
    this.#name = '';
    return data.length === 0 ? [] : [{ name, data: data.join('\n') }];
  }
}
