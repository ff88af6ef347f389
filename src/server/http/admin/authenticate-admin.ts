/** Authenticates the administrator. */

import { timingSafeEqual } from 'node:crypto';
import type { CallerRequest } from '../../../access/caller.ts';
import { count } from '../../../lib/count.ts';
import type { Diagnostics } from '../../../lib/diagnostics.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { reportSparingly } from '../../../lib/sparing-reports.ts';
import { hashKey } from '../../../store/keys/key-secret.ts';

/**
 * A check for the admin key, which is read from `Authorization: Bearer` alone: a page of another site cannot send that
 * header unless CORS allows it, and the admin listener never does.
 * @param current returns the key: a reload of the configuration may change it.
 * @param onWrong called if a key was sent that is not the one.
 * @returns a function that throws GatewayError `unauthenticated`, with the same message whatever is wrong.
 */
export function authenticateAdmin(
  current: () => string,
  onWrong: () => void,
): (message: CallerRequest) => void {
  return ({ headers: { authorization } }) => {
    const expected = Buffer.from(hashKey(current()), 'hex');
    const [, given = ''] = /^bearer +(\S{1,512})$/i.exec(authorization ?? '') ?? [];
    // Hashes are compared, so that the time taken reveals nothing about the key, not even its length.
    if (timingSafeEqual(Buffer.from(hashKey(given), 'hex'), expected)) return;
    if (authorization !== undefined) onWrong();
    throw new GatewayError(
      'unauthenticated',
      'The admin key is missing or wrong. Send it as Authorization: Bearer KEY.',
      {
        headers: { 'www-authenticate': 'Bearer realm="gateway admin"' },
      },
    );
  };
}

/** @returns the function to call with each wrong key. The log has a line for the first, and one a minute at most. */
export function logWrongKeys(info: Diagnostics['info']): () => void {
  return reportSparingly((requests) => {
    const were = requests === 1 ? 'was' : 'were';
    info(`${count(requests, 'request')} with a wrong admin key ${were} refused.`);
  });
}
