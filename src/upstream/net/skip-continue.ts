/**
 * Answers that begin with a `100 Continue` nobody asked for. A client must be able to skip any interim answer (RFC 9110,
 * 15.2), and undici does, except for this one: it takes it for a broken answer and closes the connection.
 */

import type { Socket } from 'node:net';
import { NO_BYTES } from '../../lib/bytes.ts';

const CONTINUE = Buffer.from('HTTP/1.1 100');
const HEAD_END = '\r\n\r\n';

/** The longest head of an interim answer, in bytes: as long as Node takes a head of any kind. */
const MAX_HEAD = 16 * 1024;

/** Makes a connection to a vendor skip them: they are not read from `socket`. */
export function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  /** How much was sent when the head of an answer was read last: until more is sent, what comes is its body. */
  let answered = -1;
  /** The beginning of a head that has not come whole. */
  let held: Buffer = NO_HEAD;
  socket.read = (size) => {
    const bytes: unknown = read(size);
    if (!Buffer.isBuffer(bytes)) return bytes;
    if (held.length === 0 && (bytes[0] !== CONTINUE[0] || socket.bytesWritten === answered)) return bytes;
    const { isWhole, rest } = withoutContinue(held.length === 0 ? bytes : Buffer.concat([held, bytes]));
    held = isWhole ? NO_HEAD : rest;
    if (!isWhole || rest.length === 0) return null;
    answered = socket.bytesWritten;
    return rest;
  };
}

const NO_HEAD: Buffer = Buffer.from(NO_BYTES);

/** Removes such answers from the beginning of `bytes`. @returns whether more must come before the rest can be read. */
function withoutContinue(bytes: Buffer): { readonly isWhole: boolean; readonly rest: Buffer } {
  let rest = bytes;
  while (rest.length > 0) {
    const length = Math.min(rest.length, CONTINUE.length);
    if (rest.compare(CONTINUE, 0, length, 0, length) !== 0) break;
    const end = rest.indexOf(HEAD_END);
    if (end < 0) return { isWhole: rest.length > MAX_HEAD, rest };
    rest = rest.subarray(end + HEAD_END.length);
  }
  return { isWhole: true, rest };
}
