/** Addresses in a configuration: of vendors, a proxy, PostgreSQL, Redis, and of browser pages. */

import { z } from 'zod';
import { isReserved } from '../upstream/addresses.ts';
import { findInvalidNetwork } from '../upstream/direct-networks.ts';

/** How the addresses of endpoints end, which people copy from a vendor's documentation. */
const ENDPOINT = /\/(?:chat\/completions|v1\/(?:responses|messages))\/?$/;

/** The address of a vendor. A name that resolves to a forbidden address is refused later, when it connects. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be http://… or https://…' })
  .refine(
    (url) => !URL.canParse(url) || !isReserved(url),
    'must not be a link-local, multicast or cloud metadata address',
  )
  .refine(
    (url) => !hasUnsentParts(url),
    'must not have a user, a ?query or a #fragment, which would not be sent',
  )
  .refine(
    (url) => !ENDPOINT.test(url),
    'must end before the endpoint (/chat/completions, /responses, /messages), which the gateway adds',
  );

/** Whether an address has parts that no request would carry. */
function hasUnsentParts(url: string): boolean {
  const { username = '', password = '', search = '', hash = '' } = URL.parse(url) ?? {};
  return username + password + search + hash !== '';
}

/**
 * Whether the user and the password in an address can be decoded. A bare `%` in one would end the start with an error
 * of a library.
 */
function isEscaped(url: string): boolean {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

const ESCAPED = 'must have special characters in the password percent-encoded (@ as %40)';

/** The address of a proxy, as in HTTPS_PROXY, where many people leave out the scheme. */
export const proxyUrl = z.preprocess(
  (value) => (typeof value === 'string' && !value.includes('://') ? `http://${value}` : value),
  z
    .url({ protocol: /^(?:https?|socks5?)$/, error: 'must be http://…, https://… or socks5://…' })
    .refine(isEscaped, ESCAPED),
);

/** Hosts and networks that are reached without the proxy, as in NO_PROXY. */
export const proxyExceptions = z.string().superRefine((text, context) => {
  const entry = findInvalidNetwork(text);
  if (entry !== undefined)
    context.addIssue({ code: 'custom', message: `has ${entry}, which is not a network such as 10.0.0.0/8` });
});

/**
 * The address of a PostgreSQL database, as PostgreSQL's own clients take it: without a host if `host=` names the
 * directory of a socket (Cloud SQL).
 */
export const postgresUrl = z.preprocess(
  (value) =>
    typeof value === 'string' ? value.replace(/^(postgres(?:ql)?:\/\/[^/?#@]*@)\//, '$1localhost/') : value,
  z.url({
    protocol: /^postgres(?:ql)?$/,
    error: 'must be postgres://…, with special characters in the password percent-encoded (@ as %40)',
  }),
);

/** The address of a Redis or Valkey server. */
export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must be redis://… or rediss://…' })
  .refine(isEscaped, ESCAPED);

const ORIGINS =
  'must be "*", or a list of origins like "https://chat.example.com", without a path or wildcards';

/** Whether a browser may send this as the `Origin` of a page (WHATWG HTML, 7.1.1). Any other value would never match. */
function isOrigin(value: string): boolean {
  const { protocol = '', origin } = URL.parse(value) ?? {};
  if (value.includes('*')) return false;
  // `URL` reports 'null' as the origin of apps and browser extensions.
  return /^https?:$/.test(protocol) ? origin === value : /^(?:null|[a-z][\w+.-]*:\/\/[^/?#]*)$/.test(value);
}

/** The origins of browser pages that may read answers: "*", or a list. */
export const corsOrigins = z
  .union([z.literal('*'), z.array(z.string())], ORIGINS)
  .transform((value) => (value.includes('*') ? '*' : value))
  .refine((value) => value === '*' || (Array.isArray(value) && value.every(isOrigin)), ORIGINS);
