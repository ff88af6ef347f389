/** Whether a request is the administrator's. */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../lib/errors.ts';
import { hashKey } from '../../../store/key-secret.ts';

/**
 * A check for one admin key, taken from `Authorization: Bearer` alone: a page of another site cannot send that header
 * unless it is told that it may, and here it never is.
 * @returns what throws GatewayError `unauthenticated`, in the same words whatever is wrong.
 */
export function authenticateAdmin(key: string): (message: IncomingMessage) => void {
  const expected = Buffer.from(hashKey(key), 'hex');
  return ({ headers: { authorization } }) => {
    const [, given = ''] = /^bearer +(\S{1,512})$/i.exec(authorization ?? '') ?? [];
    // Of hashes, so that the time it takes tells nothing of the key, not even its length.
    if (timingSafeEqual(Buffer.from(hashKey(given), 'hex'), expected)) return;
    throw new GatewayError(
      'unauthenticated',
      'The admin key is missing or wrong. Send it as Authorization: Bearer KEY.',
      {
        headers: { 'www-authenticate': 'Bearer realm="gateway admin"' },
      },
    );
  };
}
