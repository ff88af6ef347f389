/** The HTTP API: one line per path, each with its format and operation. */

import { H3, type H3Event } from 'h3';
import type { CallerRequest, CallerResponse } from '../../access/caller.ts';
import type { Principal } from '../../access/principal.ts';
import { openLedger } from '../../accounting/usage/ledger.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import type { Route } from '../../conversation/route.ts';
import { GatewayError, methodNotAllowed } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';
import { authenticateCaller } from '../../pipeline/authenticate.ts';
import { decodedName, MODELS_PATH } from '../../pipeline/decode.ts';
import type { Answer, Incoming, Load } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { renderFailure } from '../../pipeline/render-failure.ts';
import { faultOfHead, parseQuery, rawPath } from '../../pipeline/request/request-head.ts';
import { openConsole } from '../pages/console.ts';
import { checkHandshake, isHandshake } from '../websocket/handshake.ts';
import type { SocketCounter } from '../websocket/socket-counter.ts';
import { describeKey } from './caller-key.ts';
import { findFamily, isAnthropicClient, isGoogleClient } from './client-family.ts';
import { answerConfigSchema } from './config-schema.ts';
import { allowOrigin, isPreflight, originHeaders, preflight } from './cors.ts';
import { answerLive, answerReady, type Condition } from './health.ts';
import {
  type AskedList,
  listGoogleModels,
  listModels,
  listPricedModels,
  oneGoogleModel,
  oneModel,
} from './model-list.ts';
import { isCall, nearestPath } from './nearest-path.ts';
import { openDescription } from './openapi/document.ts';
import { requestIds } from './request-ids.ts';
import { type Exchange, runExchanges, type UnrecordedRequest } from './run-exchanges.ts';

/**
 * What the app needs of the server that runs it.
 * @typeParam R where the server's answers go.
 */
export interface Host<R extends CallerResponse> {
  /** What stands behind an event of h3's. */
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
  /** How many WebSockets a key may open. */
  readonly socketCounter: Pick<SocketCounter, 'refusal'>;
  /** Aborts when an exchange is over before its answer is; the reason is a GatewayError. */
  getSignal(response: CallerResponse): Signal;
}

type Endpoint = (incoming: Incoming, path: string) => Response | Promise<Response>;

/** The announced endpoints. 404, not 501: SDKs retry a 5xx. */
const KNOWN_TO_BE_MISSING = ['/v1/embeddings', '/v1/images/generations', '/v1/audio/speech', '/v1/videos'];

/** The endpoints that answer POST at a fixed path. */
const POST_ROUTES: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': { format: 'chat-completions', operation: 'generate' },
  '/v1/responses': { format: 'responses', operation: 'generate' },
  '/v1/responses/compact': { format: 'responses', operation: 'compact' },
  '/v1/responses/input_tokens': { format: 'responses', operation: 'count-tokens' },
  '/v1/messages': { format: 'messages', operation: 'generate' },
  '/v1/messages/count_tokens': { format: 'messages', operation: 'count-tokens' },
};

/** An app with every path. Any other path answers 404 in the caller's own format. */
export function createApp<R extends CallerResponse>(host: Host<R>): H3 {
  const { toResponse } = host;
  const makeId = requestIds();
  const app = new H3({
    silent: true,
    allowMalformedURL: true,
    onError: (error, event) => {
      const incoming = makeIncoming(event);
      const family = findFamily(event.url.pathname, incoming.message);
      return toResponse(renderFailure(error.cause ?? error, family, incoming));
    },
  });

  for (const [path, route] of Object.entries(POST_ROUTES)) {
    ask(path, runExchanges(route, host.getGateway));
    app.all(path, async (event) => fail(event, await wrongMethod(event)));
  }
  // The path names the model and the operation.
  const askGoogle = runExchanges({ format: 'generate-content', operation: 'generate' }, host.getGateway);
  const listAny = list('any', listModels);
  const oneOfAny = list('any', (gateway, principal, { path, anthropic }) =>
    oneModel(gateway, principal, modelAt(path), anthropic),
  );
  const listGoogles = list('generate-content', listGoogleModels);
  const oneOfGoogles = list('generate-content', (gateway, principal, { path }) => {
    if (isCall(path)) throw methodNotAllowed('POST');
    return oneGoogleModel(gateway, principal, modelAt(path));
  });
  ask('/v1beta/models/**', askGoogle);
  // @google/generative-ai takes a name with a slash for a whole path: /v1beta/openai/gpt-5.4:generateContent.
  ask('/v1beta/:vendor/:call', askGoogle);
  readOnly('/v1beta/models', listGoogles);
  read('/v1beta/models/**', oneOfGoogles);
  // Google's SDK uses /v1 unless it is given a version (@google/genai 3 and later).
  ask('/v1/models/**', askGoogle);
  readOnly('/v1/models', (incoming, path) =>
    (isGoogleClient(incoming.message) ? listGoogles : listAny)(incoming, path),
  );
  read('/v1/models/**', (incoming, path) =>
    (isGoogleClient(incoming.message) ? oneOfGoogles : oneOfAny)(incoming, path),
  );
  readOnly('/v1/key', list('any', describeKey));
  const console = openConsole();
  const page: Endpoint = async ({ message }, path) =>
    (await console(path, message.headers)) ??
    Response.json({ error: { message: 'File not found.' } }, { status: 404 });
  readOnly('/', page);
  readOnly('/console/models.json', list('chat-completions', listPricedModels));
  readOnly('/console/**', page);
  // Claude Code opens its connection by this request: an error would close the connection again.
  readOnly('/api/hello', () => Response.json({ message: 'hello' }));
  readOnly('/health/live', answerLive);
  readOnly('/health/ready', () => answerReady(host.condition()));
  readOnly('/openapi.json', openDescription());
  readOnly('/config.schema.json', answerConfigSchema);
  read(
    '/metrics',
    (incoming) =>
      host.current().metrics?.(incoming.message) ??
      toResponse(renderFailure(noEndpoint(), 'chat-completions', incoming)),
  );
  for (const path of KNOWN_TO_BE_MISSING) {
    app.on('POST', path, (event) =>
      fail(event, new GatewayError('endpoint-not-available', `${path} is not supported.`)),
    );
    app.on('OPTIONS', path, answerPreflight);
    refuseOthers(path, 'POST');
  }
  for (const path of ['/v1/models/**', '/v1beta/models/**']) refuseOthers(path, 'GET, POST');
  app.all('/**', (event) => fail(event, noEndpoint(nearestPath(event.url.pathname))));
  return app;

  /** Adds a path of exchanges. */
  function ask(path: string, exchange: Exchange): void {
    app.on('POST', path, async (event) => {
      const { message, response } = host.getExchange(event);
      const asked = makeUnrecorded(message, response, host, makeId);
      const fault = faultOfHead(message);
      const answer =
        fault === undefined
          ? await exchange(asked)
          : renderFailure(fault, findFamily(rawPath(message), message), withoutLedger(asked));
      return host.answer(response, answer, originHeaders(message, host.current().cors));
    });
    app.on('OPTIONS', path, answerPreflight);
  }

  function makeIncoming(event: H3Event): Incoming {
    const { message, response } = host.getExchange(event);
    return withoutLedger(makeUnrecorded(message, response, host, makeId));
  }

  function answerPreflight(event: H3Event): Response {
    return preflight(host.getExchange(event).message, host.current().cors);
  }

  /** Adds a path for GET and HEAD, also for browsers from the allowed origins. */
  function read(path: string, endpoint: Endpoint): void {
    const run = async (event: H3Event): Promise<Response> => {
      const incoming = makeIncoming(event);
      const { message } = incoming;
      const fault = faultOfHead(message);
      if (fault !== undefined) return fail(event, fault);
      return allowOrigin(await endpoint(incoming, rawPath(message)), message, host.current().cors);
    };
    app.on('GET', path, run);
    // Load balancers and monitors send HEAD; the server leaves out the body.
    app.on('HEAD', path, run);
    app.on('OPTIONS', path, answerPreflight);
  }

  /** Adds a path that answers GET and HEAD, and no other method. */
  function readOnly(path: string, endpoint: Endpoint): void {
    read(path, endpoint);
    refuseOthers(path, 'GET');
  }

  function refuseOthers(path: string, allow: string): void {
    app.all(path, (event) => fail(event, methodNotAllowed(allow)));
  }

  /** An endpoint that tells a caller about models, or about its own key. */
  function list(
    family: FormatName | 'any',
    render: (gateway: Gateway, principal: Principal, asked: AskedList) => object | Promise<object>,
  ): Endpoint {
    return async (incoming, path) => {
      const { message } = incoming;
      const anthropic = isAnthropicClient(message);
      const format = family === 'any' ? (anthropic ? 'messages' : 'chat-completions') : family;
      try {
        const gateway = host.current();
        const query = parseQuery(message);
        const principal = await authenticateCaller(gateway, family, message, query);
        const body = await render(gateway, principal, { path, query, anthropic });
        return Response.json(body, { headers: { 'x-request-id': incoming.id } });
      } catch (error) {
        return toResponse(renderFailure(error, format, incoming));
      }
    };
  }

  /** The error for a method other than POST. A request for a WebSocket gets the reason why it is refused. */
  async function wrongMethod(event: H3Event): Promise<GatewayError> {
    const { message } = host.getExchange(event);
    // A proxy may have removed the Upgrade header, but not the others of a handshake.
    if (message.headers['sec-websocket-key'] === undefined) return methodNotAllowed('POST');
    if (!isHandshake(message)) return noSocket();
    const judged = await checkHandshake(
      message,
      host.current(),
      host.condition() === 'ok',
      host.socketCounter,
    );
    return judged instanceof GatewayError ? judged : noSocket();
  }

  /** Answers an error, and the preflight that a browser sends first: without it, a page only reads 'Failed to fetch'. */
  function fail(event: H3Event, error: GatewayError): Response {
    const incoming = makeIncoming(event);
    if (isPreflight(incoming.message)) return answerPreflight(event);
    const family = findFamily(rawPath(incoming.message), incoming.message);
    const response = toResponse(renderFailure(error, family, incoming));
    return allowOrigin(response, incoming.message, host.current().cors);
  }
}

function makeUnrecorded<R extends CallerResponse>(
  message: CallerRequest,
  response: R,
  { load, getSignal }: Host<R>,
  makeId: () => string,
): UnrecordedRequest {
  return {
    id: requestId(message) ?? makeId(),
    message,
    response,
    signal: getSignal(response),
    load,
  };
}

function withoutLedger(asked: UnrecordedRequest): Incoming {
  return { ...asked, ledger: openLedger(false) };
}

/** The caller's own request id if it is safe to echo in a header; otherwise undefined. */
function requestId(message: CallerRequest): string | undefined {
  const given = message.headers['x-request-id'];
  return typeof given === 'string' && /^[\w-]{1,128}$/.test(given) ? given : undefined;
}

/** The model named below `/v1/models/` or `/v1beta/models/`. */
function modelAt(path: string): string {
  return decodedName(path.replace(MODELS_PATH, ''));
}

function noEndpoint(nearest?: string): GatewayError {
  const hint =
    nearest === undefined
      ? 'Available endpoints: /v1/chat/completions, /v1/responses, /v1/messages and /v1beta/models/{model}:generateContent.'
      : `Did you mean ${nearest}? Check your client's base URL.`;
  return new GatewayError('not-found', `There is no such endpoint. ${hint}`);
}

/** Codex tries a WebSocket for responses first. At this status it turns to POST at once, at others after all retries. */
function noSocket(): GatewayError {
  return new GatewayError(
    'method-not-allowed',
    'WebSockets are not available here; send a POST request instead.',
    {
      status: 426,
      headers: { allow: 'POST', upgrade: 'HTTP/1.1' },
    },
  );
}
