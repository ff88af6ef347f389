/** The byte order mark that programs on Windows write before a text. */

/** The bytes without a byte order mark at their start. It is not JSON, but a parser may ignore it (RFC 8259, 8.1). */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
