/** The random secret that seals what browsers keep for the gateway. It is made when it is first wanted. */

import { randomBytes } from 'node:crypto';
import type { Store } from './store.ts';

const NAME = 'seal';

/** @returns a function that reads the secret once, and makes it if there is none */
export function openSealSecret({ db }: Pick<Store, 'db'>): () => Promise<Buffer> {
  let known: Buffer | undefined;
  const find = () => db.selectFrom('gateway_secrets').select('value').where('name', '=', NAME);
  /** Of several replicas that make one at the same time, the first one's counts. */
  const make = async (): Promise<{ readonly value: string }> => {
    await db
      .insertInto('gateway_secrets')
      .values({ name: NAME, value: randomBytes(32).toString('base64url') })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return find().executeTakeFirstOrThrow();
  };
  return async () => {
    if (known !== undefined) return known;
    const { value } = (await find().executeTakeFirst()) ?? (await make());
    known = Buffer.from(value, 'base64url');
    return known;
  };
}
