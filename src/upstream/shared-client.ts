/**
 * The client of connections that may carry many exchanges (HTTP/2). It gives up a connection whose session is over. Node
 * can destroy a session and keep its socket open for good: nothing reads it any more, and the last write never ends, if
 * the server reset the connection just before (nodejs/node#55804). Undici would go on using that session, because since
 * nodejs/node#63412 `session.request()` no longer throws what undici looks for (nodejs/undici#5310).
 */

import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { errorCode } from '../lib/error-code.ts';

/** What Node says of each exchange of a session that it destroys, and of each that begins on a destroyed one. */
const SESSION_OVER: ReadonlySet<string | undefined> = new Set([
  'ERR_HTTP2_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_INVALID_SESSION',
]);

export class SharedClient extends Client {
  readonly #current: { socket?: Socket };

  /** @param connect makes its connections. */
  constructor(url: string | URL, options: Client.Options, connect: buildConnector.connector) {
    const current: { socket?: Socket } = {};
    super(url, {
      ...options,
      connect(to, callback) {
        connect(to, (...result) => {
          const [error, socket] = result;
          if (error === null) current.socket = socket;
          callback(...result);
        });
      },
    });
    this.#current = current;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, watchSession(handler, this.#current));
  }
}

/** Closes the connection of an exchange whose session is destroyed, so that the next one has another. */
function watchSession(
  handler: Dispatcher.DispatchHandler,
  current: { readonly socket?: Socket },
): Dispatcher.DispatchHandler {
  let used: Socket | undefined;
  return {
    onRequestStart(...given) {
      used = current.socket;
      handler.onRequestStart?.(...given);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError(controller, error) {
      if (SESSION_OVER.has(errorCode(error))) used?.destroy();
      handler.onResponseError?.(controller, error);
    },
  };
}
