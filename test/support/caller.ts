/** One of many callers: it opens a connection per request, and reports whether the answer came to its end. */

import { type IncomingHttpHeaders, request } from 'node:http';
import { KEY } from './gateway.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The part of the body that has arrived so far. */
  text(): string;
  /** Resolves when the connection has delivered everything. */
  readonly over: Promise<{ readonly text: string; readonly complete: boolean }>;
  leave(): void;
}

/** Posts JSON; resolves with the head of the answer. @throws Error if the connection ends without one. */
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
        response.on('error', () => undefined); // cut off: `complete` reports it
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
