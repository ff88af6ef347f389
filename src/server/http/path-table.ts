/** How a path of the HTTP API is added: what every endpoint has in common, whatever it answers. */

import { H3, type H3Event } from 'h3';
import type { CallerRequest, CallerResponse } from '../../access/caller.ts';
import type { Principal } from '../../access/principal.ts';
import { openLedger } from '../../accounting/usage/ledger.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import { NO_BYTES } from '../../lib/bytes.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';
import type { GatewayError } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';
import { authenticateCaller } from '../../pipeline/authenticate.ts';
import type { Answer, Incoming, Load } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { renderFailure } from '../../pipeline/render-failure.ts';
import { faultOfHead, parseQuery, rawPath } from '../../pipeline/request/request-head.ts';
import { cancelBody } from '../../streams/cancel-body.ts';
import type { SocketCounter } from '../websocket/socket-counter.ts';
import { findFamily, isAnthropicClient } from './client-family.ts';
import { allowOrigin, isPreflight, originHeaders, preflight } from './cors.ts';
import type { Condition } from './health.ts';
import type { AskedList } from './model-list.ts';
import { NOT_KEPT } from './not-kept.ts';
import { reportFailure } from './report-failure.ts';
import { ownRequestId, requestIds } from './request-ids.ts';
import type { Exchange, UnrecordedRequest } from './run-exchanges.ts';

/**
 * What the app needs of the server that runs it.
 * @typeParam R where the server's answers go.
 */
export interface Host<R extends CallerResponse> {
  getExchange(event: H3Event): { readonly message: CallerRequest; readonly response: R };
  /**
   * Gives an exchange its answer.
   * @param extra headers in addition to the answer's own.
   */
  answer(
    response: R,
    answer: Answer,
    extra: Readonly<Record<string, string>> | undefined,
  ): Response | Promise<Response>;
  /** An answer of this process itself, with a body of bytes. */
  toResponse(answer: Answer): Response;
  /** The gateway in force: a reload gives the next request another one. */
  current(): Gateway;
  /** The gateway that an exchange began with, and keeps: a replaced gateway is closed when no exchange uses it. */
  getGateway(response: CallerResponse): Gateway;
  /** The condition that health checks report. */
  condition(): Condition;
  readonly load: Load;
  readonly socketCounter: Pick<SocketCounter, 'refusal'>;
  /** Aborts when an exchange is over before its answer is; the reason is a GatewayError. */
  getSignal(response: CallerResponse): Signal;
  /** Receives a line for each failure that has no record of an exchange. */
  readonly log: LogProblem;
}

/** Answers a request that is no exchange. */
export type Handler = (incoming: Incoming, path: string) => Response | Promise<Response>;

/** Makes the answer about models, or about the caller's own key. @throws GatewayError */
export type RenderList = (
  gateway: Gateway,
  principal: Principal,
  asked: AskedList,
) => object | Promise<object>;

/** The paths of one app. An error in an endpoint is an answer in the caller's own format. */
export class PathTable<R extends CallerResponse> {
  readonly app: H3;
  readonly #host: Host<R>;
  readonly #makeId = requestIds();

  constructor(host: Host<R>) {
    this.#host = host;
    this.app = new H3({
      silent: true,
      allowMalformedURL: true,
      onError: (error, event) => {
        const incoming = this.#makeIncoming(event);
        const family = findFamily(event.url.pathname, incoming.message);
        this.#report(incoming, error.cause ?? error);
        return host.toResponse(renderFailure(error.cause ?? error, family, incoming));
      },
    });
  }

  /** Adds a path for a method by which its requests are exchanges; GET brings HEAD with it (RFC 9110, 9.3.2). */
  exchange(method: 'POST' | 'GET' | 'DELETE', path: string, exchange: Exchange): void {
    const host = this.#host;
    const run = async (event: H3Event): Promise<Response> => {
      const { message, response } = host.getExchange(event);
      const asked = this.#makeUnrecorded(message, response);
      const fault = faultOfHead(message);
      const answer =
        fault === undefined
          ? await exchange(asked)
          : renderFailure(fault, findFamily(rawPath(message), message), withoutLedger(asked));
      const written = message.method === 'HEAD' ? withoutStream(answer) : answer;
      return host.answer(response, written, originHeaders(message, host.current().cors));
    };
    this.app.on(method, path, run);
    if (method === 'GET') this.app.on('HEAD', path, run);
    this.#addPreflight(path);
  }

  /** Adds a path for POST that always answers an error. */
  refusePost(path: string, makeError: () => GatewayError): void {
    this.app.on('POST', path, (event) => this.#fail(event, makeError()));
    this.#addPreflight(path);
  }

  /** Adds a path for GET and HEAD, also for browsers from the allowed origins. */
  get(path: string, handler: Handler): void {
    const run = async (event: H3Event): Promise<Response> => {
      const incoming = this.#makeIncoming(event);
      const { message } = incoming;
      const fault = faultOfHead(message);
      if (fault !== undefined) return this.#fail(event, fault);
      return allowOrigin(await handler(incoming, rawPath(message)), message, this.#host.current().cors);
    };
    this.app.on('GET', path, run);
    // Load balancers and monitors send HEAD; the server leaves out the body.
    this.app.on('HEAD', path, run);
    this.#addPreflight(path);
  }

  /** Refuses whatever has not been added at a path. */
  refuse(path: string, findError: (event: H3Event) => GatewayError | Promise<GatewayError>): void {
    this.app.all(path, async (event) => this.#fail(event, await findError(event)));
  }

  /** An endpoint that informs a caller about models, or about its own key. */
  list(family: FormatName | 'any', render: RenderList): Handler {
    const host = this.#host;
    return async (incoming, path) => {
      const { message } = incoming;
      const anthropic = isAnthropicClient(message);
      const format = family === 'any' ? (anthropic ? 'messages' : 'chat-completions') : family;
      try {
        const gateway = host.current();
        const query = parseQuery(message);
        const principal = await authenticateCaller(gateway, family, message, query);
        const body = await render(gateway, principal, { path, query, anthropic });
        return Response.json(body, { headers: { 'x-request-id': incoming.id, ...NOT_KEPT } });
      } catch (error) {
        this.#report(incoming, error);
        const { headers, ...answer } = renderFailure(error, format, incoming);
        return host.toResponse({ ...answer, headers: { ...headers, ...NOT_KEPT } });
      }
    };
  }

  #addPreflight(path: string): void {
    this.app.on('OPTIONS', path, (event) => this.#answerPreflight(event));
  }

  #answerPreflight(event: H3Event): Response {
    return preflight(this.#host.getExchange(event).message, this.#host.current().cors);
  }

  /** Answers an error, and the preflight that a browser sends first: without it, a page only reads 'Failed to fetch'. */
  #fail(event: H3Event, error: GatewayError): Response {
    const incoming = this.#makeIncoming(event);
    const { message } = incoming;
    if (isPreflight(message)) return this.#answerPreflight(event);
    const response = this.#host.toResponse(
      renderFailure(error, findFamily(rawPath(message), message), incoming),
    );
    return allowOrigin(response, message, this.#host.current().cors);
  }

  #report({ id, message }: Incoming, error: unknown): void {
    reportFailure(this.#host.log, `${message.method} ${rawPath(message)}`, id, error);
  }

  #makeIncoming(event: H3Event): Incoming {
    const { message, response } = this.#host.getExchange(event);
    return withoutLedger(this.#makeUnrecorded(message, response));
  }

  #makeUnrecorded(message: CallerRequest, response: R): UnrecordedRequest {
    const { load, getSignal } = this.#host;
    return {
      id: ownRequestId(message) ?? this.#makeId(),
      message,
      response,
      signal: getSignal(response),
      load,
    };
  }
}

/** An answer to HEAD, which does not wait for a stream that nobody gets. */
function withoutStream(answer: Answer): Answer {
  if (answer.body instanceof Uint8Array) return answer;
  cancelBody(answer.body);
  return { ...answer, body: NO_BYTES };
}

function withoutLedger(asked: UnrecordedRequest): Incoming {
  return { ...asked, ledger: openLedger(false) };
}
