/** Authenticates the administrator. */

import { timingSafeEqual } from 'node:crypto';
import type { CallerRequest } from '../../../access/caller.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { hashKey } from '../../../store/keys/key-secret.ts';

/** The admin key: a function where a reload of the configuration may change it. */
export type AdminKey = string | (() => string);

/**
 * A check for one admin key, which is read from `Authorization: Bearer` alone: a page of another site cannot send that
 * header unless CORS allows it, and the admin listener never does.
 * @returns a function that throws GatewayError `unauthenticated`, with the same message whatever is wrong.
 */
export function authenticateAdmin(key: AdminKey): (message: CallerRequest) => void {
  const current = typeof key === 'string' ? () => key : key;
  return ({ headers: { authorization } }) => {
    const expected = Buffer.from(hashKey(current()), 'hex');
    const [, given = ''] = /^bearer +(\S{1,512})$/i.exec(authorization ?? '') ?? [];
    // Hashes are compared, so that the time taken reveals nothing about the key, not even its length.
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
