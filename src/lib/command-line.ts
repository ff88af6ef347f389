/** Commands in hints and messages, as their reader can paste them. */

import type { Environment } from './environment.ts';

/** The variable in which npm names the script that it runs. */
export const NPM_SCRIPT = 'npm_lifecycle_event';

/** Whether npm runs the program, so that its commands begin with `npm run gateway`. */
export function isRunByNpm(environment: Environment): boolean {
  const script = environment[NPM_SCRIPT];
  return script === 'gateway' || script === 'start' || script === 'dev';
}

/**
 * A command of this program.
 * @param words the command and its arguments: `keys create NAME`.
 * @param options what follows them: `--group search`. npm takes them only after a `--` of their own.
 */
export function commandLine(environment: Environment, words: string, options = ''): string {
  const [program, separator] = isRunByNpm(environment) ? ['npm run gateway', '-- '] : ['gateway', ''];
  return `${program} ${words}${options === '' ? '' : ` ${separator}${options}`}`;
}
