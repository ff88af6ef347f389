/** Writes answers to where they go: Node's response as a rule, the web's where h3 wants one. */

import type { ServerResponse } from 'node:http';
import { FastResponse } from 'srvx';
import type { Answer } from '../../pipeline/exchange.ts';
import { readableOf } from '../../streams/body.ts';
import { cutOff } from './cut-off.ts';

/**
 * Writes an answer, as fast as it comes and is read.
 * @param extra headers beside its own.
 * @throws TypeError where a header of it cannot be written; nothing is then.
 */
export function respond(
  response: ServerResponse,
  { status, headers, body }: Answer,
  extra?: Readonly<Record<string, string>>,
): void {
  if (response.destroyed) {
    if (!(body instanceof Uint8Array)) body.cancel();
    return;
  }
  response.writeHead(status, extra === undefined ? headers : { ...headers, ...extra });
  if (body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  response.on('drain', () => body.pull());
  response.on('close', () => {
    if (!response.writableFinished) body.cancel();
  });
  body.pipeTo({
    // What a connection that is gone would be given is nobody's any more.
    write: (chunk) => response.destroyed || response.write(chunk),
    close: () => {
      if (!response.destroyed) response.end();
    },
    // Whoever reads a body that is cut must not take it for whole.
    abort: () => cutOff(response),
  });
}

/** An answer as the web's Response. */
export function toResponse({ status, headers, body }: Answer): Response {
  return new FastResponse(body instanceof Uint8Array ? body : readableOf(body), { status, headers });
}
