/** The gateway's paths for web Requests, whatever server they come from. */

import type { H3Event } from 'h3';
import type { LogProblem } from '../../lib/diagnostics.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { createApp } from '../http/app.ts';
import { LiveExchanges } from '../listen/live-exchanges.ts';
import { openSocketCounter } from '../websocket/socket-counter.ts';
import { MountedRequest } from './mounted-request.ts';
import { MountedResponse, toWebResponse } from './mounted-response.ts';

interface MountedExchange {
  readonly message: MountedRequest;
  readonly response: MountedResponse;
}

/** What answers requests. */
export interface RequestHandler {
  /** An error is an answer too. */
  fetch(request: Request): Promise<Response>;
  /** Ends all exchanges, and those that begin from now on, each with an error in its own format. */
  end(): void;
}

/** Answers without a body (WHATWG Fetch, 2.2.3). */
const BODILESS = new Set([101, 204, 205, 304]);

/**
 * Answers requests by a gateway.
 * @param basePath what the paths of all requests begin with and the gateway's do not; '' if that is nothing.
 * @param log receives failures that have no record of an exchange.
 */
export function answerRequests(gateway: Gateway, basePath: string, log: LogProblem): RequestHandler {
  const live = new LiveExchanges<MountedResponse>(
    (response) => response.leave(),
    () => gateway.options,
  );
  let isOver = false;
  const exchanges = new WeakMap<Request, MountedExchange>();
  const app = createApp<MountedResponse>({
    getExchange({ req }: H3Event) {
      const exchange = exchanges.get(req);
      if (exchange === undefined) throw new TypeError('The request has not come through fetch.');
      return exchange;
    },
    answer: toWebResponse,
    toResponse: ({ status, headers, body }) =>
      new Response(body instanceof Uint8Array ? Buffer.from(body) : body, { status, headers }),
    current: () => gateway,
    getGateway: () => gateway,
    condition: () => (isOver ? 'draining' : 'ok'),
    load: live.load(() => undefined),
    socketCounter: openSocketCounter(() => gateway.options),
    getSignal: (response) => live.getSignal(response),
    log,
  });

  return {
    fetch(request) {
      const url = new URL(request.url);
      if (url.pathname === basePath || url.pathname.startsWith(`${basePath}/`))
        url.pathname = url.pathname.slice(basePath.length);
      const message = new MountedRequest(request, url.pathname + url.search);
      const response = new MountedResponse(request.signal);
      // The router looks at the head alone; the body stays where it is.
      const head = new Request(url, { method: request.method, headers: request.headers });
      exchanges.set(head, { message, response });
      return new Promise((resolve, reject) => {
        live.track(response, gateway, () => {
          Promise.resolve(app.fetch(head)).then(
            (answer) => resolve(finished(answer, request, response)),
            (error: unknown) => {
              response.leave();
              reject(error);
            },
          );
        });
      });
    },
    end() {
      isOver = true;
      live.endAll(new GatewayError('overloaded', 'The gateway is shutting down.', { retryAfter: 1 }));
    },
  };
}

/**
 * An exchange's answer as it is. Any other answer is complete and is copied, because the router's may not be the
 * runtime's own.
 */
function finished(answer: Response, { method }: Request, response: MountedResponse): Response {
  if (response.headersSent) return answer;
  response.finish();
  const { status, headers, body } = answer;
  return new Response(method === 'HEAD' || BODILESS.has(status) ? null : body, { status, headers });
}
