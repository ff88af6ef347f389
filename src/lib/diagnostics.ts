/**
 * What a process reports about itself while it serves. It goes into the log, so that a JSON log is JSON to its last
 * line; without a log, or before there is one, it goes out as plain lines.
 */

/** Reports a problem in one sentence. Of an accompanying error the log has only the kind and its origin. */
export type LogProblem = (message: string, error?: unknown) => void;

/** The part of a log that receives these reports. */
interface Log {
  note(message: string): void;
  problem(message: string, error?: unknown): void;
}

export interface Diagnostics {
  /** Something expected, such as a reload. */
  readonly info: (message: string) => void;
  /** Something that should not have happened. */
  readonly problem: LogProblem;
  /** Sends later reports to `log`, or writes them as plain lines if it is undefined. */
  into(log: Log | undefined): void;
  /** The log is closed: from now on only problems are reported, as plain lines on standard error. */
  end(): void;
}

/** Makes diagnostics that have no log yet. */
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

/** Reports on standard error, for code without a log. */
export const logToStderr: LogProblem = (message, error) => {
  if (error === undefined) console.error(message);
  else console.error(message, error);
};
