/** A client that sends the given bytes, and can pause, hang up and reset as no HTTP library would. */

import { connect, type Socket } from 'node:net';
import { KEY } from './gateway.ts';

export interface RawClient {
  readonly socket: Socket;
  /** Everything that has arrived so far, one character a byte. */
  text(): string;
  /** Resolves when `found` is true for what has arrived. @throws Error if the connection ends before. */
  until(found: (text: string) => boolean): Promise<string>;
  /** Resolves with everything that arrived, when the connection is over. */
  readonly over: Promise<string>;
}

/** Connects, and sends `bytes` if there are any. */
export function rawClient(port: number, bytes: string | Uint8Array = ''): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  const watchers = new Set<() => void>();
  const over = new Promise<string>((resolve) => {
    socket.on('close', () => {
      resolve(text);
      for (const look of watchers) look();
    });
  });
  socket.setNoDelay(true);
  socket.on('error', () => undefined); // a reset is an end like any other
  socket.on('end', () => socket.end());
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (const look of watchers) look();
  });
  if (bytes.length > 0) socket.write(bytes);
  return {
    socket,
    text: () => text,
    over,
    until: (found) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (found(text)) resolve(text);
          else if (socket.closed) reject(new Error(`The connection ended with: ${text.slice(0, 400)}`));
          else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
  };
}

/** Sends bytes; resolves with everything that came back when the connection is over. */
export function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  return rawClient(port, bytes).over;
}

/** A POST as text, with the key and a body of the right length; `headers` are whole lines without their line ends. */
export function post(path: string, body: string, headers: readonly string[] = []): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${KEY}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}

/** The status of the first answer in the data; 0 if there is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0);
}

/** The body of the first answer in the data, without the framing of chunks. */
export function bodyOf(answer: string): string {
  const start = answer.indexOf('\r\n\r\n') + 4;
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(answer.slice(0, start))) return answer.slice(start);
  const pieces: string[] = [];
  for (let at = start; at < answer.length; ) {
    const line = answer.indexOf('\r\n', at);
    const size = Number.parseInt(answer.slice(at, line), 16);
    if (!(size > 0)) break;
    pieces.push(answer.slice(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return pieces.join('');
}

/** The real clock, even if a test has stopped the gateway's clock. */
const clock = performance.now.bind(performance);

/** Resolves when `holds` returns true, checking every 20 ms. @throws Error if it does not within `milliseconds`. */
export async function eventually(holds: () => boolean, what: string, milliseconds = 60_000): Promise<void> {
  const end = clock() + milliseconds;
  while (!holds()) {
    if (clock() > end) throw new Error(`Not within ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
