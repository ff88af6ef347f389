/** A request target as the rest of the gateway reads it: a path and a query. */

/** `http://host[:port]` before the path. Userinfo and an empty host are errors (RFC 9110, 4.2). */
const AUTHORITY = /^https?:\/\/(?:\[[\d.:a-f]+\]|[^\s/?#@:[\]\\]+)(?::\d{0,5})?(?=[/?]|$)/i;

/**
 * The origin form of a request target. Every server must take a whole URL as a target too, which proxies are sent, and
 * which names the same resource as its path (RFC 9112, 3.2.2). The host in it decides nothing here, like the Host header.
 * @returns any other target as it is: it is no path, and so not found.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const authority = AUTHORITY.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
