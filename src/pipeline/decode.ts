/** What is requested, and in which format: read from the head. The body is not read until its sender is known. */

import type { Config } from '../config/schema.ts';
import { isStored, type Route } from '../conversation/route.ts';
import { GatewayError } from '../lib/errors.ts';
import { chooseDecompressor } from '../upstream/content-coding.ts';
import { readBody } from './body/read-body.ts';
import type { Call, Incoming } from './exchange.ts';
import { parseQuery, rawPath } from './request/request-head.ts';

/** `application/json` and `application/<anything>+json`, with or without parameters. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** The methods of generate-content that are served, and the operation of each. */
const METHODS: Readonly<Record<string, Route['operation']>> = {
  generateContent: 'generate',
  streamGenerateContent: 'generate',
  countTokens: 'count-tokens',
};

/** The path prefix of generate-content's models. Clients leave out `models/` before a name that has a slash in it. */
export const MODELS_PATH = /^\/v1(?:beta)?\/(?:models\/)?/;

/**
 * Makes the stage that reads a request's head and prepares to read its body.
 * @throws GatewayError `unsupported-media-type` for a body that is not declared as JSON or has an unsupported coding;
 *   `not-found` for an unknown method of generate-content.
 */
export function decode(
  route: Route,
  { bodyBytes }: Pick<Config['limits'], 'bodyBytes'>,
): (incoming: Incoming) => Call {
  return (incoming) => {
    const { message, response, ledger, load } = incoming;
    const { 'content-type': type, 'content-encoding': coding } = message.headers;
    // What a request about a stored response may bring as a body is not read.
    const bringsBody = !isStored(route.operation);
    if (bringsBody) requireJson(type);
    const decompress = bringsBody ? chooseDecompressor(coding) : undefined;
    const named = route.format === 'generate-content' ? namedInPath(rawPath(message)) : undefined;
    if (named) ledger.operation = named.operation;
    return {
      ...incoming,
      route: named === undefined ? route : { ...route, operation: named.operation },
      query: parseQuery(message),
      ...(named !== undefined && { named }),
      readBody: () => readBody(message, response, { limit: bodyBytes, decompress, load }),
    };
  };
}

function requireJson(type: string | undefined): void {
  if (type === undefined || JSON_TYPE.test(type)) return;
  // Proxies join a header that comes twice to a list.
  if (type.split(',').every((each) => JSON_TYPE.test(each.trim()))) return;
  throw new GatewayError(
    'unsupported-media-type',
    'The request body must be JSON, with Content-Type: application/json.',
  );
}

/** Parses `/v1beta/models/{model}:{method}`, or the same without `models/`. The model's name is percent-decoded once. */
function namedInPath(path: string): { model: string; method: string; operation: Route['operation'] } {
  const call = path.replace(MODELS_PATH, '');
  const colon = call.lastIndexOf(':');
  const method = call.slice(colon + 1);
  const operation = colon > 0 && Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (operation === undefined) {
    const known = Object.keys(METHODS).join(', ');
    throw new GatewayError('not-found', `There is no such method. The methods of a model are ${known}.`);
  }
  return { model: decodedName(call.slice(0, colon)), method, operation };
}

/** Decodes the percent-encoded name of a model in a path. */
export function decodedName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new GatewayError('not-found', 'The model in the path is not valid UTF-8.');
  }
}
