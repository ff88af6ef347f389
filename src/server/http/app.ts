/** The HTTP API: one line per path, each with its format and operation. */

import type { H3, H3Event } from 'h3';
import type { CallerResponse } from '../../access/caller.ts';
import { STORED_OPERATIONS } from '../../conversation/prompt.ts';
import { POST_ROUTES, STORED_ENDPOINTS } from '../../conversation/route.ts';
import { GatewayError, methodNotAllowed } from '../../lib/errors.ts';
import { decodedName, MODELS_PATH } from '../../pipeline/decode.ts';
import { renderFailure } from '../../pipeline/render-failure.ts';
import { openConsole } from '../pages/console.ts';
import { checkHandshake, isHandshake } from '../websocket/handshake.ts';
import { describeKey } from './caller-key.ts';
import { isGoogleClient } from './client-family.ts';
import { answerLive, answerReady } from './health.ts';
import { listGoogleModels, listModels, listPricedModels, oneGoogleModel, oneModel } from './model-list.ts';
import { openDescription } from './openapi/document.ts';
import { UNSUPPORTED } from './openapi/generate-paths.ts';
import { isCall, pathAdvice } from './path-advice.ts';
import { type Endpoint, type Host, PathTable } from './path-table.ts';
import { runExchanges } from './run-exchanges.ts';

/** An app with every path. Any other path answers 404 in the caller's own format. */
export function createApp<R extends CallerResponse>(host: Host<R>): H3 {
  const paths = new PathTable(host);
  for (const [path, route] of Object.entries(POST_ROUTES)) {
    paths.post(path, runExchanges(route, host.getGateway));
    paths.refuse(path, (event) => wrongMethod(event, host));
  }
  addStored(paths, host);
  addModels(paths, host);
  paths.getOnly('/v1/key', paths.list('any', describeKey));
  const console = openConsole();
  const page: Endpoint = async ({ message }, path) =>
    (await console(path, message.headers)) ??
    Response.json({ error: { message: 'File not found.' } }, { status: 404 });
  paths.getOnly('/', page);
  paths.getOnly('/console/models.json', paths.list('chat-completions', listPricedModels));
  paths.getOnly('/console/**', page);
  // Claude Code opens its connection by this request: an error would close the connection again.
  paths.getOnly('/api/hello', () => Response.json({ message: 'hello' }));
  paths.getOnly('/health/live', answerLive);
  paths.getOnly('/health/ready', () => answerReady(host.condition()));
  paths.getOnly('/openapi.json', openDescription());
  paths.getOnly('/config.schema.json', answerConfigSchema);
  paths.get(
    '/metrics',
    (incoming) =>
      host.current().metrics?.(incoming.message) ??
      host.toResponse(renderFailure(noEndpoint('/metrics'), 'chat-completions', incoming)),
  );
  // 404, not 501: SDKs retry a 5xx.
  for (const path of Object.keys(UNSUPPORTED)) {
    paths.refusePost(path, () => new GatewayError('endpoint-not-available', `${path} is not supported.`));
    paths.allowOnly(path, 'POST');
  }
  for (const path of ['/v1/models/**', '/v1beta/models/**']) paths.allowOnly(path, 'GET, POST');
  paths.refuse('/**', (event) => noEndpoint(event.url.pathname));
  return paths.app;
}

/**
 * Answers `GET /config.schema.json`, by which editors complete and check a configuration. The file is loaded by the first
 * request, since most gateways get none.
 */
async function answerConfigSchema(): Promise<Response> {
  const { default: schema } = await import('../../config/config.schema.json', { with: { type: 'json' } });
  // Editors in a browser ask from other origins.
  return Response.json(schema, { headers: { 'access-control-allow-origin': '*' } });
}

/** Adds the exchanges about responses that the vendor has stored. */
function addStored<R extends CallerResponse>(paths: PathTable<R>, host: Host<R>): void {
  const methods = new Map<string, string[]>();
  for (const operation of STORED_OPERATIONS) {
    const { method, action } = STORED_ENDPOINTS[operation];
    const path = `/v1/responses/:id${action}`;
    paths.exchange(method, path, runExchanges({ format: 'responses', operation }, host.getGateway));
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  for (const [path, allowed] of methods) paths.allowOnly(path, allowed.join(', '));
}

/** Adds the lists of models, and generate-content's exchanges: their path names the model and the operation. */
function addModels<R extends CallerResponse>(paths: PathTable<R>, host: Host<R>): void {
  const generate = runExchanges({ format: 'generate-content', operation: 'generate' }, host.getGateway);
  const listAny = paths.list('any', listModels);
  const oneOfAny = paths.list('any', (gateway, principal, { path, anthropic }) =>
    oneModel(gateway, principal, modelAt(path), anthropic),
  );
  const listGoogles = paths.list('generate-content', listGoogleModels);
  const oneOfGoogles = paths.list('generate-content', (gateway, principal, { path }) => {
    if (isCall(path)) throw methodNotAllowed('POST');
    return oneGoogleModel(gateway, principal, modelAt(path));
  });
  paths.post('/v1beta/models/**', generate);
  // @google/generative-ai takes a name with a slash for a whole path: /v1beta/openai/gpt-5.4:generateContent.
  paths.post('/v1beta/:vendor/:call', generate);
  paths.getOnly('/v1beta/models', listGoogles);
  paths.get('/v1beta/models/**', oneOfGoogles);
  // Google's SDK uses /v1 unless it is given a version (@google/genai 3 and later).
  paths.post('/v1/models/**', generate);
  paths.getOnly('/v1/models', (incoming, path) =>
    (isGoogleClient(incoming.message) ? listGoogles : listAny)(incoming, path),
  );
  paths.get('/v1/models/**', (incoming, path) =>
    (isGoogleClient(incoming.message) ? oneOfGoogles : oneOfAny)(incoming, path),
  );
}

/** The error for a method other than POST. A request for a WebSocket gets the reason why it is refused. */
async function wrongMethod<R extends CallerResponse>(event: H3Event, host: Host<R>): Promise<GatewayError> {
  const { message } = host.getExchange(event);
  // A proxy may have removed the Upgrade header, but not the others of a handshake.
  if (message.headers['sec-websocket-key'] === undefined) return methodNotAllowed('POST');
  if (!isHandshake(message)) return noSocket();
  const judged = await checkHandshake(message, host.current(), host.condition() === 'ok', host.socketCounter);
  return judged instanceof GatewayError ? judged : noSocket();
}

/** The model named below `/v1/models/` or `/v1beta/models/`. */
function modelAt(path: string): string {
  return decodedName(path.replace(MODELS_PATH, ''));
}

function noEndpoint(path: string): GatewayError {
  return new GatewayError('not-found', `There is no such endpoint. ${pathAdvice(path)}`);
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
