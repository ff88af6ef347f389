/** `gateway keys`: creates, lists, changes, rotates and revokes keys. Running gateways apply a change within two seconds. */

import { defineCommand } from 'citty';
import type { Config } from '../config/schema.ts';
import { commandLine } from '../lib/command-line.ts';
import type { KeyView } from '../store/keys/key-view.ts';
import type { MadeKey } from '../store/keys/keys.ts';
import type { KeyRow } from '../store/tables.ts';
import { CommandError } from './command-error.ts';
import { formatFigures, keyOptions, limitColumns, nothingToChange, readKeyOptions } from './key-options.ts';
import { parseDuration, parseOptions } from './options.ts';
import { type Column, textTable } from './tables.ts';
import { storeCommand } from './with-store.ts';

const json = { type: 'boolean', description: 'Print JSON' } as const;
const key = { type: 'positional', required: true, description: 'Name or id of the key' } as const;

const create = storeCommand({
  name: 'create',
  description: 'Create a key and print it, which happens only once. Without options it has no limits.',
  options: {
    name: { type: 'positional', required: true, description: 'Name of the key, as shown in reports' },
    ...keyOptions,
    json,
  },
  async run(args, store, config) {
    const { keyColumns, createKey, printUnknownModels, isExpired, keyName, keySettings } = await load();
    const name = parseOptions(args.name, keyName, 'The name');
    const settings = parseOptions(readKeyOptions(args, Date.now()), keySettings);
    if (isExpired(settings)) throw new CommandError(`--expires: ${args.expires} is in the past.`);
    const made = await inKnownGroup(createKey(store, name, keyColumns(settings)), config);
    if (made === undefined) throw new CommandError(`A key named ${name} already exists.`);
    printUnknownModels(settings, config);
    await showKey(made, args.json);
  },
});

const list = storeCommand({
  name: 'list',
  description: 'List the keys in the store.',
  options: {
    all: { type: 'boolean', description: 'Include revoked keys' },
    json,
  },
  async run(args, store) {
    const { isExpired, listKeys, renderKey } = await load();
    const keys = (await listKeys(store, args.all === true)).map(renderKey);
    console.log(args.json ? JSON.stringify(keys, undefined, 2) : textTable(columns(isExpired), keys));
  },
});

const change = storeCommand({
  name: 'change',
  description: 'Change the given settings; all others stay as they are.',
  options: { key, ...keyOptions },
  async run(args, store, config) {
    const { changeKey, keyColumns, findKey, printUnknownModels, keySettings } = await load();
    const { id, name } = usable(args.key, await findKey(store, args.key), config);
    const settings = parseOptions(readKeyOptions(args, Date.now()), keySettings);
    if (Object.keys(settings).length === 0) throw nothingToChange();
    await inKnownGroup(changeKey(store, id, keyColumns(settings)), config);
    printUnknownModels(settings, config);
    console.error(`Changed the key ${name}.`);
  },
});

const rotate = storeCommand({
  name: 'rotate',
  description: 'Replace a key with a new one of the same name and limits.',
  options: {
    key,
    grace: {
      type: 'string',
      default: '0s',
      description: 'How long the old key keeps working (30m, 24h, 7d; at most 31d)',
    },
    again: {
      type: 'boolean',
      description:
        'The new key of the last rotation was lost: revoke it and create another; the old key keeps its grace period',
    },
    json,
  },
  async run(args, store, config) {
    const { findKey, isExpired, MAX_GRACE_DAYS, rotateKey, renderKey } = await load();
    const grace = parseGrace(args.grace, MAX_GRACE_DAYS);
    const { id } = usable(args.key, await findKey(store, args.key), config);
    const made = await rotateKey(store, id, { grace, again: args.again });
    if (made === undefined) throw new CommandError('The key has been revoked in the meantime.');
    if ('promisedUntil' in made) {
      const until = new Date(made.promisedUntil).toISOString();
      throw new CommandError(
        `The old key of the last rotation still works until ${until}, and rotating now would end it. If the new key of that rotation was lost, --again replaces it. To end both keys at once, leave out --grace.`,
      );
    }
    const { expires_at: expires, name } = renderKey(made.row);
    if (expires !== null && isExpired({ expires_at: expires })) {
      console.error(
        `Note: the key expired on ${expires.slice(0, 10)}, so the new one does not work either. To change that: ${commandLine(process.env, `keys change '${name}'`, '--expires never')} (or a date)`,
      );
    }
    await showKey(made, args.json);
  },
});

/** @param days the longest grace period. */
function parseGrace(text: string, days: number): number {
  const grace = parseDuration(text);
  if (grace === undefined)
    throw new CommandError(`--grace: ${text} is not a duration such as 30m, 24h or 7d.`);
  if (grace <= days * 86_400_000) return grace;
  throw new CommandError(
    `--grace: ${text} is more than ${days}d, the longest that an old key may keep working.`,
  );
}

const revoke = storeCommand({
  name: 'revoke',
  description: 'Revoke a key for good. Its usage stays in reports.',
  options: { key },
  async run(args, store, config) {
    const { findKey, revokeKey } = await load();
    const { id, name } = usable(args.key, await findKey(store, args.key), config);
    await revokeKey(store, id);
    console.error(`Revoked the key ${name}.`);
  },
});

export const keys = defineCommand({
  meta: { name: 'keys', description: 'Create, list, change, rotate and revoke keys.' },
  subCommands: { create, list, change, rotate, revoke },
});

/** The code that works on keys, which `--help` does not need. */
async function load() {
  const [keys, lists, rotation, settings, view, notes] = await Promise.all([
    import('../store/keys/keys.ts'),
    import('../store/keys/list-keys.ts'),
    import('../store/keys/rotate-key.ts'),
    import('../store/keys/key-settings.ts'),
    import('../store/keys/key-view.ts'),
    import('./config-notes.ts'),
  ]);
  return { ...keys, ...lists, ...rotation, ...settings, ...view, ...notes };
}

/** Awaits a change of a key. @throws CommandError if the group that the key should belong to does not exist. */
async function inKnownGroup<T>(change: Promise<T>, { groups }: Config): Promise<T> {
  const { NoSuchGroup } = await import('../store/keys/changes.ts');
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof NoSuchGroup)) throw error;
    // A stored group of the same name would have limits of its own, and share the spending.
    if (groups.some(({ name }) => name === error.group))
      throw new CommandError(
        `The group ${error.group} is in the configuration, so only keys of the configuration can belong to it.`,
      );
    throw new CommandError(
      `${error.message} To create it: ${commandLine(process.env, `groups create '${error.group}'`)}`,
    );
  }
}

/** The row of a key that was looked up by name or id. @throws CommandError if there is none, or the key is revoked. */
function usable(nameOrId: string, row: KeyRow | undefined, { keys }: Config): KeyRow {
  if (row === undefined && keys.some(({ name }) => name === nameOrId))
    throw new CommandError(`The key ${nameOrId} is in the configuration: change it there.`);
  if (row === undefined)
    throw new CommandError(`There is no key ${nameOrId} (see "${commandLine(process.env, 'keys list')}").`);
  if (row.revoked_at !== null) throw new CommandError(`The key ${nameOrId} has been revoked.`);
  return row;
}

/** Prints a new key. Standard output gets the key alone, so that a script can read it from there. */
async function showKey({ key, row }: MadeKey, asJson: boolean | undefined): Promise<void> {
  if (asJson) {
    const { renderKey } = await load();
    console.log(JSON.stringify({ ...renderKey(row), key }, undefined, 2));
    return;
  }
  console.error(`The key ${row.name} (${row.id}). Save it now: it cannot be shown again.`);
  console.log(key);
}

type IsOver = (key: Pick<KeyView, 'expires_at'>) => boolean;

function columns(isOver: IsOver): readonly Column<KeyView>[] {
  return [
    { title: 'name', text: ({ name }) => name },
    { title: 'id', text: ({ id }) => id },
    { title: 'key', text: ({ hint }) => hint },
    { title: 'state', text: (key) => describeState(key, isOver) },
    { title: 'group', text: ({ group }) => group ?? '-' },
    ...limitColumns<KeyView>(),
    { title: 'by tag', text: ({ tag_limits: limits }) => formatFigures(limits ?? {}) || '-' },
  ];
}

function describeState(key: KeyView, isOver: IsOver): string {
  const { revoked_at: revoked, expires_at: expires } = key;
  if (revoked !== null) return `revoked ${revoked.slice(0, 10)}`;
  if (expires === null) return 'active';
  return `${isOver(key) ? 'expired' : 'until'} ${expires.slice(0, 10)}`;
}
