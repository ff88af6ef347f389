/** Bytes as a Buffer, over the same memory where possible. */

/** The bytes themselves if they are a Buffer, otherwise a Buffer over the same memory. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Joins pieces: a single one keeps its memory, several are copied. */
export function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? toBuffer(only) : Buffer.concat(pieces);
}
