/** `/admin/groups`: the groups of the store. */

import { z } from 'zod';
import { GatewayError } from '../../../lib/errors.ts';
import { changeGroup, createGroup, deleteGroup, findGroup, listGroups } from '../../../store/keys/groups.ts';
import { groupColumns, groupSettings, newGroup } from '../../../store/keys/key-settings.ts';
import { groupView, renderGroup } from '../../../store/keys/key-view.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerJson, readAs, readRequiredAs } from './answers.ts';

/** All groups in one answer, since there are few. */
export const groupList = z.strictObject({
  object: z.literal('list'),
  data: z.array(groupView).meta({ description: 'By name.' }),
});

export async function answerGroups(store: Store): Promise<Response> {
  const rows = await listGroups(store);
  return answerJson({ object: 'list', data: rows.map(renderGroup) } satisfies z.output<typeof groupList>);
}

/** Creates a group. @throws GatewayError `conflict` if its name is taken, `invalid-request` for invalid settings. */
export async function answerNewGroup(store: Store, request: AdminRequest): Promise<Response> {
  const { name, ...settings } = await readAs(request, newGroup);
  const row = await createGroup(store, name, groupColumns(settings));
  if (row !== undefined) return answerJson(renderGroup(row), 201);
  throw new GatewayError('conflict', `There is already a group named ${name}.`, {
    param: 'name',
    code: 'name_taken',
  });
}

/** Reads the group of a name. @throws GatewayError `not-found` */
export async function answerGroup(store: Store, { named }: AdminRequest): Promise<Response> {
  return answerJson(renderGroup((await findGroup(store, named)) ?? noSuchGroup()));
}

/** Changes the settings that the body has. @throws GatewayError `not-found`, `invalid-request` */
export async function answerGroupChange(store: Store, request: AdminRequest): Promise<Response> {
  const columns = groupColumns(await readRequiredAs(request, groupSettings));
  return answerJson(renderGroup((await changeGroup(store, request.named, columns)) ?? noSuchGroup()));
}

/** Deletes a group. @throws GatewayError `not-found`; `conflict` while it has keys, which would lose its limits. */
export async function answerNoGroup(store: Store, { named }: AdminRequest): Promise<Response> {
  const deleted = (await deleteGroup(store, named)) ?? noSuchGroup();
  if (!('keys' in deleted)) return answerJson(renderGroup(deleted));
  throw new GatewayError(
    'conflict',
    `Keys that are not revoked are still of the group ${named}: ${deleted.keys}. Give them another group, or none ("group": null), first.`,
    { code: 'group_has_keys' },
  );
}

function noSuchGroup(): never {
  throw new GatewayError('not-found', 'There is no such group.');
}
