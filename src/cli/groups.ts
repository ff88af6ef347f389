/** `gateway groups`: creates, lists, changes and deletes groups of keys. Running gateways apply a change within two seconds. */

import { defineCommand } from 'citty';
import { commandLine } from '../lib/command-line.ts';
import type { GroupView } from '../store/keys/key-view.ts';
import { CommandError } from './command-error.ts';
import { groupOptions, limitColumns, nothingToChange, readGroupOptions } from './key-options.ts';
import { parseOptions } from './options.ts';
import { type Column, textTable } from './tables.ts';
import { storeCommand } from './with-store.ts';

const json = { type: 'boolean', description: 'Print JSON' } as const;
const group = { type: 'positional', required: true, description: 'Name of the group' } as const;

const create = storeCommand({
  name: 'create',
  description:
    'Create a group, whose keys share its limits. Without options the group has no limits and only groups usage.',
  options: { name: group, ...groupOptions },
  async run(args, store, config) {
    const { createGroup, groupColumns, groupName, groupSettings, printUnknownModels } = await load();
    const name = parseOptions(args.name, groupName, 'The name');
    const settings = parseOptions(readGroupOptions(args), groupSettings);
    const made = await createGroup(store, name, groupColumns(settings));
    if (made === undefined) throw new CommandError(`A group named ${name} already exists.`);
    printUnknownModels(settings, config);
    console.error(
      `Created the group ${name}. Add keys with: ${commandLine(process.env, 'keys create NAME', `--group '${name}'`)}`,
    );
  },
});

const list = storeCommand({
  name: 'list',
  description: 'List the groups in the store.',
  options: { json },
  async run(args, store) {
    const { listGroups, renderGroup } = await load();
    const groups = (await listGroups(store)).map(renderGroup);
    console.log(args.json ? JSON.stringify(groups, undefined, 2) : textTable(COLUMNS, groups));
  },
});

const change = storeCommand({
  name: 'change',
  description: 'Change the given settings; all others stay as they are.',
  options: { group, ...groupOptions },
  async run(args, store, config) {
    const { changeGroup, findGroup, groupColumns, groupSettings, printUnknownModels } = await load();
    const settings = parseOptions(readGroupOptions(args), groupSettings);
    const row = await findGroup(store, args.group);
    if (row !== undefined && Object.keys(settings).length === 0) throw nothingToChange();
    if ((await changeGroup(store, args.group, groupColumns(settings))) === undefined)
      throw noSuchGroup(args.group);
    printUnknownModels(settings, config);
    console.error(`Changed the group ${args.group}.`);
  },
});

const remove = storeCommand({
  name: 'delete',
  description: 'Delete a group that has no keys. Its usage stays in reports.',
  options: { group },
  async run(args, store) {
    const { deleteGroup } = await load();
    const deleted = await deleteGroup(store, args.group);
    if (deleted === undefined) throw noSuchGroup(args.group);
    if ('keys' in deleted) {
      throw new CommandError(
        `The group ${args.group} still has keys that are not revoked: ${deleted.keys}. First move them to another group, or to none: ${commandLine(process.env, 'keys change NAME', '--group none')}`,
      );
    }
    console.error(`Deleted the group ${args.group}.`);
  },
});

export const groups = defineCommand({
  meta: { name: 'groups', description: 'Create, list, change and delete groups of keys.' },
  subCommands: { create, list, change, delete: remove },
});

/** The code that works on groups, which `--help` does not need. */
async function load() {
  const [groups, settings, view, notes] = await Promise.all([
    import('../store/keys/groups.ts'),
    import('../store/keys/key-settings.ts'),
    import('../store/keys/key-view.ts'),
    import('./config-notes.ts'),
  ]);
  return { ...groups, ...settings, ...view, ...notes };
}

function noSuchGroup(name: string): CommandError {
  return new CommandError(`There is no group ${name} (see "${commandLine(process.env, 'groups list')}").`);
}

const COLUMNS: readonly Column<GroupView>[] = [
  { title: 'name', text: ({ name }) => name },
  ...limitColumns<GroupView>(),
];
