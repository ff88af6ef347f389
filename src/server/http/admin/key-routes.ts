/** `/admin/keys`: the keys of the store. */

import { z } from 'zod';
import { GatewayError } from '../../../lib/errors.ts';
import { listLimit, wantedText } from '../../../lib/zod-fields.ts';
import { NoSuchGroup } from '../../../store/keys/changes.ts';
import { keyColumns, keySettings, newKey } from '../../../store/keys/key-settings.ts';
import { keyView, renderKey } from '../../../store/keys/key-view.ts';
import { changeKey, createKey, type MadeKey, revokeKey } from '../../../store/keys/keys.ts';
import { findKey, pageOfKeys } from '../../../store/keys/list-keys.ts';
import { MAX_GRACE_DAYS, rotateKey } from '../../../store/keys/rotate-key.ts';
import type { Store } from '../../../store/store.ts';
import type { KeyRow } from '../../../store/tables.ts';
import { type AdminRequest, answerJson, answerRows, checked, readAs, readRequiredAs } from './answers.ts';

export const rotation = z.strictObject({
  grace_seconds: z
    .int()
    .min(0)
    .max(MAX_GRACE_DAYS * 86_400)
    .default(0)
    .meta({ description: 'How long the old key keeps working, in seconds.' }),
  again: z.boolean().default(false).meta({
    description:
      'Whether the new key of the last rotation was lost, for instance because its answer never arrived: it stops working and is replaced, and the old key keeps its grace period.',
  }),
});

/** The most keys in one answer: to render more would hold up live streams noticeably. */
const MAX_KEYS = 10_000;

export const listQuery = z.strictObject({
  revoked: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Whether to include revoked keys.' }),
  name_prefix: wantedText.default('').meta({ description: 'Only keys whose name begins with this.' }),
  group: wantedText.exactOptional().meta({ description: 'Only keys of this group.' }),
  limit: listLimit(MAX_KEYS).default(MAX_KEYS).meta({ description: 'Most keys to return.' }),
  after: z
    .string()
    .regex(/^key_[\w-]+$/, 'must be the id of a key')
    .exactOptional()
    .meta({ description: 'Only keys after the one with this id: the `last_id` of the previous page.' }),
});

/** A new key: only this answer contains the key itself. */
export const madeKey = keyView.extend({
  key: z.string().meta({ description: 'Only shown this once: not it but its hash is stored.' }),
});

/** A page in the form of OpenAI's own admin API, so that its SDKs can walk the list. */
export const keyList = z.strictObject({
  object: z.literal('list'),
  data: z.array(keyView).meta({ description: 'Newest first.' }),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean().meta({ description: 'Whether there are more: ask for those `after` the `last_id`.' }),
});

/** Lists a page of keys. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerList(store: Store, { message, query }: AdminRequest): Promise<Response> {
  const asked = checked(Object.fromEntries(query), listQuery);
  const { rows, more } = await pageOfKeys(store, {
    revoked: asked.revoked === 'true',
    prefix: asked.name_prefix,
    group: asked.group,
    after: asked.after === undefined ? undefined : await keyBefore(store, asked.after),
    limit: asked.limit,
  });
  return answerRows<z.output<typeof keyList>, KeyRow>(
    message,
    {
      object: 'list',
      data: rows,
      first_id: rows[0]?.id ?? null,
      last_id: rows.at(-1)?.id ?? null,
      has_more: more,
    },
    renderKey,
  );
}

/** The key that a page continues after. A key that was revoked meanwhile keeps its place. */
async function keyBefore(store: Store, id: string): Promise<KeyRow> {
  const row = await findKey(store, id);
  if (row !== undefined) return row;
  throw new GatewayError('invalid-request', `after: there is no key ${id}.`, { param: 'after' });
}

/** Creates a key. @throws GatewayError `conflict` if its name is taken, `invalid-request` for invalid settings. */
export async function answerCreate(store: Store, request: AdminRequest): Promise<Response> {
  const { name, ...settings } = await readAs(request, newKey);
  const made = await requireKnownGroup(createKey(store, name, keyColumns(settings)));
  if (made === undefined) {
    throw new GatewayError('conflict', `There is already a key named ${name}.`, {
      param: 'name',
      code: 'name_taken',
    });
  }
  return answerJson(madeView(made), 201);
}

/** Reads the key of an id or a name. @throws GatewayError `not-found` */
export async function answerOne(store: Store, { named }: AdminRequest): Promise<Response> {
  return answerJson(renderKey(await requireKey(store, named)));
}

/** Changes the settings that the body has. @throws GatewayError `not-found`, `invalid-request`; `conflict` if it is revoked. */
export async function answerChange(store: Store, request: AdminRequest): Promise<Response> {
  const settings = await readRequiredAs(request, keySettings);
  const { id } = await requireKey(store, request.named);
  return answerJson(
    renderKey((await requireKnownGroup(changeKey(store, id, keyColumns(settings)))) ?? revokedAlready(id)),
  );
}

/** Revokes a key. To revoke it again, after an answer was lost, gives the same answer. @throws GatewayError `not-found` */
export async function answerRevoke(store: Store, { named }: AdminRequest): Promise<Response> {
  const { id } = await requireKey(store, named);
  return answerJson(renderKey((await revokeKey(store, id)) ?? (await requireKey(store, id))));
}

/** Replaces a key. @throws GatewayError as `answerChange`; `conflict` also during the grace period of a rotation before. */
export async function answerRotate(store: Store, request: AdminRequest): Promise<Response> {
  const { grace_seconds: grace, again } = await readAs(request, rotation);
  const { id } = await requireKey(store, request.named);
  const made = (await rotateKey(store, id, { grace: grace * 1_000, again })) ?? revokedAlready(id);
  if ('promisedUntil' in made) {
    const until = new Date(made.promisedUntil).toISOString();
    throw new GatewayError(
      'conflict',
      `The old key of the last rotation still works until ${until}, and rotating now would end it. If the new key of that rotation was lost, "again": true replaces it. To end both keys at once, leave out grace_seconds.`,
      { param: 'grace_seconds', code: 'key_in_grace' },
    );
  }
  return answerJson(madeView(made), 201);
}

/** @throws GatewayError `invalid-request` if the settings name a group that does not exist. */
async function requireKnownGroup<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof NoSuchGroup)) throw error;
    throw new GatewayError('invalid-request', `group: ${error.message}`, {
      param: 'group',
      code: 'unknown_group',
    });
  }
}

async function requireKey(store: Store, named: string): Promise<KeyRow> {
  const row = await findKey(store, named);
  if (row !== undefined) return row;
  throw new GatewayError('not-found', 'There is no such key.');
}

function revokedAlready(id: string): never {
  throw new GatewayError('conflict', `The key ${id} has been revoked.`, { code: 'key_revoked' });
}

function madeView({ key, row }: MadeKey): z.output<typeof madeKey> {
  return { ...renderKey(row), key };
}
