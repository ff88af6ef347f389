/** One HTTP exchange with a vendor, by undici's dispatch: no redirects, no retries, nothing between its socket and
 * the stream that is read. */

import type { Dispatcher } from 'undici';
import { errors } from 'undici';
import { GatewayError } from '../errors.ts';

export interface UpstreamRequest {
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: Uint8Array;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ReadableStream<Uint8Array>;
}

/** How much of an answer waits here for a slow reader before its socket is paused, in bytes. */
const HIGH_WATER_MARK = 64 * 1024;

/**
 * Sends a POST and gives the answer's head as soon as it is there, its body still coming.
 * @param signal aborts the exchange, before the head and after; where its reason is a GatewayError, with that.
 * @throws GatewayError `upstream-broken` or `upstream-timeout`; the body fails with the same.
 */
export function send(
  agent: Dispatcher,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    let exchange: Dispatcher.DispatchController | undefined;
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    let over = false;
    const abort = (): void => {
      if (over) return;
      const { reason } = signal;
      exchange?.abort(
        reason instanceof GatewayError ? reason : new GatewayError('upstream-broken', 'The caller left.'),
      );
    };
    const end = (): void => {
      over = true;
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort, { once: true });

    agent.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        headersTimeout: request.headersTimeout,
        bodyTimeout: request.bodyTimeout,
      },
      {
        onRequestStart(controller) {
          exchange = controller;
          if (signal.aborted) abort();
        },
        onResponseStart(controller, status, headers) {
          if (status < 200) return;
          const stream = new ReadableStream<Uint8Array>(
            {
              start(started) {
                body = started;
              },
              pull: () => controller.resume(),
              cancel: () => abort(),
            },
            { highWaterMark: HIGH_WATER_MARK, size: (chunk) => chunk.byteLength },
          );
          resolve({ status, headers, body: stream });
        },
        onResponseData(controller, chunk) {
          if (body === undefined) return;
          body.enqueue(chunk);
          if ((body.desiredSize ?? 0) <= 0) controller.pause();
        },
        onResponseEnd() {
          end();
          body?.close();
        },
        onResponseError(_controller, error) {
          end();
          const failure = upstreamError(error);
          if (body === undefined) reject(failure);
          else body.error(failure);
        },
      },
    );
  });
}

/** What undici says, in words that show no address (its messages do) and no header. */
function upstreamError(error: Error): GatewayError {
  if (error instanceof GatewayError) return error;
  if (
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  ) {
    return new GatewayError('upstream-timeout', 'The upstream took too long to answer.', { cause: error });
  }
  return new GatewayError('upstream-broken', 'The connection to the upstream failed.', { cause: error });
}
