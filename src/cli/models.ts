/** `gateway models`: what the catalog holds, and whether it is what the vendors have. */

import { defineCommand } from 'citty';
import { list, listOptions } from './models-list.ts';

export const models = defineCommand({
  meta: {
    name: 'models',
    description: 'List the models of the catalog (default), or compare them with the vendors’ lists.',
  },
  args: listOptions,
  subCommands: { list, sync: () => import('./models-sync.ts').then((module) => module.sync) },
  default: 'list',
});
