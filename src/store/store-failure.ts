/** The error that a request gets which the store has failed. */

import { errorCode } from '../lib/error-code.ts';
import { GatewayError } from '../lib/errors.ts';
import { isReachable, type Store } from './store.ts';
import { CANCELED, isAway, isShort, isUnusable } from './store-errors.ts';

/** The code of an error for a store that cannot be used at the moment. */
export const STORE_UNAVAILABLE = 'store_unavailable';

const AWAY = 'The store cannot be reached at the moment, or does not answer in time.';
const SHORT = 'The store cannot do this at the moment: it is full, locked or read-only.';
const UNUSABLE = 'The store does not permit this, or is damaged. The log of the gateway says which.';

/** The error for a failure that the caller has not caused: a 503 if the store is to blame, else a 500. */
export async function asStoreFailure(store: Store, cause: unknown): Promise<GatewayError> {
  const details = { status: 503, code: STORE_UNAVAILABLE, cause };
  // Some codes of PostgreSQL, such as that of a shutdown, are of both kinds.
  if (isAway(cause) || errorCode(cause) === CANCELED) return new GatewayError('internal', AWAY, details);
  if (isShort(cause)) return new GatewayError('internal', SHORT, details);
  if (isUnusable(cause)) return new GatewayError('internal', UNUSABLE, details);
  if (!(await isReachable(store))) return new GatewayError('internal', AWAY, details);
  return new GatewayError('internal', 'The gateway failed to carry out this request.', { cause });
}
