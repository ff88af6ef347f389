/** The HTTP API for callers: the endpoints of the tables, and what is answered beside them. */

import type { H3, H3Event } from 'h3';
import type { CallerResponse } from '../../access/caller.ts';
import { POST_ROUTES } from '../../conversation/route.ts';
import { GatewayError, methodNotAllowed } from '../../lib/errors.ts';
import { renderFailure } from '../../pipeline/render-failure.ts';
import { openConsole } from '../pages/console.ts';
import { checkHandshake, isHandshake } from '../websocket/handshake.ts';
import { exchangeEndpoints, GENERATE_CONTENT } from './exchange-endpoints.ts';
import { openDescription } from './openapi/document.ts';
import { pathAdvice } from './path-advice.ts';
import { type Host, PathTable } from './path-table.ts';
import { type ReadServices, readEndpoints } from './read-endpoints.ts';
import { runExchanges } from './run-exchanges.ts';
import { unsupportedEndpoints } from './unsupported-endpoints.ts';

/** An app with every path. Any other path answers 404 in the caller's own format. */
export function createApp<R extends CallerResponse>(host: Host<R>): H3 {
  const paths = new PathTable(host);
  const console = openConsole();
  const services: ReadServices = {
    list: (family, render) => paths.list(family, render),
    condition: () => host.condition(),
    page: async ({ message }, path) =>
      (await console(path, message.headers)) ??
      Response.json({ error: { message: 'File not found.' } }, { status: 404 }),
    describe: openDescription(),
  };
  const endpoints = [...readEndpoints, ...exchangeEndpoints, ...unsupportedEndpoints];
  const routes = Map.groupBy(endpoints, ({ path, route }) => route ?? path.replace(/\{(\w+)\}/, ':$1'));
  for (const [route, group] of routes) {
    // Endpoints of one route and method are served alike.
    const methods = new Map(group.map((endpoint) => [endpoint.method, endpoint]));
    for (const endpoint of methods.values()) {
      if ('open' in endpoint) paths.get(route, endpoint.open(services));
      else if ('exchange' in endpoint)
        paths.exchange(endpoint.method, route, runExchanges(endpoint.exchange, host.getGateway));
      else paths.refusePost(route, endpoint.refuse);
    }
    const allow = [...methods.keys()].join(', ');
    paths.refuse(route, (event) =>
      Object.hasOwn(POST_ROUTES, route) ? wrongMethod(event, host) : methodNotAllowed(allow),
    );
  }
  // @google/generative-ai takes a name with a slash for a whole path: /v1beta/openai/gpt-5.4:generateContent.
  paths.exchange('POST', '/v1beta/:vendor/:call', runExchanges(GENERATE_CONTENT, host.getGateway));
  // Described at the admin listener. Without an admin key there is no such path.
  paths.get(
    '/metrics',
    (incoming) =>
      host.current().metrics?.(incoming.message) ??
      host.toResponse(renderFailure(noEndpoint('/metrics'), 'chat-completions', incoming)),
  );
  paths.refuse('/**', (event) => noEndpoint(event.url.pathname));
  return paths.app;
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
