/** `gateway erase`: erases who a caller was from recorded usage. */

import { count } from '../lib/count.ts';
import { CommandError } from './command-error.ts';
import { storeCommand } from './with-store.ts';

export const erase = storeCommand({
  name: 'erase',
  description: 'Erase who a caller was from recorded usage. What was used stays in all other sums.',
  options: {
    key: { type: 'string', description: 'Name of a revoked key, or of the caller of a token' },
    tag: { type: 'string', description: 'Tag of an end user' },
  },
  async run(args, store) {
    const { key, tag } = args;
    const whom = chooseCaller(key, tag);
    const { eraseCaller, STILL_USED } = await import('../accounting/usage/erase-caller.ts');
    const erased = await eraseCaller(store, whom);
    if (erased === STILL_USED)
      throw new CommandError(`The key ${key} is still in use. First revoke it: gateway keys revoke '${key}'`);
    const { exchanges, sums } = erased;
    console.error(
      exchanges + sums === 0
        ? `Nothing to erase: no recorded usage names ${key ?? tag}.`
        : `Erased ${key ?? tag}: ${count(exchanges, 'request')} and ${count(sums, 'sum')} named it.`,
    );
  },
});

function chooseCaller(key = '', tag = ''): { readonly key: string } | { readonly tag: string } {
  if ((key === '') === (tag === '')) throw new CommandError('Give either --key or --tag.');
  return key === '' ? { tag } : { key };
}
