/** The sessions of people who signed in: sealed cookies, which scripts of the page cannot read. */

import type { CallerRequest } from '../../../access/caller.ts';
import { makeSealer } from '../../../access/identities/sealer.ts';
import type { Person } from '../../../access/identities/sign-in.ts';

/** Seconds of a working day. */
const LIFETIME = 8 * 3_600;

const NAME = 'gateway_session';

export interface Sessions {
  /** Who has signed in; undefined if nobody has, or if the session is over. */
  find(message: CallerRequest): Promise<Person | undefined>;
  /** The `set-cookie` header that begins a session. */
  begin(person: Person): Promise<string>;
  /** The `set-cookie` header that ends it. */
  end(): string;
}

/**
 * @param adminKey a new one ends all sessions
 * @param isSecure whether the console is only reached by https
 */
export function openSessions(adminKey: () => string, isSecure: boolean): Sessions {
  const { seal, open } = makeSealer(adminKey, 'console session');
  // `Strict`: no other site can send it, not even by a link.
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    async find(message) {
      const text = readCookie(message, NAME);
      const opened = text === undefined ? undefined : await open(text);
      const { name, role } = opened ?? {};
      return typeof name === 'string' && (role === 'admin' || role === 'viewer') ? { name, role } : undefined;
    },
    begin: async ({ name, role }) =>
      `${NAME}=${await seal({ name, role }, LIFETIME)}; Max-Age=${LIFETIME}; ${attributes}`,
    end: () => `${NAME}=; Max-Age=0; ${attributes}`,
  };
}

/** The value of a cookie (RFC 6265, 5.4). */
export function readCookie({ headers: { cookie = '' } }: CallerRequest, name: string): string | undefined {
  return cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
