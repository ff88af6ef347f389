/** `/admin/keys`: the keys of the store. */

import { z } from 'zod';
import { GatewayError } from '../errors.ts';
import { columnsOf, keySettings, newKey } from '../store/key-settings.ts';
import { keyView, viewOf } from '../store/key-view.ts';
import {
  changeKey,
  createKey,
  findKey,
  listKeys,
  type MadeKey,
  revokeKey,
  rotateKey,
} from '../store/keys.ts';
import type { Store } from '../store/store.ts';
import type { KeyRow } from '../store/tables.ts';
import { type AdminRequest, answerJson, checked, readAs } from './answers.ts';

/** A month: what is longer is no rotation. */
const LONGEST_GRACE = 31 * 86_400;

export const rotation = z.strictObject({
  grace_seconds: z
    .int()
    .min(0)
    .max(LONGEST_GRACE)
    .default(0)
    .meta({ description: 'How long the key before still opens.' }),
});

export const listQuery = z.strictObject({
  revoked: z.enum(['true', 'false']).default('false').meta({ description: 'Whether with revoked keys.' }),
});

/** A key that has just been made: the one answer that holds it. */
export const madeKey = keyView.extend({
  key: z.string().meta({ description: 'Shown this once: it is not stored, only its hash is.' }),
});

export const keyList = z.strictObject({ object: z.literal('list'), data: z.array(keyView) });

export async function answerList(store: Store, { query }: AdminRequest): Promise<Response> {
  const { revoked } = checked(Object.fromEntries(query), listQuery);
  const keys = await listKeys(store, revoked === 'true');
  return answerJson({ object: 'list', data: keys.map(viewOf) });
}

export async function answerCreate(store: Store, request: AdminRequest): Promise<Response> {
  const { name, ...settings } = await readAs(request, newKey);
  const made = await createKey(store, name, columnsOf(settings));
  if (made === undefined) {
    throw new GatewayError('conflict', `There is a key named ${name}.`, {
      param: 'name',
      code: 'name_taken',
    });
  }
  return answerJson(madeView(made), 201);
}

export async function answerOne(store: Store, { named }: AdminRequest): Promise<Response> {
  return answerJson(viewOf(await existing(store, named)));
}

export async function answerChange(store: Store, request: AdminRequest): Promise<Response> {
  const settings = await readAs(request, keySettings);
  const { id } = await existing(store, request.named);
  return answerJson(viewOf((await changeKey(store, id, columnsOf(settings))) ?? revokedAlready(id)));
}

/** Revoked twice is revoked: whoever asks again, since no answer came, gets the same one. */
export async function answerRevoke(store: Store, { named }: AdminRequest): Promise<Response> {
  const { id } = await existing(store, named);
  return answerJson(viewOf((await revokeKey(store, id)) ?? (await existing(store, id))));
}

export async function answerRotate(store: Store, request: AdminRequest): Promise<Response> {
  const { grace_seconds: grace } = await readAs(request, rotation);
  const { id } = await existing(store, request.named);
  const made = (await rotateKey(store, id, grace * 1_000)) ?? revokedAlready(id);
  return answerJson(madeView(made), 201);
}

async function existing(store: Store, named: string): Promise<KeyRow> {
  const row = await findKey(store, named);
  if (row !== undefined) return row;
  throw new GatewayError('not-found', 'There is no such key.');
}

function revokedAlready(id: string): never {
  throw new GatewayError('conflict', `The key ${id} is revoked.`, { code: 'key_revoked' });
}

function madeView({ key, row }: MadeKey): z.output<typeof madeKey> {
  return { ...viewOf(row), key };
}
