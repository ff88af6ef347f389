/** `/admin/groups`: the groups of the store. */

import { z } from 'zod';
import { GatewayError } from '../../../lib/errors.ts';
import { listLimit, wantedText } from '../../../lib/zod-fields.ts';
import {
  changeGroup,
  createGroup,
  deleteGroup,
  findGroup,
  pageOfGroups,
} from '../../../store/keys/groups.ts';
import { groupColumns, groupSettings, newGroup } from '../../../store/keys/key-settings.ts';
import { groupView, renderGroup } from '../../../store/keys/key-view.ts';
import type { Store } from '../../../store/store.ts';
import type { GroupRow } from '../../../store/tables.ts';
import { type AdminRequest, answerJson, answerRows, checked, readAs, readRequiredAs } from './answers.ts';

/** The most groups in one answer, as for keys. */
const MAX_GROUPS = 10_000;

export const groupQuery = z.strictObject({
  limit: listLimit(MAX_GROUPS).default(MAX_GROUPS).meta({ description: 'Most groups to return.' }),
  after: wantedText.exactOptional().meta({
    description: 'Only groups after the one of this name: the `last_id` of the previous page.',
  }),
});

/** A page in the form of that of keys. A group's name is its id. */
export const groupList = z.strictObject({
  object: z.literal('list'),
  data: z.array(groupView).meta({ description: 'By name.' }),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean().meta({ description: 'Whether there are more: ask for those `after` the `last_id`.' }),
});

/** Lists a page of groups. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerGroups(store: Store, { message, query }: AdminRequest): Promise<Response> {
  const { after, limit } = checked(Object.fromEntries(query), groupQuery);
  const { rows, more } = await pageOfGroups(store, after, limit);
  return answerRows<z.output<typeof groupList>, GroupRow>(
    message,
    {
      object: 'list',
      data: rows,
      first_id: rows[0]?.name ?? null,
      last_id: rows.at(-1)?.name ?? null,
      has_more: more,
    },
    renderGroup,
  );
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
