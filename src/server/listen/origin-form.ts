/** Request targets as the rest of the gateway reads them: a path and a query. */

/** `http://host[:port]` before the path. Userinfo and an empty host are errors (RFC 9110, 4.2). */
const AUTHORITY = /^https?:\/\/(?:\[[\d.:a-f]+\]|[^\s/?#@:[\]\\]+)(?::\d{0,5})?(?=[/?]|$)/i;

/**
 * The origin form of a request target. Every server must also accept a complete URL, the form that clients send to
 * proxies; it names the same resource as its path (RFC 9112, 3.2.2). Its host decides nothing here, like the Host header.
 * @returns the path and query; any other target unchanged, which then is not found.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const authority = AUTHORITY.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
