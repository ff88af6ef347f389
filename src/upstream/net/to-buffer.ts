/** Bytes as a Buffer, over the same memory wherever that can be. */

/** The Buffer that bytes are, or one over their memory. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Pieces as one: of a single piece its own memory, of several a copy. */
export function joined(pieces: readonly Uint8Array[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? toBuffer(only) : Buffer.concat(pieces);
}
