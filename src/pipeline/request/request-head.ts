/** What is wrong with a request before its meaning matters: its target and its headers. */

import type { CallerRequest } from '../../access/caller.ts';
import { GatewayError } from '../../lib/errors.ts';
import { NO_QUERY, type Query } from '../../lib/query.ts';

/**
 * Headers that must not occur twice. Node shows the first of two, and something on the way may have read the other. The
 * same key twice is one key: a client adds it to what a proxy has set, or the other way round.
 */
const SINGLE = ['host', 'authorization'] as const;

/** More headers than any client and its proxies send. */
const MAX_HEADERS = 100;

/** The path as it was sent, without the query. Routing may have normalized it to another one. */
export function rawPath(message: Pick<CallerRequest, 'url'>): string {
  const target = message.url ?? '/';
  const cut = target.indexOf('?');
  return cut < 0 ? target : target.slice(0, cut);
}

/** The parameters of the query; none if there is no query. */
export function parseQuery(message: CallerRequest): Query {
  const target = message.url ?? '';
  const cut = target.indexOf('?');
  return cut < 0 ? NO_QUERY : new URLSearchParams(target.slice(cut + 1));
}

/** Finds the error in a request's head; undefined if there is none. */
export function faultOfHead(message: CallerRequest): GatewayError | undefined {
  if (!isPlain(rawPath(message))) return new GatewayError('not-found', 'There is no such endpoint.');
  const lines = message.rawHeaders;
  if (lines.length > 2 * MAX_HEADERS) {
    return new GatewayError('invalid-request', `The request has more than ${MAX_HEADERS} headers.`, {
      status: 431,
    });
  }
  const twice = SINGLE.find((name) => occursTwice(lines, name));
  return twice === undefined ? undefined : repeated(twice);
}

/** @param lines names and values in turn. @param name in lower case. */
function occursTwice(lines: readonly string[], name: string): boolean {
  let known: string | undefined;
  for (let at = 0; at < lines.length; at += 2) {
    const line = lines[at];
    // Few names are as long, so few are made lower case.
    if (line === undefined || line.length !== name.length || line.toLowerCase() !== name) continue;
    const value = lines[at + 1];
    if (known !== undefined && (name === 'host' || value !== known)) return true;
    known = value;
  }
  return false;
}

/**
 * Whether a path means what it says: it has no dot segments (plain or encoded), no empty segments, no backslash and no
 * fragment.
 */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\/\/|[\\#]/i.test(path);
}

function repeated(name: (typeof SINGLE)[number]): GatewayError {
  if (name === 'host')
    return new GatewayError('invalid-request', 'The request has more than one host header.');
  return new GatewayError(
    'unauthenticated',
    'The request has more than one Authorization header, with different values: send one.',
  );
}
