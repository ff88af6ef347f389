/**
 * Where messages begin and end in the bytes of a client, by the heads of their frames (RFC 6455, 5.2). `ws` gives a
 * message once it is whole, and tells nobody what it holds until then.
 */

export interface Frames {
  /** Takes the next bytes, as they were read. */
  take(chunk: Uint8Array): void;
  /** Whether a message, or a frame of any kind, has begun and is not whole. */
  isOpen(): boolean;
  /** How many messages have been whole so far. */
  whole(): number;
  /** Bytes that are held for it; 0 where none is open. */
  held(): number;
}

/** What a piece takes up beside its bytes, of a read or of a frame: a Buffer and its memory's own head (measured: 200). */
const PIECE = 256;

/** The longest head of a frame. */
const MAX_HEAD = 14;

/** Before the first byte of a client, whose frames are masked and not compressed. What is no frame is for `ws` to refuse. */
export function followFrames(): Frames {
  const head = Buffer.alloc(MAX_HEAD);
  /** Bytes of a head that have come, and bytes of a payload that are to come. */
  let headSize = 0;
  let payload = 0;
  /** Whether more frames of the message follow, and whether the present frame is none of a message. */
  let hasMore = false;
  let isControl = false;
  let whole = 0;
  let held = 0;

  const isOpen = (): boolean => headSize > 0 || payload > 0 || hasMore;

  /** Reads a head that is all there. */
  function begin(): void {
    const [first = 0] = head;
    isControl = (first & 0x08) !== 0;
    payload = lengthIn(head);
    headSize = 0;
    held += PIECE;
    if (!isControl) hasMore = (first & 0x80) === 0;
  }

  return {
    take(chunk) {
      held = (isOpen() ? held : 0) + chunk.length + PIECE;
      let at = 0;
      while (at < chunk.length) {
        if (payload > 0) {
          const taken = Math.min(payload, chunk.length - at);
          payload -= taken;
          at += taken;
        } else {
          head[headSize] = chunk[at] ?? 0;
          headSize += 1;
          at += 1;
          if (headSize < 2 || headSize < headLength(head)) continue;
          begin();
        }
        if (isOpen()) continue;
        if (!isControl) whole += 1;
        // What a message has held goes with it; what comes behind it in the same read holds all of that read.
        held = chunk.length + PIECE;
      }
    },
    isOpen,
    whole: () => whole,
    held: () => (isOpen() ? held : 0),
  };
}

/** The length of a head by its second byte. */
function headLength(head: Buffer): number {
  const second = head[1] ?? 0;
  const length = second & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}

/** The length of a frame's payload. */
function lengthIn(head: Buffer): number {
  const length = (head[1] ?? 0) & 0x7f;
  if (length < 126) return length;
  return length === 126 ? head.readUInt16BE(2) : head.readUInt32BE(2) * 2 ** 32 + head.readUInt32BE(6);
}
