/** `gateway groups`: makes, lists, changes and deletes groups of keys. Running gateways know within a second or two. */

import { type ArgsDef, defineCommand } from 'citty';
import { changeGroup, createGroup, deleteGroup, findGroup, listGroups } from '../store/groups.ts';
import { groupColumnsOf, groupName } from '../store/key-settings.ts';
import { type GroupView, groupViewOf } from '../store/key-view.ts';
import { groupOptions, groupSettingsOf } from './key-options.ts';
import { refuseUnknown } from './known-options.ts';
import { limitColumns } from './limit-columns.ts';
import { Refusal } from './refusal.ts';
import { type Column, textTable } from './text-table.ts';
import { unknownModels } from './unknown-models.ts';
import { checkedOptions, withStore } from './with-store.ts';

const json = { type: 'boolean', description: 'Print JSON' } as const;
const named = { type: 'positional', required: true, description: 'Name of the group' } as const;

const createOptions = { name: named, ...groupOptions } as const satisfies ArgsDef;

const create = defineCommand({
  meta: {
    name: 'create',
    description:
      'Create a group: its keys share its limits. Without options it has none, and only usage is by group.',
  },
  args: createOptions,
  run: ({ args }) =>
    withStore(async (store, config) => {
      refuseUnknown(args, createOptions);
      const name = checkedOptions(args.name, groupName, 'The name');
      const settings = groupSettingsOf(args);
      const made = await createGroup(store, name, groupColumnsOf(settings));
      if (made === undefined) throw new Refusal(`There is already a group named ${name}.`);
      for (const hint of unknownModels(settings.models ?? [], config)) console.error(hint);
      console.error(`Created the group ${name}. Its keys: "gateway keys create NAME --group '${name}'".`);
    }),
});

const listOptions = { json } as const satisfies ArgsDef;

const list = defineCommand({
  meta: { name: 'list', description: 'List the groups in the store.' },
  args: listOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, listOptions);
      const groups = (await listGroups(store)).map(groupViewOf);
      console.log(args.json ? JSON.stringify(groups, undefined, 2) : textTable(COLUMNS, groups));
    }),
});

const changeOptions = { group: named, ...groupOptions } as const satisfies ArgsDef;

const change = defineCommand({
  meta: { name: 'change', description: 'Change the settings that are given; all others stay as they are.' },
  args: changeOptions,
  run: ({ args }) =>
    withStore(async (store, config) => {
      refuseUnknown(args, changeOptions);
      const settings = groupSettingsOf(args);
      const row = await findGroup(store, args.group);
      if (row !== undefined && Object.keys(settings).length === 0)
        throw new Refusal('Nothing to change: give at least one setting, such as --models or --budget-day.');
      if ((await changeGroup(store, args.group, groupColumnsOf(settings))) === undefined)
        throw noSuchGroup(args.group);
      for (const hint of unknownModels(settings.models ?? [], config)) console.error(hint);
      console.error(`Changed the group ${args.group}.`);
    }),
});

const removeOptions = { group: named } as const satisfies ArgsDef;

const remove = defineCommand({
  meta: { name: 'delete', description: 'Delete a group without keys. Its usage stays in reports.' },
  args: removeOptions,
  run: ({ args }) =>
    withStore(async (store) => {
      refuseUnknown(args, removeOptions);
      const deleted = await deleteGroup(store, args.group);
      if (deleted === undefined) throw noSuchGroup(args.group);
      if ('keys' in deleted) {
        throw new Refusal(
          `Keys that are not revoked are still of the group ${args.group}: ${deleted.keys}. Give them another group, or none, first: "gateway keys change NAME --group none".`,
        );
      }
      console.error(`Deleted the group ${args.group}.`);
    }),
});

export const groups = defineCommand({
  meta: { name: 'groups', description: 'Create, list, change and delete groups of keys.' },
  subCommands: { create, list, change, delete: remove },
});

function noSuchGroup(name: string): Refusal {
  return new Refusal(`There is no group ${name} (see "gateway groups list").`);
}

const COLUMNS: readonly Column<GroupView>[] = [
  { title: 'name', text: ({ name }) => name },
  ...limitColumns<GroupView>(),
];
