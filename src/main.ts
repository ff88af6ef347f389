/** The program's commands. */

import { stripVTControlCharacters } from 'node:util';
import { type ArgsDef, type CommandDef, defineCommand, renderUsage, runMain } from 'citty';
import { version } from './server/version.ts';

const NAME = 'gateway';

const main = defineCommand({
  meta: () => ({
    name: NAME,
    version: version(),
    description: 'One address, one key, four wire formats, every text model of a catalog.',
  }),
  subCommands: {
    start: () => import('./cli/start.ts').then((module) => module.start),
    keys: () => import('./cli/keys.ts').then((module) => module.keys),
    groups: () => import('./cli/groups.ts').then((module) => module.groups),
    usage: () => import('./cli/usage.ts').then((module) => module.usage),
    store: () => import('./cli/store.ts').then((module) => module.store),
    models: () => import('./cli/models.ts').then((module) => module.models),
    check: () => import('./cli/check.ts').then((module) => module.check),
    validate: () => import('./cli/validate.ts').then((module) => module.validate),
    explain: () => import('./cli/explain.ts').then((module) => module.explain),
    record: () => import('./cli/record.ts').then((module) => module.record),
  },
});

// A reader that has had enough (`| head`) is no error: commands end as they would, and a gateway goes on serving.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Help, in colours on a terminal only: in a file or a pager they are noise. */
async function showUsage<A extends ArgsDef>(command: CommandDef<A>, parent?: CommandDef<A>): Promise<void> {
  const above = await (typeof parent?.meta === 'function' ? parent.meta() : parent?.meta);
  // citty knows the last step to a command only: `keys create` is none that could be typed.
  const isDeep = above?.name !== undefined && above.name !== NAME;
  const meta = { ...above, name: `${NAME} ${above?.name}` };
  const text = await renderUsage(command, isDeep ? { ...parent, meta } : parent);
  console.log(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n`);
}

// `gateway help keys` is `gateway keys --help`, as it is elsewhere.
const said = process.argv.slice(2);
const [first, ...asked] = said;
await runMain(main, { showUsage, rawArgs: first === 'help' ? [...asked, '--help'] : said });
