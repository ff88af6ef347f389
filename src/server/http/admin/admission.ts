/**
 * Admits administrators: by the admin key, or by the session of somebody who signed in at the identity provider. A viewer
 * may only read.
 */

import type { CallerRequest } from '../../../access/caller.ts';
import type { Person } from '../../../access/identities/sign-in.ts';
import { GatewayError } from '../../../lib/errors.ts';
import type { Sessions } from './sessions.ts';

/**
 * @returns the person who signed in; undefined for the admin key, which says nothing about who holds it
 * @throws GatewayError `unauthenticated`, or `permission-denied`
 */
export type Admit = (message: CallerRequest) => Promise<Person | undefined>;

/** The header that the console sends with each change. No page of another site can send it unless CORS allows it. */
const FROM_CONSOLE = 'x-gateway-console';

/**
 * @param sessions undefined where nobody can sign in
 * @param byKey admits the holder of the admin key, as `authenticateAdmin` does
 */
export function makeAdmission(
  sessions: Sessions | undefined,
  byKey: (message: CallerRequest) => void,
): Admit {
  return async (message) => {
    const session = message.headers.authorization === undefined ? await sessions?.find(message) : undefined;
    if (session === undefined) {
      byKey(message);
      return undefined;
    }
    if (message.method === 'GET' || message.method === 'HEAD') return session;
    if (session.role !== 'admin')
      throw new GatewayError(
        'permission-denied',
        'You may look, but not change anything: your role is viewer.',
      );
    requireConsole(message);
    return session;
  };
}

/** @throws GatewayError `permission-denied` if the request may come from a page of another site. */
export function requireConsole({ headers }: CallerRequest): void {
  if (headers[FROM_CONSOLE] === undefined)
    throw new GatewayError(
      'permission-denied',
      `A change with a session needs the header ${FROM_CONSOLE}, which other sites cannot send.`,
    );
}
