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
  let held = '';
  let data: string[] = [];
  let name = '';
  for await (const chunk of body) {
    held += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line.startsWith('event:')) name = line.slice(6).trim();
      else if (line === '') {
        if (data.length > 0) yield { name, data: data.join('\n') };
        data = [];
        name = '';
      }
    }
  }
  if (data.length > 0) yield { name, data: data.join('\n') };
}
