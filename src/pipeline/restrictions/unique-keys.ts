/** Refuses a body in which an object has a key twice: two readers may disagree on which counts. */

import { countMembers } from '../../lib/count-members.ts';
import { invalid } from '../../lib/errors.ts';
import type { Scanned } from '../body/scanned.ts';

/**
 * Checks all objects of a body at once: the scan has counted the members as they are written, and the value has one for
 * each key.
 * @throws GatewayError `invalid-request`.
 */
export function requireUniqueKeys({ scan, tree }: Scanned): void {
  if (countMembers(tree()) < scan.members) throw invalid('An object in the request body has a key twice.');
}
