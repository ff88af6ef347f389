/** A caller of many: a connection of its own for each request, which tells whether the answer came to its end. */

import { type IncomingHttpHeaders, request } from 'node:http';
import { KEY } from './gateway.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What has come of the body so far. */
  text(): string;
  /** Resolves when the connection has nothing more to say. */
  readonly over: Promise<{ readonly text: string; readonly complete: boolean }>;
  leave(): void;
}

/** Posts JSON; resolves with the head of the answer. @throws Error where the connection ends without one. */
export function call(url: string, path: string, body: string, key = KEY): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece) => {
          text += piece;
        });
        response.on('error', () => undefined); // cut off: told by `complete`
        const over = new Promise<{ text: string; complete: boolean }>((end) =>
          response.once('close', () => end({ text, complete: response.complete })),
        );
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: () => text,
          over,
          leave: () => sent.destroy(),
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
