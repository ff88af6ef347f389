/**
 * What a process says of itself while it serves: into its log, so that a JSON log is JSON to the last line. Where there
 * is none, or not yet, as plain lines.
 */

/** Says a sentence; of an error, where one goes with it, a log has only the kind and where it came from. */
export type LogProblem = (message: string, error?: unknown) => void;

/** The part of a log that takes what a process says of itself. */
interface Log {
  note(message: string): void;
  problem(message: string, error?: unknown): void;
}

export interface Diagnostics {
  /** Something that happened as it should: a reload. */
  readonly info: (message: string) => void;
  /** Something that should not have happened. */
  readonly problem: LogProblem;
  /** From now on into `log`, or as plain lines. */
  into(log: Log | undefined): void;
  /** The log is over: only what should not have happened is told now, as plain lines on standard error. */
  end(): void;
}

/** A teller that has no log yet. */
export function openDiagnostics(): Diagnostics {
  let open: Log | undefined;
  let isOver = false;
  return {
    info(message) {
      if (open !== undefined) open.note(message);
      else if (!isOver) console.log(message);
    },
    problem(message, error) {
      if (open === undefined) logToStderr(message, error);
      else open.problem(message, error);
    },
    into(log) {
      open = log;
    },
    end() {
      open = undefined;
      isOver = true;
    },
  };
}

/** On standard error: where nobody has a log. */
export const logToStderr: LogProblem = (message, error) => {
  if (error === undefined) console.error(message);
  else console.error(message, error);
};
