/** Which stored response a request is about. It has no body, and its method and path say all. */

import type { CallerRequest } from '../../access/caller.ts';
import { isStored, type Route, STORED_ENDPOINTS, type StoredEndpoint } from '../../conversation/route.ts';
import { invalid } from '../../lib/errors.ts';
import { percentDecoded } from '../../lib/percent-decoded.ts';
import { rawPath } from './request-head.ts';

/** A request about a stored response. */
export interface StoredCall {
  readonly method: StoredEndpoint['method'];
  /** The id of the response, which is safe in a path. */
  readonly id: string;
  /** The path before `pathAt`. */
  readonly path: string;
}

/**
 * An id: OpenAI's are of letters, digits and `_`, and other services use some more. It has no slash, begins with no dot,
 * and none of its characters means anything in a path.
 */
const ID = /^\w[\w.:=~-]{0,255}$/;

/** A path as it was sent: the prefix, the id, and the action on the response, if there is one. */
const PATH = /^\/v1\/responses\/([^/]+)(?:\/[a-z_]+)?\/?$/;

/**
 * Reads a request about a stored response.
 * @throws GatewayError `invalid-request` for what cannot be an id.
 * @throws TypeError for a route of another kind.
 */
export function parseStoredCall({ operation }: Route, message: Pick<CallerRequest, 'url'>): StoredCall {
  if (!isStored(operation)) throw new TypeError(`Nothing stored is meant by ${operation}.`);
  const id = percentDecoded(PATH.exec(rawPath(message))?.[1] ?? '');
  if (!ID.test(id))
    throw invalid("Invalid 'response_id': it has a character that no id has, or is too long.", 'response_id');
  const { method, action } = STORED_ENDPOINTS[operation];
  return { method, id, path: `/responses/${id}${action}` };
}
