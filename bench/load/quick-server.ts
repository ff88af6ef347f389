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
    const arriving = new ArrivingRequest();
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
    socket.on('data', (data: Buffer) => {
      const asked = arriving.add(data);
      if (asked !== undefined) answer(asked, reply);
    });
    socket.on('close', () => {
      leave?.();
      leave = undefined;
    });
    // Callers that disconnect may reset the connection.
    socket.on('error', () => undefined);
  }).listen(port, '127.0.0.1');
}

/** The request that is arriving on a connection. */
class ArrivingRequest {
  #held: Buffer | undefined;
  /** The bytes of the request that have arrived, kept or not. */
  #size = 0;
  /** The length of the request, with its head, once its head has arrived; 0: not yet known. */
  #length = 0;
  #bodyAt = 0;
  #path = '';

  /** @returns the request, if it is complete. The next one begins after it. */
  add(data: Buffer): Asked | undefined {
    this.#size += data.length;
    const all = this.#held === undefined ? data : joined(this.#held, data);
    if (this.#length === 0) this.#readHead(all);
    if (!this.#isWhole(all)) {
      this.#held = all;
      return undefined;
    }
    this.#held = undefined;
    this.#length = 0;
    this.#size = 0;
    return { path: this.#path, body: all.subarray(this.#bodyAt) };
  }

  #readHead(data: Buffer): void {
    const at = data.indexOf(HEAD_END);
    if (at === -1) return;
    const head = data.toString('latin1', 0, at);
    const said = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#bodyAt = at + HEAD_END.length;
    this.#path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1'));
    const isChunked = said === undefined && /\r\ntransfer-encoding: *chunked/i.test(head);
    this.#length = isChunked ? Number.POSITIVE_INFINITY : this.#bodyAt + Number(said ?? 0);
  }

  #isWhole(all: Buffer): boolean {
    if (Number.isFinite(this.#length)) return this.#length > 0 && this.#size >= this.#length;
    return all.toString('latin1', all.length - LAST_CHUNK.length) === LAST_CHUNK;
  }
}

/** What has come before and what comes now, without the middle if that is long. */
function joined(before: Buffer, data: Buffer): Buffer {
  if (before.length < LONG) return Buffer.concat([before, data]);
  const end = data.length < TAIL ? Buffer.concat([before.subarray(LONG), data]) : data;
  return Buffer.concat([before.subarray(0, LONG), end.subarray(-TAIL)]);
}
