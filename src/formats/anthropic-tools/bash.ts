/** The bash tool. Both of its versions have the same input. */

import { type ClientTool, text } from './definition.ts';

/** Runs commands in a shell that keeps its state between calls. */
export const BASH: ClientTool = {
  settings: [],
  define: () => ({
    description:
      'Runs commands in a bash shell that stays open: the working directory and the variables of one call are kept for ' +
      'the next. Returns what was written to stdout and stderr. Commands receive no input while they run: use none that ' +
      'waits for input or needs a screen (editors, pagers, password prompts). If the shell hangs or has died, call with ' +
      '`restart`.',
    properties: {
      command: text('The command to run. Required unless `restart` is true.'),
      restart: { type: 'boolean', description: 'True restarts the shell. Omit it otherwise.' },
    },
    // Not even the command is required: a call that restarts the shell has none.
    required: [],
  }),
};
