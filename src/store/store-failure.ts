/** The error that a request gets which the store has failed. */

import { GatewayError } from '../lib/errors.ts';
import { isReachable, type Store } from './store.ts';
import { isAway, isShort } from './store-errors.ts';

/** The code of an error for a store that cannot be used at the moment. */
export const STORE_UNAVAILABLE = 'store_unavailable';

const AWAY = 'The store cannot be reached at the moment, or does not answer in time.';
const SHORT = 'The store cannot be written to at the moment: it is full, locked or read-only.';

/** The error for a failure that the caller has not caused: a 503 if the store is to blame, else a 500. */
export async function asStoreFailure(store: Store, cause: unknown): Promise<GatewayError> {
  const details = { status: 503, code: STORE_UNAVAILABLE, cause };
  // Some codes of PostgreSQL, such as that of a shutdown, are of both kinds.
  if (isAway(cause)) return new GatewayError('internal', AWAY, details);
  if (isShort(cause)) return new GatewayError('internal', SHORT, details);
  if (!(await isReachable(store))) return new GatewayError('internal', AWAY, details);
  return new GatewayError('internal', 'The gateway failed to carry out this request.', { cause });
}
