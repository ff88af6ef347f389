/** A web Request as the gateway reads it. */

import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { CallerRequest } from '../../access/caller.ts';

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * The request, whose body is not touched before it is read. The body is never cancelled: the server in front of the
 * gateway has the connection, and a cancellation of what that server makes of Node's request ends the process
 * (nodejs/node#64529).
 */
export class MountedRequest extends Readable implements CallerRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** Whether all of the body has arrived. */
  complete: boolean;
  readonly #request: Request;
  #reader: BodyReader | undefined;

  /** @param url the path below the gateway's own, and the query. */
  constructor(request: Request, url: string) {
    super();
    const { method, headers } = request;
    this.method = method;
    this.url = url;
    this.headers = Object.fromEntries(headers);
    this.rawHeaders = [...headers].flat();
    this.#request = request;
    this.complete = method === 'GET' || method === 'HEAD' || request.body === null;
    // Whoever reads the body gets the error. Without this listener, that of an unread body would end the process.
    this.on('error', () => {});
  }

  override _read(): void {
    this.#readNext().catch((error: unknown) => this.destroy(asError(error)));
  }

  async #readNext(): Promise<void> {
    this.#reader ??= this.#request.body?.getReader();
    const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
    if (this.destroyed) return;
    if (!done) {
      this.push(value);
      return;
    }
    this.complete = true;
    this.push(null);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
