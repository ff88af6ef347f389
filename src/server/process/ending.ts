/** How a process ends: by a signal, by an order, or by an error that nobody caught. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Diagnostics, LogProblem } from '../../lib/diagnostics.ts';
import { withoutSecrets } from '../../upstream/redact.ts';
import type { Serving } from './serving.ts';
import { tellFirst } from './workers.ts';

/** After a mistake in the program itself, live answers get no longer than this, in milliseconds. */
const AFTER_FAILURE = 10_000;

export interface Ending {
  /** Begins the orderly end. Once begun, nothing begins it again. */
  begin(): void;
  /** Waits for nothing more; where it has not begun, it begins. */
  hurry(): void;
}

/**
 * The end of `serving`, and of the process with it: by exit code 0, or 1 where it was hurried or has failed.
 * @param teller told what it waits for, and what went wrong on the way.
 */
export function endingOf(
  serving: Serving,
  { info: note, problem: tell }: Pick<Diagnostics, 'info' | 'problem'>,
): Ending {
  const impatient = new AbortController();
  let code: 0 | 1 | undefined;

  async function run(limit: number): Promise<void> {
    const { server } = serving;
    const { preDrain, drain } = serving.current().config.timeouts;
    server.leave();
    tellFirst('leaving');
    const live = server.live.inFlight();
    if (live > 0)
      note(
        `Shutting down once the answers in progress (${live}) are complete; a second signal ends them now.`,
      );
    if (limit > AFTER_FAILURE) await sleep(preDrain, undefined, impatient).catch(() => undefined);
    const ended = await server.drain(Math.min(limit, drain));
    // Before the log is closed too.
    if (ended > 0) tell(`Answers cut off before they were complete: ${ended}.`);
    await serving.close();
  }

  function end(reason: 0 | 1, limit: number): void {
    if (code !== undefined) {
      code = reason === 1 ? 1 : code;
      return;
    }
    code = reason;
    run(limit).then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  }

  outliveErrors(serving, tell, () => end(1, AFTER_FAILURE));
  return {
    begin: () => end(0, Number.POSITIVE_INFINITY),
    hurry() {
      impatient.abort();
      serving.server.end();
      end(1, Number.POSITIVE_INFINITY);
    },
  };
}

/** The first signal begins the end, a second one hurries it, and a third does not even wait for that. */
export function onSignals({ begin, hurry }: Ending): void {
  const steps = [begin, hurry];
  const onSignal = (): void => (steps.shift() ?? (() => process.exit(1)))();
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // Ctrl-Break, and a console that is closed: ten seconds later Windows ends what still runs in it (Node's
  // documentation, "Signal events").
  if (process.platform === 'win32') process.on('SIGBREAK', onSignal).on('SIGHUP', onSignal);
}

/**
 * An error that nobody caught ends the exchange in whose course it came up, and nothing else. Where it is no
 * exchange's, nobody knows what it has left behind: the process makes room for a fresh one.
 */
function outliveErrors(serving: Serving, tell: LogProblem, fail: () => void): void {
  let failed = false;
  const onError = (error: unknown): void => {
    const blamed = serving.server.live.blame();
    if (!blamed && failed) return;
    failed ||= !blamed;
    const what = withoutSecrets(tellableTrace(error), '');
    tell(`${blamed ? 'An exchange was ended' : 'The process is ended'} by an uncaught error: ${what}`);
    if (!blamed) fail();
  };
  process.on('uncaughtException', onError).on('unhandledRejection', onError);
}

/** Words in which V8 and Node quote what they were given: `in` and assignments on a string, and arguments of a wrong kind. */
const QUOTING = /'in' operator|\b(?:on|of) string '|\bReceived\b/;

/** What an error says and where it came up; without its words where those may quote a prompt, as JSON.parse does. */
function tellableTrace(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '' } = error;
  if (!(error instanceof SyntaxError) && !QUOTING.test(message)) return stack === '' ? message : stack;
  const at = stack.indexOf(message);
  return `${name} (its message is left out, as it may quote a prompt)${at < 0 ? '' : stack.slice(at + message.length)}`;
}
