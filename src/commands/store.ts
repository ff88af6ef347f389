/** `gateway store copy`: takes keys and usage along into another store. */

import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ArgsDef, defineCommand } from 'citty';
import { postgresUrl } from '../config/schema.ts';
import { type Copied, copyStore, sayHoldings } from '../store/copy-store.ts';
import { nameOf, openStore, openToRead, reasonOf, type StorePlace } from '../store/store.ts';
import { configHere } from './config-here.ts';
import { refuseUnknown } from './known-options.ts';
import { Refusal, tellingRefusals } from './refusal.ts';

const options = {
  from: {
    type: 'string',
    description: 'What to copy: a SQLite file, or postgres://… (default: the configured store)',
  },
  to: {
    type: 'string',
    description: 'Where to, likewise: it must hold no keys and no usage (default: the configured store)',
  },
} as const satisfies ArgsDef;

const copy = defineCommand({
  meta: {
    name: 'copy',
    description:
      'Copy keys and usage into another store, all or nothing. First stop the gateways on the one that is copied; nothing is written to it.',
  },
  args: options,
  run: ({ args }) =>
    tellingRefusals(async () => {
      refuseUnknown(args, options);
      const configured = (await configHere()).store;
      const [from, to] = [placeOf('from', args.from, configured), placeOf('to', args.to, configured)];
      if (isDeepStrictEqual(from, to))
        throw new Refusal(
          `Say --from or --to, and not ${nameOf(to)} for both: what is not said is the configured store.`,
        );
      const copied = await copyBetween(from, to).catch((error: unknown) => {
        throw new Refusal(`Nothing is copied: ${reasonOf(error)}.`);
      });
      console.log(`${sayCopied(copied, nameOf(from), nameOf(to))}: ${sayHoldings(copied.held)}.`);
      const isConfigured = isDeepStrictEqual(to, placeOf('to', undefined, configured));
      console.log(
        `${isConfigured ? 'Now' : `Now ${settingTo(to)}, and`} start the gateway. What is written to ${nameOf(from)} from here on is not in the copy.`,
      );
    }),
});

export const store = defineCommand({
  meta: { name: 'store', description: 'Take keys and usage from one store to another.' },
  subCommands: { copy },
});

function settingTo({ url }: StorePlace): string {
  return url === undefined
    ? 'set GATEWAY_STORE_PATH to it, and DATABASE_URL to nothing'
    : 'set DATABASE_URL to it';
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
  return made ? `Copied ${from} to ${to}` : `${to} is a copy of ${from} already`;
}
