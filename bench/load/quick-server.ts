/** HTTP/1.1 for benches: requests one after another on a connection, answers written as prepared bytes. */

import { createServer, type Server } from 'node:net';

export interface Asked {
  readonly path: string;
  /** Of a body of more than LONG bytes only both ends. */
  readonly body: Buffer;
}

/** The written bytes are HTTP as they stand, head and chunks included. */
export interface Reply {
  write(bytes: Buffer | string): void;
  end(bytes: Buffer | string): void;
  /** Called when the caller disconnects before the end. */
  onLeave(call: () => void): void;
}

/**
 * The middle of a longer request is dropped as it arrives. Put together, a body of 30 MB would keep this process busy for
 * a second, and all that is on its core would wait.
 */
const LONG = 64 * 1024;
/** How much is kept of the end of a long request, in bytes. */
const TAIL = 4_096;

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

export function listenQuickly(port: number, answer: (asked: Asked, reply: Reply) => void): Server {
  return createServer({ noDelay: true }, (socket) => {
    let held: Buffer | undefined;
    /** The bytes of the request that have arrived, kept or not. */
    let size = 0;
    /** The length of a request, with its head, once its head has arrived; 0: not yet known. */
    let length = 0;
    let bodyAt = 0;
    let path = '';
    let leave: (() => void) | undefined;
    const reply: Reply = {
      write: (bytes) => void socket.write(bytes),
      end(bytes) {
        leave = undefined;
        socket.write(bytes);
      },
      onLeave(call) {
        leave = call;
      },
    };
    const readHead = (data: Buffer): void => {
      const at = data.indexOf(HEAD_END);
      if (at === -1) return;
      const head = data.toString('latin1', 0, at);
      const said = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      bodyAt = at + HEAD_END.length;
      path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'));
      const chunked = said === undefined && /\r\ntransfer-encoding: *chunked/i.test(head);
      length = chunked ? Number.POSITIVE_INFINITY : bodyAt + Number(said ?? 0);
    };
    socket.on('data', (data: Buffer) => {
      size += data.length;
      const all = held === undefined ? data : joined(held, data);
      if (length === 0) readHead(all);
      const whole = Number.isFinite(length)
        ? length > 0 && size >= length
        : all.toString('latin1', all.length - LAST_CHUNK.length) === LAST_CHUNK;
      held = whole ? undefined : all;
      if (!whole) return;
      length = 0;
      size = 0;
      answer({ path, body: all.subarray(bodyAt) }, reply);
    });
    socket.on('close', () => {
      leave?.();
      leave = undefined;
    });
    // Callers that disconnect may reset the connection.
    socket.on('error', () => undefined);
  }).listen(port, '127.0.0.1');
}

/** What has come before and what comes now, without the middle if that is long. */
function joined(before: Buffer, data: Buffer): Buffer {
  if (before.length < LONG) return Buffer.concat([before, data]);
  const end = data.length < TAIL ? Buffer.concat([before.subarray(LONG), data]) : data;
  return Buffer.concat([before.subarray(0, LONG), end.subarray(-TAIL)]);
}
