/**
 * Who sends a request, and for what: its key or token, which is read from where clients of its endpoint send one, and
 * its tag.
 */

import type { CallerRequest } from '../access/caller.ts';
import { type Identities, unknownIssuer } from '../access/identities/identities.ts';
import { looksLikeToken } from '../access/identities/token.ts';
import { type EndedKey, findEndedKey, findPrincipal, type Keys } from '../access/keys.ts';
import type { Principal } from '../access/principal.ts';
import type { Ledger } from '../accounting/usage/ledger.ts';
import { parseTag } from '../accounting/usage/tag.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { GatewayError, invalidKey } from '../lib/errors.ts';
import type { Query } from '../lib/query.ts';
import type { Admitted, Call } from './exchange.ts';

/** The longest key, in UTF-16 code units. A longer one is not even hashed. */
const MAX_KEY_LENGTH = 512;

/** The headers in which clients of a format send their key, besides `Authorization`. */
const KEY_HEADERS: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': [],
  responses: [],
  messages: ['x-api-key'],
  'generate-content': ['x-goog-api-key', 'x-vendorc-api-key'],
};

/** Where to send the key, for the error message when it is missing. */
const PLACES: Readonly<Record<FormatName | 'any', string>> = {
  'chat-completions': 'Authorization: Bearer KEY',
  responses: 'Authorization: Bearer KEY',
  messages: 'X-API-Key: KEY, or Authorization: Bearer KEY',
  'generate-content': 'x-goog-api-key: KEY, or Authorization: Bearer KEY',
  any: 'Authorization: Bearer KEY',
};

/** All key headers, for endpoints that serve clients of several formats (the model list). */
const ALL_KEY_HEADERS = [...new Set(Object.values(KEY_HEADERS).flat())];

/**
 * Headers in which clients of other formats send their key, and Azure's. They are only mentioned in errors, never read.
 */
const OTHER_PLACES = [...ALL_KEY_HEADERS, 'api-key'];

/** What verifies callers: keys, and identity providers if any are configured. */
export interface Authenticators {
  readonly keys: Keys;
  readonly identities?: Identities;
}

/** Adds the caller and the tag to a request. @throws GatewayError as `authenticateCaller` does. */
export function authenticate(authenticators: Authenticators): (call: Call) => Admitted | Promise<Admitted> {
  return (call) => {
    const found = authenticateCaller(
      authenticators,
      call.route.format,
      call.message,
      call.query,
      call.ledger,
    );
    return found instanceof Promise
      ? found.then((principal) => admitted(call, principal))
      : admitted(call, found);
  };
}

function admitted(call: Call, principal: Principal): Admitted {
  call.ledger.key = principal.name;
  call.ledger.group = principal.group?.name;
  const tag = parseTag(call.message.headers);
  call.ledger.tag = tag;
  return { ...call, principal };
}

/**
 * Finds who sent a request. The result is a promise only for a token that has not been seen before.
 * @param family the format whose key headers count; `any` for endpoints that clients of several formats share.
 * @param notes get the name of a key that has expired or was revoked. The answer never says it.
 * @throws GatewayError, or rejects with it: `unauthenticated`, in the same words whether the key is unknown,
 *   malformed or contradicted by a second one; `overloaded` if a token cannot be verified at the moment.
 */
export function authenticateCaller(
  { keys, identities }: Authenticators,
  family: FormatName | 'any',
  message: CallerRequest,
  query: Query,
  notes?: Pick<Ledger, 'expiredKey' | 'revokedKey'>,
): Principal | Promise<Principal> {
  const { authorization = '' } = message.headers;
  const isAuthorized = !NOTHING.test(authorization);
  const key = findCarried(family, message, isAuthorized ? bearer(authorization) : undefined, query) ?? '';
  if (key === CONTRADICTED) throw invalidKey(isAuthorized);
  if (key === '' && !isAuthorized) throw missingKey(family, message);
  const isShort = key.length <= MAX_KEY_LENGTH;
  const principal = identities?.find(key) ?? (isShort ? findPrincipal(keys, key) : undefined);
  if (principal !== undefined) return principal;
  if (notes !== undefined && isShort) noteEnded(notes, findEndedKey(keys, key));
  throw identities !== undefined && looksLikeToken(key) ? unknownIssuer() : invalidKey(isAuthorized);
}

/** Stands for the key of a request that carries two different ones. */
const CONTRADICTED = Symbol('contradicted');

type Carried = string | typeof CONTRADICTED | undefined;

/**
 * Finds the key that a request carries; undefined if it carries none.
 * @param authorized the key in `Authorization`; undefined if there is none.
 */
function findCarried(
  family: FormatName | 'any',
  { headers }: CallerRequest,
  authorized: string | undefined,
  query: Query,
): Carried {
  let carried: Carried = authorized;
  for (const name of family === 'any' ? ALL_KEY_HEADERS : KEY_HEADERS[family]) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') carried = agreed(carried, value);
  }
  // The key in the query counts only if no header carries one. A header is the safer place, so it wins.
  if (carried !== undefined || family !== 'generate-content') return carried;
  for (const value of query.getAll('key')) carried = agreed(carried, value);
  return carried;
}

function agreed(carried: Carried, value: string): Carried {
  return carried === undefined || carried === value ? value : CONTRADICTED;
}

function missingKey(family: FormatName | 'any', { headers }: CallerRequest): GatewayError {
  const elsewhere = OTHER_PLACES.find((name) => headers[name]);
  const where = elsewhere === undefined ? '' : ` (${elsewhere} is not read here)`;
  return new GatewayError('unauthenticated', `No API key was given${where}. Send it as ${PLACES[family]}.`);
}

function noteEnded(notes: Pick<Ledger, 'expiredKey' | 'revokedKey'>, { expired, revoked }: EndedKey): void {
  notes.expiredKey = expired;
  notes.revokedKey = revoked;
}

/**
 * What a client sends if the variable that should hold the key is empty; a key in another header may stand beside it.
 * Claude Code sets both of Anthropic's variables for the programs it starts, and Anthropic's SDKs then send both
 * headers.
 */
const NOTHING = /^(?:bearer)? *$/i;

function bearer(authorization: string): string {
  const match = /^bearer +(\S+)$/i.exec(authorization);
  return match?.[1] ?? '';
}
