/**
 * Reads the server-sent events of a response body (WHATWG HTML, 9.2). Event names are ignored, since the data holds the
 * name in every format that has one.
 * @param {AsyncIterable<Uint8Array>} body
 * @returns {AsyncGenerator<string>} the data of each event
 */
export async function* readEvents(body) {
  const decoder = new TextDecoder();
  let held = '';
  /** @type {string[]} */
  let data = [];
  for await (const chunk of body) {
    held += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
  }
  if (data.length > 0) yield data.join('\n');
}
