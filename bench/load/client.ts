/**
 * A client that costs next to nothing, so that the other side is what is measured: raw sockets, one request
 * at a time on each, requests prepared as bytes. Of an answer it only reads the head and finds the end.
 */

import { connect as connectPlainly, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Request } from './scenarios.ts';

/** The address at which the other side listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Whether it uses TLS. */
  readonly secure: boolean;
}

export interface Answer {
  readonly status: number;
  /** Whether the body came in chunks (RFC 9112, 7.1), which `onBody` has received undecoded. */
  readonly chunked: boolean;
  /** When the first and the last byte of the body came, on the clock of `performance.now()`. */
  readonly first: number;
  readonly ended: number;
}

export interface Connection {
  /** Whether another request can be sent. */
  usable(): boolean;
  /** @throws Error if the connection breaks or the answer cannot be read. */
  ask(request: Buffer, onBody?: (bytes: Buffer) => void): Promise<Answer>;
  /** Closes at once, in the middle of any answer. */
  leave(): void;
}

interface Asked {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly onBody: ((bytes: Buffer) => void) | undefined;
}

const HEAD_END = '\r\n\r\n';
/** The last chunk, with the line break before it. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
/** A chunked body begins after a line break, and may consist of its last chunk alone. */
const BEGINNING = Buffer.from('\r\n');

export function requestBytes({ host, port }: Address, { path, headers, body }: Request): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export function connect({ host, port, secure }: Address): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = secure
      ? connectSecurely({ host, port, servername: host })
      : connectPlainly({ host, port });
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      socket.off('error', reject);
      resolve(over(socket));
    });
  });
}

function over(socket: Socket): Connection {
  let asked: Asked | undefined;
  let closed = false;
  let last = false;
  let held: Buffer | undefined;
  let status = 0;
  let chunked = false;
  /** For a body of known length. */
  let left = 0;
  let tail: Buffer = BEGINNING;
  let first = 0;

  const end = (): void => {
    const done = asked;
    asked = undefined;
    const answer = { status, chunked, first, ended: performance.now() };
    status = 0;
    first = 0;
    closed ||= last;
    done?.resolve(answer);
  };
  const fail = (message: string): void => {
    closed = true;
    socket.destroy();
    const failed = asked;
    asked = undefined;
    failed?.reject(new Error(message));
  };
  const readHead = (data: Buffer): Buffer | undefined => {
    held = held === undefined ? data : Buffer.concat([held, data]);
    const at = held.indexOf(HEAD_END);
    if (at === -1) return undefined;
    const head = held.toString('latin1', 0, at);
    const body = held.subarray(at + HEAD_END.length);
    held = undefined;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    chunked = length === undefined;
    if (chunked && !/\r\ntransfer-encoding: *chunked/i.test(head)) {
      fail('An answer says neither its length nor that it comes in chunks.');
      return undefined;
    }
    status = Number(head.slice(9, 12));
    last = /\r\nconnection: *close/i.test(head);
    left = Number(length ?? 0);
    tail = BEGINNING;
    return body;
  };
  const readBody = (bytes: Buffer): void => {
    if (bytes.length > 0 && first === 0) first = performance.now();
    asked?.onBody?.(bytes);
    if (!chunked) {
      left -= bytes.length;
      if (left <= 0) end();
      return;
    }
    const seen = bytes.length >= LAST_CHUNK.length ? bytes : Buffer.concat([tail, bytes]);
    tail = seen.subarray(-LAST_CHUNK.length);
    if (tail.equals(LAST_CHUNK)) end();
  };

  socket.on('data', (data: Buffer) => {
    const body = status === 0 ? readHead(data) : data;
    if (body !== undefined) readBody(body);
  });
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail('The connection was closed before the answer was whole.'));

  return {
    usable: () => !closed,
    ask: (request, onBody) =>
      new Promise((resolve, reject) => {
        if (closed) {
          reject(new Error('The connection is closed.'));
          return;
        }
        asked = { resolve, reject, onBody };
        socket.write(request);
      }),
    leave() {
      asked = undefined;
      closed = true;
      socket.destroy();
    },
  };
}

/** The content of a chunked body. */
export function withoutChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, line), 16);
    if (line === -1 || !(length > 0)) return Buffer.concat(pieces);
    pieces.push(body.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}
