/** The first byte of a body, which distinguishes an event stream from JSON, whatever the answer's head says. */

/** The first byte that is neither white space (RFC 8259, 2) nor part of a byte order mark; undefined if there is none. */
export function firstNonSpace(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => !isSpace(byte));
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

/** Whether a byte begins a comment, or a field: data, event, id or retry (WHATWG HTML, 9.2.6). */
export function beginsEvent(byte: number): boolean {
  switch (byte) {
    case 0x3a:
    case 0x64:
    case 0x65:
    case 0x69:
    case 0x72:
      return true;
    default:
      return false;
  }
}

/**
 * Whether a body that begins with this byte is an event stream. Some services call a whole answer a stream, or a stream a
 * whole answer.
 * @param isCalledStream whether the answer's head says that it is one. It is then one unless it begins as an object or a
 *   list does: a stream may begin with an unknown field, which means nothing (WHATWG HTML, 9.2.6).
 */
export function isStream(byte: number, isCalledStream: boolean): boolean {
  return isCalledStream ? byte !== 0x7b && byte !== 0x5b : beginsEvent(byte);
}
