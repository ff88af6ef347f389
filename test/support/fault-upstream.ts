/**
 * A vendor that misbehaves as the test says: a raw socket server, for bytes that no HTTP library would send. It reads
 * every request completely, and then a script answers it.
 */

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { bind } from '../../src/upstream/net/bind.ts';

export interface FaultRequest {
  readonly path: string;
  /** The head as it arrived. */
  readonly head: string;
  readonly body: Buffer;
  /** How many requests came before it on its connection. */
  readonly earlier: number;
  readonly receivedAt: number;
}

/** The wire to one caller, after one request. */
export interface Wire {
  readonly socket: Socket;
  /** Sends bytes unchanged. */
  raw(bytes: string | Uint8Array): void;
  /** Sends a head. The body is chunked unless the headers give its length. */
  head(status: number, headers?: Readonly<Record<string, string>>): void;
  chunk(bytes: string | Uint8Array): void;
  lastChunk(): void;
  /** Sends a whole answer. */
  answer(status: number, body: string | Uint8Array, headers?: Readonly<Record<string, string>>): void;
  /** Sends the first pieces of an event stream, each as a chunk. */
  stream(pieces: readonly (string | Uint8Array)[], headers?: Readonly<Record<string, string>>): void;
  /** Sends a whole event stream. */
  wholeStream(pieces: readonly (string | Uint8Array)[]): void;
  fin(): void;
  reset(): void;
  /** Resolves with performance.now() when the other side is gone. */
  readonly gone: Promise<number>;
}

export type Script = (wire: Wire, request: FaultRequest) => void | Promise<void>;

export interface FaultUpstream {
  readonly url: string;
  readonly port: number;
  readonly requests: FaultRequest[];
  /**
   * How requests are answered from now on; of several scripts each answers the next request, and the last one all later
   * requests.
   */
  script(...scripts: readonly [Script, ...Script[]]): void;
  /** The number of open connections. */
  open(): number;
  /** The connection that came last, of those that are open. */
  newest(): Socket | undefined;
  /** The number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startFaultUpstream(tls?: TlsOptions): Promise<FaultUpstream> {
  const requests: FaultRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let scripts: Script[] = [(wire) => wire.answer(200, '{}')];

  const serve = (socket: Socket): void => {
    sockets.add(socket);
    connections += 1;
    let earlier = 0;
    let bytes = Buffer.alloc(0);
    const gone = new Promise<number>((resolve) => {
      socket.once('close', () => {
        sockets.delete(socket);
        resolve(performance.now());
      });
    });
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // a reset is an end like any other
    socket.on('data', (data: Buffer) => {
      bytes = Buffer.concat([bytes, data]);
      const request = wholeRequest(bytes, earlier);
      if (request === undefined) return;
      bytes = Buffer.alloc(0);
      earlier += 1;
      requests.push(request);
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      void script?.(wireOf(socket, gone), request);
    });
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('tlsClientError', () => undefined);
  const port = await bind(server, { host: '127.0.0.1', port: 0 });
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    script(...next) {
      scripts = [...next];
    },
    open: () => sockets.size,
    newest: () => [...sockets].at(-1),
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The request in `bytes`, once its body is as long as its head says. */
function wholeRequest(bytes: Buffer, earlier: number): FaultRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
  const body = bytes.subarray(end + 4);
  if (body.length < length) return undefined;
  const path = head.split(' ')[1] ?? '';
  return { path, head, body: Buffer.from(body), earlier, receivedAt: performance.now() };
}

function wireOf(socket: Socket, gone: Promise<number>): Wire {
  const raw = (bytes: string | Uint8Array): void => {
    if (socket.writable) socket.write(bytes);
  };
  const head = (status: number, headers: Readonly<Record<string, string>> = {}): void => {
    const framing = 'content-length' in headers ? {} : { 'transfer-encoding': 'chunked' };
    const lines = Object.entries({ 'content-type': 'application/json', ...framing, ...headers });
    raw(`HTTP/1.1 ${status} Said\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  };
  const chunk = (bytes: string | Uint8Array): void => {
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    raw(Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]));
  };
  const lastChunk = (): void => raw('0\r\n\r\n');
  const stream: Wire['stream'] = (pieces, headers = {}) => {
    head(200, { 'content-type': 'text/event-stream', ...headers });
    for (const piece of pieces) chunk(piece);
  };
  return {
    socket,
    raw,
    head,
    chunk,
    lastChunk,
    stream,
    wholeStream(pieces) {
      stream(pieces);
      lastChunk();
    },
    answer(status, body, headers = {}) {
      head(status, { 'content-length': String(Buffer.byteLength(body)), ...headers });
      raw(body);
    },
    fin: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
    gone,
  };
}
