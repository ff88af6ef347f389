/** The console lists all groups, also where the admin API lists fewer at once. */

import { expect, test } from 'vitest';
import { listGroups } from '../../src/console/admin/list-groups.ts';
import { groupList } from '../../src/server/http/admin/group-routes.ts';
import { createGroup } from '../../src/store/keys/groups.ts';
import { ADMIN_KEY, startAdmin } from '../support/admin.ts';

test('groups on several pages are listed, each once and in order', async () => {
  const { url, store, close } = await startAdmin();
  try {
    for (const name of ['e', 'a & b', 'c', 'd', 'f']) await createGroup(store, name, {});
    const asked: string[] = [];
    const groups = await listGroups(async (path) => {
      asked.push(path);
      const address = new URL(path, url);
      address.searchParams.set('limit', '2');
      const answer = await fetch(address, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
      return groupList.parse(await answer.json());
    });
    expect(groups.map(({ name }) => name)).toEqual(['a & b', 'c', 'd', 'e', 'f']);
    expect(asked).toEqual(['/admin/groups', '/admin/groups?after=c', '/admin/groups?after=e']);
  } finally {
    await close();
  }
});
