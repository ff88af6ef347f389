/** Refuses a body in which an object has a key twice: two readers may disagree on which counts. */

import { invalid } from '../../lib/errors.ts';
import { isList, type Json } from '../../lib/json.ts';
import type { Scanned } from '../body/scanned.ts';

/**
 * Checks all objects of a body at once: the scan has counted the members as they are written, and the value has one for
 * each key.
 * @throws GatewayError `invalid-request`.
 */
export function requireUniqueKeys({ scan, tree }: Scanned): void {
  if (countMembers(tree()) < scan.members) throw invalid('An object in the request body has a key twice.');
}

function countMembers(value: Json | undefined): number {
  let members = 0;
  if (isList(value)) for (const item of value) members += countMembers(item);
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) members += 1 + countMembers(inner);
  }
  return members;
}
