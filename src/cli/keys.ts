/** `gateway keys`: makes, lists, changes, rotates and revokes keys. Running gateways know within a second or two. */

import { type ArgsDef, defineCommand } from 'citty';
import { NoSuchGroup } from '../store/changes.ts';
import { columnsOf, isOver, keyName } from '../store/key-settings.ts';
import { type KeyView, viewOf } from '../store/key-view.ts';
import { changeKey, createKey, type MadeKey, revokeKey } from '../store/keys.ts';
import { findKey, listKeys } from '../store/list-keys.ts';
import { MOST_GRACE_DAYS, rotateKey } from '../store/rotate-key.ts';
import type { Store } from '../store/store.ts';
import { millisecondsOf } from './duration.ts';
import { settingOptions, settingsOf } from './key-options.ts';
import { refuseUnknown } from './known-options.ts';
import { limitColumns } from './limit-columns.ts';
import { Refusal } from './refusal.ts';
import { type Column, textTable } from './text-table.ts';
import { unknownModels } from './unknown-models.ts';
import { checkedOptions, withStore } from './with-store.ts';

const json = { type: 'boolean', description: 'Print JSON' } as const;
const named = { type: 'positional', required: true, description: 'Name or id of the key' } as const;

const createOptions = {
  name: { type: 'positional', required: true, description: 'Name of the key, as shown in reports' },
  ...settingOptions,
  json,
} as const satisfies ArgsDef;

const create = defineCommand({
  meta: {
    name: 'create',
    description: 'Create a key and print it, which happens only once. Without options it has no limits.',
  },
  args: createOptions,
  run: ({ args }) =>
    withStore(async (store, config) => {
      refuseUnknown(args, createOptions);
      const name = checkedOptions(args.name, keyName, 'The name');
      const settings = settingsOf(args, Date.now());
      if (isOver(settings)) throw new Refusal(`--expires: ${args.expires} is in the past`);
      const made = await ofKnownGroup(createKey(store, name, columnsOf(settings)));
      if (made === undefined) throw new Refusal(`There is already a key named ${name}.`);
      for (const hint of unknownModels(settings.models ?? [], config)) console.error(hint);
      show(made, args.json);
    }),
});

const listOptions = {
  all: { type: 'boolean', description: 'Include revoked keys' },
  json,
} as const satisfies ArgsDef;

const list = defineCommand({
  meta: { name: 'list', description: 'List the keys in the store.' },
  args: listOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, listOptions);
      const keys = (await listKeys(store, args.all === true)).map(viewOf);
      console.log(args.json ? JSON.stringify(keys, undefined, 2) : textTable(COLUMNS, keys));
    }),
});

const changeOptions = { key: named, ...settingOptions } as const satisfies ArgsDef;

const change = defineCommand({
  meta: { name: 'change', description: 'Change the settings that are given; all others stay as they are.' },
  args: changeOptions,
  run: ({ args }) =>
    withStore(async (store, config) => {
      refuseUnknown(args, changeOptions);
      const { id, name } = await existing(store, args.key);
      const settings = settingsOf(args, Date.now());
      if (Object.keys(settings).length === 0)
        throw new Refusal('Nothing to change: give at least one setting, such as --models or --budget-day.');
      await ofKnownGroup(changeKey(store, id, columnsOf(settings)));
      for (const hint of unknownModels(settings.models ?? [], config)) console.error(hint);
      console.error(`Changed the key ${name}.`);
    }),
});

const rotateOptions = {
  key: named,
  grace: {
    type: 'string',
    default: '0s',
    description: `How long the old key keeps working (30m, 24h, 7d; at most ${MOST_GRACE_DAYS}d)`,
  },
  again: {
    type: 'boolean',
    description:
      'The new key of the last rotation was lost: end it and make another; the old key keeps its grace period',
  },
  json,
} as const satisfies ArgsDef;

const rotate = defineCommand({
  meta: { name: 'rotate', description: 'Replace a key with a new one of the same name and limits.' },
  args: rotateOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, rotateOptions);
      const grace = millisecondsOf(args.grace);
      if (grace === undefined)
        throw new Refusal(`--grace: ${args.grace} is not a duration such as 30m, 24h or 7d`);
      if (grace > MOST_GRACE_DAYS * 86_400_000) {
        throw new Refusal(
          `--grace: ${args.grace} is more than ${MOST_GRACE_DAYS}d, the longest that an old key may keep working`,
        );
      }
      const { id } = await existing(store, args.key);
      const made = await rotateKey(store, id, { grace, again: args.again });
      if (made === undefined) throw new Refusal('The key has been revoked in the meantime.');
      if ('promisedUntil' in made) {
        const until = new Date(made.promisedUntil).toISOString();
        throw new Refusal(
          `The old key of the last rotation still works until ${until}, and rotating now would end it. If the new key of that rotation was lost, --again replaces it. To end both keys at once, leave out --grace.`,
        );
      }
      const { expires_at: expires, name } = viewOf(made.row);
      if (expires !== null && isOver({ expires_at: expires })) {
        console.error(
          `Note: the key expired on ${expires.slice(0, 10)}, so the new one does not work either: "gateway keys change '${name}' --expires never", or a date.`,
        );
      }
      show(made, args.json);
    }),
});

const revokeOptions = { key: named } as const satisfies ArgsDef;

const revoke = defineCommand({
  meta: { name: 'revoke', description: 'Revoke a key for good. Its usage stays in reports.' },
  args: revokeOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, revokeOptions);
      const { id, name } = await existing(store, args.key);
      await revokeKey(store, id);
      console.error(`Revoked the key ${name}.`);
    }),
});

export const keys = defineCommand({
  meta: { name: 'keys', description: 'Create, list, change, rotate and revoke keys.' },
  subCommands: { create, list, change, rotate, revoke },
});

/** @throws Refusal where the key was to be of a group that there is not. */
async function ofKnownGroup<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof NoSuchGroup)) throw error;
    throw new Refusal(`${error.message} "gateway groups create '${error.group}'" makes it.`);
  }
}

async function existing(store: Store, nameOrId: string) {
  const row = await findKey(store, nameOrId);
  if (row === undefined) throw new Refusal(`There is no key ${nameOrId} (see "gateway keys list").`);
  if (row.revoked_at !== null) throw new Refusal(`The key ${nameOrId} has been revoked.`);
  return row;
}

/** The key alone on standard output, so that a script can take it from there. */
function show({ key, row }: MadeKey, asJson: boolean | undefined): void {
  if (asJson) {
    console.log(JSON.stringify({ ...viewOf(row), key }, undefined, 2));
    return;
  }
  console.error(`The key ${row.name} (${row.id}). Save it now, it cannot be shown again:`);
  console.log(key);
}

const COLUMNS: readonly Column<KeyView>[] = [
  { title: 'name', text: ({ name }) => name },
  { title: 'id', text: ({ id }) => id },
  { title: 'key', text: ({ hint }) => hint },
  { title: 'state', text: stateOf },
  { title: 'group', text: ({ group }) => group ?? '-' },
  ...limitColumns<KeyView>(),
];

function stateOf(key: KeyView): string {
  const { revoked_at: revoked, expires_at: expires } = key;
  if (revoked !== null) return `revoked ${revoked.slice(0, 10)}`;
  if (expires === null) return 'active';
  return `${isOver(key) ? 'expired' : 'until'} ${expires.slice(0, 10)}`;
}
