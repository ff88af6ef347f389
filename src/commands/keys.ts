/** `gateway keys`: makes, lists, changes, rotates and revokes keys. Running gateways know within a second or two. */

import { type ArgsDef, defineCommand } from 'citty';
import { columnsOf, isOver, keyName } from '../store/key-settings.ts';
import { type KeyView, viewOf } from '../store/key-view.ts';
import {
  changeKey,
  createKey,
  findKey,
  listKeys,
  type MadeKey,
  MOST_GRACE_DAYS,
  revokeKey,
  rotateKey,
} from '../store/keys.ts';
import type { Store } from '../store/store.ts';
import { millisecondsOf } from './duration.ts';
import { settingOptions, settingsOf } from './key-options.ts';
import { refuseUnknown } from './known-options.ts';
import { Refusal } from './refusal.ts';
import { type Column, textTable } from './text-table.ts';
import { unknownModels } from './unknown-models.ts';
import { checkedOptions, withStore } from './with-store.ts';

const json = { type: 'boolean', description: 'As JSON' } as const;
const named = { type: 'positional', required: true, description: 'The name of a key, or its id' } as const;

const createOptions = {
  name: { type: 'positional', required: true, description: 'What it is called in reports' },
  ...settingOptions,
  json,
} as const satisfies ArgsDef;

const create = defineCommand({
  meta: {
    name: 'create',
    description: 'Make a key. It is shown this once; what is not said is not limited.',
  },
  args: createOptions,
  run: ({ args }) =>
    withStore(async (store, config) => {
      refuseUnknown(args, createOptions);
      const name = checkedOptions(args.name, keyName);
      const settings = settingsOf(args, Date.now());
      if (isOver(settings)) throw new Refusal(`expires: ${args.expires} is over already`);
      const made = await createKey(store, name, columnsOf(settings));
      if (made === undefined) throw new Refusal(`There is a key named ${name}.`);
      for (const hint of unknownModels(settings.models ?? [], config)) console.error(hint);
      show(made, args.json);
    }),
});

const listOptions = {
  all: { type: 'boolean', description: 'With those that were revoked' },
  json,
} as const satisfies ArgsDef;

const list = defineCommand({
  meta: { name: 'list', description: 'List the keys of the store.' },
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
  meta: { name: 'change', description: 'Change what is said, and nothing else.' },
  args: changeOptions,
  run: ({ args }) =>
    withStore(async (store, config) => {
      refuseUnknown(args, changeOptions);
      const { id, name } = await existing(store, args.key);
      const settings = settingsOf(args, Date.now());
      if (Object.keys(settings).length === 0)
        throw new Refusal('There is nothing to change: say what, as --models or --budget-day does.');
      await changeKey(store, id, columnsOf(settings));
      for (const hint of unknownModels(settings.models ?? [], config)) console.error(hint);
      console.error(`The key ${name} is changed.`);
    }),
});

const rotateOptions = {
  key: named,
  grace: {
    type: 'string',
    default: '0s',
    description: `How long the one before still opens (30m, 24h, 7d; at most ${MOST_GRACE_DAYS}d)`,
  },
  again: {
    type: 'boolean',
    description:
      'The last rotation’s key was lost: it closes, and the one before it opens on as was said then',
  },
  json,
} as const satisfies ArgsDef;

const rotate = defineCommand({
  meta: { name: 'rotate', description: 'Put a new key in the place of one: same name, same limits.' },
  args: rotateOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, rotateOptions);
      const grace = millisecondsOf(args.grace);
      if (grace === undefined) throw new Refusal(`grace: ${args.grace} is no duration like 30m, 24h or 7d`);
      if (grace > MOST_GRACE_DAYS * 86_400_000) {
        throw new Refusal(
          `grace: ${args.grace} is more than ${MOST_GRACE_DAYS}d, for which a key may open beside its successor`,
        );
      }
      const { id } = await existing(store, args.key);
      const made = await rotateKey(store, id, { grace, again: args.again });
      if (made === undefined) throw new Refusal('The key was revoked meanwhile.');
      if ('promisedUntil' in made) {
        const until = new Date(made.promisedUntil).toISOString();
        throw new Refusal(
          `The key before the last rotation opens until ${until}, and this would close it. Where the key made then was lost, --again makes another in its place; without --grace both close at once.`,
        );
      }
      show(made, args.json);
    }),
});

const revokeOptions = { key: named } as const satisfies ArgsDef;

const revoke = defineCommand({
  meta: { name: 'revoke', description: 'End a key for good. Its usage stays.' },
  args: revokeOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, revokeOptions);
      const { id, name } = await existing(store, args.key);
      await revokeKey(store, id);
      console.error(`The key ${name} is revoked.`);
    }),
});

export const keys = defineCommand({
  meta: { name: 'keys', description: 'Make, list, change, rotate and revoke keys.' },
  subCommands: { create, list, change, rotate, revoke },
});

async function existing(store: Store, nameOrId: string) {
  const row = await findKey(store, nameOrId);
  if (row === undefined) throw new Refusal(`There is no key ${nameOrId}.`);
  if (row.revoked_at !== null) throw new Refusal(`The key ${nameOrId} is revoked.`);
  return row;
}

/** The key alone on standard output, so that a script can take it from there. */
function show({ key, row }: MadeKey, asJson: boolean | undefined): void {
  if (asJson) {
    console.log(JSON.stringify({ ...viewOf(row), key }, undefined, 2));
    return;
  }
  console.error(`The key ${row.name} (${row.id}), shown this once:`);
  console.log(key);
}

const figure = (field: Exclude<keyof KeyView, 'models'>, title: string): Column<KeyView> => ({
  title,
  right: true,
  text: (key) => String(key[field] ?? '-'),
});

const COLUMNS: readonly Column<KeyView>[] = [
  { title: 'name', text: ({ name }) => name },
  { title: 'id', text: ({ id }) => id },
  { title: 'key', text: ({ hint }) => hint },
  { title: 'state', text: stateOf },
  figure('requests_per_minute', 'req/min'),
  figure('tokens_per_minute', 'tok/min'),
  figure('concurrent_requests', 'at once'),
  figure('budget_day', '$/day'),
  figure('budget_month', '$/month'),
  { title: 'models', text: ({ models }) => models?.join(',') ?? 'any' },
];

function stateOf({ revoked_at: revoked, expires_at: expires }: KeyView): string {
  if (revoked !== null) return `revoked ${revoked.slice(0, 10)}`;
  if (expires === null) return 'open';
  return `${Date.parse(expires) <= Date.now() ? 'expired' : 'until'} ${expires.slice(0, 10)}`;
}
