/**
 * Finds where messages begin and end in the bytes of a client, by the heads of their frames (RFC 6455, 5.2). `ws`
 * delivers a message once it is complete, and does not report what it holds until then.
 */

/** The overhead of each read and of each frame, in bytes: a Buffer and the head of its memory (measured: 200). */
const OVERHEAD = 256;

/** The longest head of a frame, in bytes. */
const MAX_HEAD = 14;

/**
 * Follows the frames of one connection. It must start before the first byte of a client, whose frames are masked and
 * not compressed. `ws` refuses what is not a frame.
 * @returns what receives the bytes, and reports on the messages in them
 */
export function trackFrames() {
  const head = Buffer.alloc(MAX_HEAD);
  /** Bytes of a head that have arrived, and bytes of a payload that are still to come. */
  let headSize = 0;
  let payload = 0;
  /** Whether more frames of the message follow, and whether the present frame is a control frame. */
  let hasMore = false;
  let isControl = false;
  let completed = 0;
  let held = 0;

  /** Whether a message, or a frame of any kind, has begun and is not complete. */
  const isOpen = (): boolean => headSize > 0 || payload > 0 || hasMore;

  function begin(): void {
    const [first = 0] = head;
    isControl = (first & 0x08) !== 0;
    payload = lengthIn(head);
    headSize = 0;
    held += OVERHEAD;
    if (!isControl) hasMore = (first & 0x80) === 0;
  }

  /** Takes the next byte of a head, which says itself how long it is. */
  function takeHead(byte: number): void {
    head[headSize] = byte;
    headSize += 1;
    if (headSize >= 2 && headSize >= headLength(head)) begin();
  }

  return {
    /** Takes the next bytes, as they were read. */
    take(chunk: Uint8Array): void {
      held = (isOpen() ? held : 0) + chunk.length + OVERHEAD;
      let at = 0;
      while (at < chunk.length) {
        if (payload > 0) {
          const taken = Math.min(payload, chunk.length - at);
          payload -= taken;
          at += taken;
        } else {
          takeHead(chunk[at] ?? 0);
          at += 1;
        }
        if (isOpen()) continue;
        if (!isControl) completed += 1;
        // A complete message gives back what it held. What follows it in the same read still holds the whole read.
        held = chunk.length + OVERHEAD;
      }
    },
    isOpen,
    /** The number of messages that have been complete so far. */
    completed: () => completed,
    /** Bytes that are held for the open message or frame; 0 if none is open. */
    held: () => (isOpen() ? held : 0),
  };
}

/** The length of a head in bytes, by its second byte. */
function headLength(head: Buffer): number {
  const second = head[1] ?? 0;
  const length = second & 0x7f;
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}

/** The length of a frame's payload in bytes. */
function lengthIn(head: Buffer): number {
  const length = (head[1] ?? 0) & 0x7f;
  if (length < 126) return length;
  return length === 126 ? head.readUInt16BE(2) : head.readUInt32BE(2) * 2 ** 32 + head.readUInt32BE(6);
}
