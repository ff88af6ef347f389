/** `gateway store copy`: takes keys and usage along into another store. */

import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ArgsDef, defineCommand } from 'citty';
import { postgresUrl } from '../config/schema.ts';
import { type Copied, copyStore, sayHoldings } from '../store/copy-store.ts';
import { nameOf, openStore, openToRead } from '../store/store.ts';
import { reasonOf, type StorePlace } from '../store/store-errors.ts';
import { configHere } from './config-here.ts';
import { refuseUnknown } from './known-options.ts';
import { Refusal, tellingRefusals } from './refusal.ts';

const options = {
  from: {
    type: 'string',
    description: 'Store to copy: a SQLite file or postgres://… (default: the configured store)',
  },
  to: {
    type: 'string',
    description: 'Store to copy to, without keys and usage in it (default: the configured store)',
  },
} as const satisfies ArgsDef;

const copy = defineCommand({
  meta: {
    name: 'copy',
    description:
      'Copy all keys and usage to another store, or nothing if that fails. First stop every gateway that uses the store to copy; it is not changed.',
  },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const configured = (await configHere()).store;
      const [from, to] = [placeOf('from', args.from, configured), placeOf('to', args.to, configured)];
      if (isDeepStrictEqual(from, to))
        throw new Refusal(
          `--from and --to are both ${nameOf(to)}: give another --from or --to (the default of each is the configured store).`,
        );
      const copied = await copyBetween(from, to).catch((error: unknown) => {
        throw new Refusal(`Nothing was copied: ${reasonOf(error)}.`);
      });
      console.log(`${sayCopied(copied, nameOf(from), nameOf(to))}: ${sayHoldings(copied.held)}.`);
      const isConfigured = isDeepStrictEqual(to, placeOf('to', undefined, configured));
      console.log(
        `${isConfigured ? 'Now' : `Now ${settingTo(to)}, and`} start the gateway. The copy has nothing of what is written to ${nameOf(from)} from now on.`,
      );
    }),
});

export const store = defineCommand({
  meta: { name: 'store', description: 'Move keys and usage to another store.' },
  subCommands: { copy },
});

function settingTo({ url }: StorePlace): string {
  return url === undefined
    ? 'set GATEWAY_STORE_PATH to the copy, unset DATABASE_URL'
    : 'set DATABASE_URL to the copy';
}

/** @throws Refusal that names the option, and nothing of what may be a password. */
function placeOf(option: string, said: string | undefined, { path, url }: StorePlace): StorePlace {
  if (said === undefined) return url === undefined ? { path: resolve(path) } : { path: '', url };
  if (!said.includes('://')) return { path: resolve(said) };
  const parsed = postgresUrl.safeParse(said);
  if (parsed.success) return { path: '', url: parsed.data };
  throw new Refusal(`${option}: ${parsed.error.issues[0]?.message}, or a SQLite file`);
}

/** Ctrl-C ends it between two pieces, so that it can say what has become of the copy; a second one at once. */
async function copyBetween(from: StorePlace, to: StorePlace): Promise<Copied> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('it was interrupted')));
  const source = await openToRead(from);
  try {
    const target = await openStore(to);
    try {
      return await copyStore(source, target, interrupted.signal);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function sayCopied({ made }: Copied, from: string, to: string): string {
  return made ? `Copied ${from} to ${to}` : `${to} is already a copy of ${from}`;
}
