/** What cannot be done as it was asked: the user is told why in one line. */

export class Refusal extends Error {
  override readonly name = 'Refusal';
}

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
