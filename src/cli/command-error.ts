/** The one error that a command reports as a plain line: the user asked for something that cannot be done. */

export class CommandError extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: number;

  /** @param message a full sentence for the user. @param exitCode the exit code of the process. */
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
