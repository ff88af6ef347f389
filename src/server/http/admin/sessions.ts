/** The sessions of people who signed in: sealed cookies, which scripts of the page cannot read. */

import type { CallerRequest } from '../../../access/caller.ts';
import { makeSealer, type SealSecrets } from '../../../access/identities/sealer.ts';
import type { Person } from '../../../access/identities/sign-in.ts';

/** Seconds of a working day. */
const LIFETIME = 8 * 3_600;

export interface Sessions {
  /** Who has signed in; undefined if nobody has, or if the session is over. */
  find(message: CallerRequest): Promise<Person | undefined>;
  /** The `set-cookie` header that begins a session. */
  begin(person: Person): Promise<string>;
  /** The `set-cookie` header that ends it. */
  end(): string;
}

/**
 * @param secrets a new admin key, which is the current one, ends all sessions
 * @param isSecure whether the console is only reached by https
 */
export function openSessions(secrets: SealSecrets, isSecure: boolean): Sessions {
  const { seal, open } = makeSealer(secrets, 'console session');
  // `Strict`: no other site can send it, not even by a link.
  const { name: cookie, attributes } = describeCookie('gateway_session', isSecure, 'Strict');
  return {
    async find(message) {
      const text = readCookie(message, cookie);
      const opened = text === undefined ? undefined : await open(text);
      const { name, role } = opened ?? {};
      return typeof name === 'string' && (role === 'admin' || role === 'viewer') ? { name, role } : undefined;
    },
    begin: async ({ name, role }) =>
      `${cookie}=${await seal({ name, role }, LIFETIME)}; Max-Age=${LIFETIME}; ${attributes}`,
    end: () => `${cookie}=; Max-Age=0; ${attributes}`,
  };
}

/**
 * The name and the attributes of a cookie that scripts cannot read. It is for all paths, since a proxy may serve the
 * console below one of its own. `__Host-`: no other host of its domain can set one in its place (RFC 6265bis, 4.1.3.2).
 * @param isSecure whether it is only sent by https, as browsers demand for such a name
 */
export function describeCookie(
  name: string,
  isSecure: boolean,
  sameSite: 'Strict' | 'Lax',
): { readonly name: string; readonly attributes: string } {
  return {
    name: isSecure ? `__Host-${name}` : name,
    attributes: `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`,
  };
}

/** The value of a cookie (RFC 6265, 5.4). */
export function readCookie({ headers: { cookie = '' } }: CallerRequest, name: string): string | undefined {
  return cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
