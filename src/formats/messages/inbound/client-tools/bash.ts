/** The bash tool. Both of its versions have the same input. */

import { type ClientTool, text } from './definition.ts';

export const BASH: ClientTool = {
  settings: [],
  define: () => ({
    description:
      'Runs commands in a bash shell that stays open: the working directory and variables of one call are there in the ' +
      'next. Returns what was written to stdout and stderr. A command cannot be answered while it runs: use none that ' +
      'waits for input or needs a screen (editors, pagers, prompts for passwords). If the shell hangs or has died, call ' +
      'with `restart`.',
    properties: {
      command: text('The command to run. Required unless `restart` is true.'),
      restart: { type: 'boolean', description: 'True starts the shell anew; otherwise to be left out.' },
    },
    // Not even the command is required: a call that restarts the shell has none.
    required: [],
  }),
};
