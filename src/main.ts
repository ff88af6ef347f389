/** The program: its commands, of which only the one that is called is loaded, and its help. */

import { stripVTControlCharacters } from 'node:util';
import { type ArgsDef, type CommandDef, defineCommand, renderUsage, runCommand, runMain } from 'citty';
import { version } from './server/version.ts';

const NAME = 'gateway';

/** What Node reads when it starts. In `.env` it comes too late, such as for a proxy that opens TLS (Zscaler). */
const READ_BY_NODE = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'NODE_OPTIONS'];

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
    audit: () => import('./cli/audit.ts').then((module) => module.audit),
    erase: () => import('./cli/erase.ts').then((module) => module.erase),
    usage: () => import('./cli/usage.ts').then((module) => module.usage),
    store: () => import('./cli/store.ts').then((module) => module.store),
    models: () => import('./cli/models.ts').then((module) => module.models),
    check: () => import('./cli/check.ts').then((module) => module.check),
    import: () => import('./cli/import.ts').then((module) => module.importFile),
    validate: () => import('./cli/validate.ts').then((module) => module.validate),
    conform: () => import('./cli/conform.ts').then((module) => module.conform),
    explain: () => import('./cli/explain.ts').then((module) => module.explain),
    record: () => import('./cli/record.ts').then((module) => module.record),
  },
});

// A reader that closes its end of a pipe (`| head`) is no error: commands end as usual. A gateway goes on serving even if
// the disk of its output is full.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.argv[2] === 'start') return;
    if (stream === process.stderr) throw error;
    console.error(`The output cannot be written (${error.code}).`);
    process.exit(1);
  });
}

/** Prints help. It has colours only on a terminal, since they are noise in a file or a pager. */
async function showUsage<A extends ArgsDef>(command: CommandDef<A>, parent?: CommandDef<A>): Promise<void> {
  const parentMeta = await (typeof parent?.meta === 'function' ? parent.meta() : parent?.meta);
  // citty knows only the last step to a command, and nobody can type `keys create`.
  const isNested = parentMeta?.name !== undefined && parentMeta.name !== NAME;
  const meta = { ...parentMeta, name: `${NAME} ${parentMeta?.name}` };
  const text = await renderUsage(command, isNested ? { ...parent, meta } : parent);
  console.log(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n`);
}

// `gateway help keys` is `gateway keys --help`, as in other programs.
const words = process.argv.slice(2);
const [first, ...rest] = words;
const rawArgs = first === 'help' ? [...rest, '--help'] : words;
try {
  readEnvFile();
  if (rawArgs.some((word) => /^(?:--help|-h|--version|-v)$/.test(word)))
    await runMain(main, { showUsage, rawArgs });
  else await runCommand(main, { rawArgs });
} catch (error) {
  const { describeUsageError, isUsageError } = await import('./cli/usage-line.ts');
  // citty's own way with a mistake is the whole help, with the mistake below it.
  const line = isUsageError(error) ? await describeUsageError(main, rawArgs, error, process.env) : undefined;
  if (line !== undefined) console.error(line);
  else if (isUsageError(error)) await runMain(main, { showUsage, rawArgs: [...rawArgs, '--help'] });
  else console.error(error);
  process.exit(1);
}

/**
 * Adds the variables of a file `.env` in this directory to the environment, which overrides them. It may be a pipe, which
 * is read as soon as somebody writes to it: 1Password mounts such files ("Local .env files").
 * @throws Error if the file cannot be read.
 */
function readEnvFile(): void {
  const late = READ_BY_NODE.filter((name) => process.env[name] === undefined);
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  for (const name of late)
    if (process.env[name] !== undefined)
      console.error(`${name} is in .env, but Node reads it before that file. Set it in the environment.`);
}
