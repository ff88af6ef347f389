/** Whose requests have their troubles in common. */

import type { Principal } from '../../access/principal.ts';

/** The name of a tenant: the keys of a group, or else a key. It may have any characters. */
export function findTenant({ name, group }: Principal): string {
  return group === undefined ? `key ${name}` : `group ${group.name}`;
}
