/**
 * By whom, and what for: the one key, or token in its place, that a request carries on the carriers of its endpoint family,
 * and its tag.
 */

import type { IncomingMessage } from 'node:http';
import { type Identities, unknownIssuer } from '../access/identities/identities.ts';
import { looksLikeToken } from '../access/identities/token.ts';
import type { Keys } from '../access/keys.ts';
import type { Principal } from '../access/principal.ts';
import { parseTag } from '../accounting/usage/tag.ts';
import type { FormatName } from '../conversation/prompt.ts';
import { GatewayError, invalidKey } from '../lib/errors.ts';
import type { Admitted, Call } from './exchange.ts';

/** No key is longer: what is longer is not even hashed. */
const MAX_KEY_LENGTH = 512;

/** Key headers of an endpoint family, besides `Authorization`. */
const KEY_HEADERS: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': [],
  responses: [],
  messages: ['x-api-key'],
  'generate-content': ['x-goog-api-key', 'x-vendorc-api-key'],
};

/** Where a key goes that was not given. */
const PLACES: Readonly<Record<FormatName | 'any', string>> = {
  'chat-completions': 'Authorization: Bearer KEY',
  responses: 'Authorization: Bearer KEY',
  messages: 'X-API-Key: KEY, or Authorization: Bearer KEY',
  'generate-content': 'x-goog-api-key: KEY, or Authorization: Bearer KEY',
  any: 'Authorization: Bearer KEY',
};

/** Every key header there is, for endpoints that serve clients of several families (the model list). */
const ALL_KEY_HEADERS = [...new Set(Object.values(KEY_HEADERS).flat())];

/** Where clients of other families have their key, and Azure's: only told of, never read. */
const OTHER_PLACES = [...ALL_KEY_HEADERS, 'api-key'];

/** Who may come in: by a key, and by a token where there are providers of any. */
export interface Authenticators {
  readonly keys: Keys;
  readonly identities?: Identities;
}

/** @throws GatewayError as `admit`. */
export function authenticate(doors: Authenticators): (call: Call) => Admitted | Promise<Admitted> {
  return (call) => {
    const found = authenticateCaller(doors, call.route.format, call.message, call.query);
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
 * Who sent a request; by a promise only where that is a token which has not come before.
 * @param family whose carriers count; `any` for endpoints that clients of several families share.
 * @throws GatewayError, or by the promise, `unauthenticated`, in the same words whether a key is unknown, malformed or
 *   contradicted; `overloaded` where nobody can say whether a token is right.
 */
export function authenticateCaller(
  { keys, identities }: Authenticators,
  family: FormatName | 'any',
  message: IncomingMessage,
  query: URLSearchParams,
): Principal | Promise<Principal> {
  const carried = new Set<string>();
  for (const name of family === 'any' ? ALL_KEY_HEADERS : KEY_HEADERS[family]) {
    const value = message.headers[name];
    if (typeof value === 'string' && value !== '') carried.add(value);
  }
  const { authorization = '' } = message.headers;
  if (!NOTHING.test(authorization)) carried.add(bearer(authorization));
  // The key in the query counts where no header carries one: a header is the safer carrier, so it wins.
  if (carried.size === 0 && family === 'generate-content') {
    for (const inQuery of query.getAll('key')) carried.add(inQuery);
  }

  const [key = '', ...others] = carried;
  if (key === '' && others.length === 0 && NOTHING.test(authorization)) {
    const elsewhere = OTHER_PLACES.find((name) => message.headers[name]);
    const where = elsewhere === undefined ? '' : ` (${elsewhere} is not read here)`;
    throw new GatewayError('unauthenticated', `No API key was given${where}. Send it as ${PLACES[family]}.`);
  }
  if (others.length > 0) throw invalidKey();
  const principal = identities?.find(key) ?? (key.length <= MAX_KEY_LENGTH ? keys.find(key) : undefined);
  if (principal !== undefined) return principal;
  throw identities !== undefined && looksLikeToken(key) ? unknownIssuer() : invalidKey();
}

/**
 * What is sent where the variable that should hold the key holds nothing, which other carriers may stand beside: Claude
 * Code sets both of Anthropic's so for what it starts, and Anthropic's SDKs send both then.
 */
const NOTHING = /^(?:bearer)? *$/i;

function bearer(authorization: string): string {
  const match = /^bearer +(\S+)$/i.exec(authorization);
  return match?.[1] ?? '';
}
