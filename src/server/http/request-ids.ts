/** The ids of exchanges. */

import { randomFillSync } from 'node:crypto';
import type { CallerRequest } from '../../access/caller.ts';

/** How many ids are drawn at once: a call of the system's generator costs as much as ten ids. */
const DRAWN = 256;

/** The random bytes of one id. */
const BYTES = 16;

/** Makes a source of ids: `req_` and 128 random bits in hex, so they tell nothing about other exchanges. */
export function requestIds(): () => string {
  const drawn = Buffer.allocUnsafeSlow(DRAWN * BYTES);
  let at = drawn.length;
  return () => {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    at += BYTES;
    return `req_${drawn.toString('hex', at - BYTES, at)}`;
  };
}

/** The caller's own request id if it is safe to echo in a header; otherwise undefined. */
export function ownRequestId({ headers }: CallerRequest): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w-]{1,128}$/.test(given) ? given : undefined;
}
