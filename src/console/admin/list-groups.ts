/** All groups of the store, of which the admin API lists 10,000 at once. */

import type { Group } from './limits.ts';

interface GroupPage {
  readonly data: readonly Group[];
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** Asks for one page after the other. Their order is by name. @param ask sends a GET. @throws as `ask` */
export async function listGroups(ask: (path: string) => Promise<GroupPage>): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (let path = '/admin/groups'; ; ) {
    const { data, has_more: hasMore, last_id: last } = await ask(path);
    groups.push(...data);
    if (!hasMore || last === null) return groups;
    path = `/admin/groups?${new URLSearchParams({ after: last })}`;
  }
}
