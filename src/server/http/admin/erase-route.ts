/** `DELETE /admin/usage`: erases who a caller was from recorded usage. */

import { z } from 'zod';
import { eraseCaller, STILL_USED } from '../../../accounting/usage/erase-caller.ts';
import { GatewayError } from '../../../lib/errors.ts';
import { wantedText } from '../../../lib/zod-fields.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerJson, checked } from './answers.ts';

const name = wantedText.min(1);

export const eraseQuery = z
  .strictObject({
    key: name.exactOptional().meta({
      description: 'The name of a key that is revoked, or of the caller of a token.',
    }),
    tag: name.exactOptional().meta({ description: 'The tag of an end user.' }),
  })
  .refine(({ key, tag }) => (key === undefined) !== (tag === undefined), {
    path: ['key'],
    error: 'Give either a key or a tag.',
  });

export const erased = z.strictObject({
  object: z.literal('erased'),
  exchanges: z.int().nonnegative().meta({ description: 'Single requests that no longer name the caller.' }),
  sums: z.int().nonnegative().meta({ description: 'Sums that no longer name the caller.' }),
});

/** Erases a caller. @throws GatewayError `invalid-request`; `conflict` for a key that is not revoked. */
export async function answerErase(store: Store, { query }: AdminRequest): Promise<Response> {
  const { key, tag = '' } = checked(Object.fromEntries(query), eraseQuery);
  const rows = await eraseCaller(store, key === undefined ? { tag } : { key });
  if (rows === STILL_USED)
    throw new GatewayError('conflict', `The key ${key} is still in use: revoke it first.`, {
      code: 'key_in_use',
    });
  return answerJson({ object: 'erased', ...rows } satisfies z.output<typeof erased>);
}
