/** For commands that work on no store: what cannot be done as it was asked is told in one line. */

import { Refusal } from './with-store.ts';

/** Runs `run`. A Refusal ends the process with exit code 1. */
export async function tellingRefusals(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
