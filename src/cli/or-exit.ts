/** What a command does with a mistake of its user's: one line, and the exit code for it (sysexits EX_CONFIG). */

import { ConfigError } from '../lib/config-error.ts';

const EX_CONFIG = 78;

/** The value; where it cannot be had for a reason the user can mend, says so and ends the process. */
export async function orExit<T>(value: Promise<T>): Promise<T> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof ConfigError) {
      console.error(error.message);
      process.exit(EX_CONFIG);
    }
    if (error instanceof Error && 'code' in error) {
      const hint =
        error.code === 'EADDRINUSE'
          ? '. Stop what listens there, or choose another port (PORT=8790 npm start).'
          : '';
      console.error(`Cannot start: ${error.message}${hint}`);
      process.exit(1);
    }
    throw error;
  }
}
