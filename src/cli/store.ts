/** `gateway store copy`: copies keys, groups and usage to another store. */

import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defineCommand } from 'citty';
import type { Copied } from '../store/copy-store.ts';
import type { StorePlace } from '../store/store-errors.ts';
import { command, readConfigHere } from './command.ts';
import { CommandError } from './command-error.ts';
import { storeCommand } from './with-store.ts';

const copy = command({
  name: 'copy',
  description:
    'Copy all keys and usage to another store, or nothing if that fails. First stop every gateway that uses the store to copy. That store is not changed.',
  options: {
    from: {
      type: 'string',
      description: 'Store to copy: a SQLite file or postgres://… (default: the configured store)',
    },
    to: {
      type: 'string',
      description: 'Store to copy to, which must hold no keys and no usage (default: the configured store)',
    },
  },
  async run(args) {
    const { describePlace } = await import('../store/store.ts');
    const { getReason } = await import('../store/store-errors.ts');
    const { renderContents } = await import('../store/copy-store.ts');
    const { store: configured } = await readConfigHere();
    const from = await findPlace('from', args.from, configured);
    const to = await findPlace('to', args.to, configured);
    if (isDeepStrictEqual(from, to))
      throw new CommandError(
        `--from and --to are both ${describePlace(to)}: give another --from or --to (the default of each is the configured store).`,
      );
    const copied = await copyBetween(from, to).catch((error: unknown) => {
      throw new CommandError(`Nothing was copied: ${getReason(error)}.`);
    });
    const done = copied.made
      ? `Copied ${describePlace(from)} to ${describePlace(to)}`
      : `${describePlace(to)} is already a copy of ${describePlace(from)}`;
    console.log(`${done}: ${renderContents(copied.held)}.`);
    const isConfigured = isDeepStrictEqual(to, await findPlace('to', undefined, configured));
    console.log(
      `${isConfigured ? 'Now' : `Now ${settingTo(to)}, and`} start the gateway. The copy does not receive what is written to ${describePlace(from)} from now on.`,
    );
  },
});

const shrink = storeCommand({
  name: 'shrink',
  description:
    'Rewrite the SQLite file without the space of deleted rows. It needs room for a second copy, and a moment when nobody writes. Files of earlier versions shrink by themselves afterwards; new ones always do.',
  options: {},
  async run(_, opened) {
    if (opened.kind !== 'sqlite') throw new CommandError('PostgreSQL frees its space itself (autovacuum).');
    const { vacuum } = await import('../store/free-space.ts');
    const { before, after } = await vacuum(opened);
    console.error(`The store had ${before} bytes and has ${after} now.`);
  },
});

export const store = defineCommand({
  meta: { name: 'store', description: 'Move keys and usage to another store, or shrink the file.' },
  subCommands: { copy, shrink },
});

function settingTo({ url }: StorePlace): string {
  return url === undefined
    ? 'set GATEWAY_STORE_PATH to the copy, unset DATABASE_URL'
    : 'set DATABASE_URL to the copy';
}

/** The store that an option names, or the configured one. @throws CommandError that names the option, but never a password. */
async function findPlace(
  option: string,
  given: string | undefined,
  { path, url }: StorePlace,
): Promise<StorePlace> {
  if (given === undefined) return url === undefined ? { path: resolve(path) } : { path: '', url };
  if (!given.includes('://')) return { path: resolve(given) };
  const { postgresUrl } = await import('../config/addresses.ts');
  const parsed = postgresUrl.safeParse(given);
  if (parsed.success) return { path: '', url: parsed.data };
  throw new CommandError(`--${option}: ${parsed.error.issues[0]?.message}, or a SQLite file`);
}

/** For how long a store is watched, in milliseconds: a gateway that answers requests writes their usage within a second. */
const WATCHING = 1_500;

/**
 * Copies one store to another. The first Ctrl-C stops it between two batches, so that it can report what became of the
 * copy; the second one ends the process at once.
 */
async function copyBetween(from: StorePlace, to: StorePlace): Promise<Copied> {
  const [{ openStore, openReadOnly }, { copyStore }] = await Promise.all([
    import('../store/store.ts'),
    import('../store/copy-store.ts'),
  ]);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('the copy was interrupted')));
  const source = await openReadOnly(from);
  try {
    const target = await openStore(to);
    try {
      return await copyStore(source, target, interrupted.signal, WATCHING);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
