/** `gateway import FILE`: turns a configuration of another gateway into one of this gateway. */

import { commandLine } from '../lib/command-line.ts';
import { command, orExit, writeNamedFile } from './command.ts';
import { CommandError } from './command-error.ts';

export const importFile = command({
  name: 'import',
  description:
    'Turn the configuration of LiteLLM, Portkey or Bifrost into one of this gateway. What could not be taken over is listed on standard error.',
  options: {
    file: {
      type: 'positional',
      required: true,
      description: 'config.yaml of LiteLLM, a config of Portkey, or config.json of Bifrost',
    },
    write: { type: 'string', description: 'Write the configuration to this file (default: print it)' },
    force: { type: 'boolean', description: 'Overwrite an existing file' },
  },
  async run(args) {
    const [{ readConfigFile }, { importConfig }] = await Promise.all([
      import('../config/config-file.ts'),
      import('../devtools/import/import-config.ts'),
    ]);
    const { values } = await orExit(readConfigFile(args.file, process.cwd(), process.env));
    const imported = importConfig(values);
    if (imported === undefined)
      throw new CommandError(`${args.file} is not a configuration of LiteLLM, Portkey or Bifrost.`);
    const { config, notes, gateway } = imported;
    const text = `${JSON.stringify(config, null, 2)}\n`;
    if (args.write === undefined) process.stdout.write(text);
    else await writeNamedFile(args.write, text, args.force);
    const found = notes.map((note) => `- ${note}`).join('\n');
    console.error(
      `Read as a configuration of ${gateway}.${notes.length === 0 ? '' : ` To look at:\n${found}`}`,
    );
    if (args.write !== undefined)
      console.error(`To check the new file: ${commandLine(process.env, `check ${args.write}`)}`);
  },
});
