/** How a process ends: by a signal, by an order, or by an uncaught error. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Diagnostics, LogProblem } from '../../lib/diagnostics.ts';
import { withoutSecrets } from '../../upstream/redact.ts';
import type { Serving } from './serving.ts';
import { reportToPrimary } from './worker-channel.ts';

/** The longest that live answers may take after an error in the program itself, in milliseconds. */
const AFTER_FAILURE = 10_000;

export interface Shutdown {
  /** Begins the orderly end. Once begun, nothing begins it again. */
  begin(): void;
  /** Begins the end if it has not begun, and waits for nothing more. */
  force(): void;
}

/**
 * Ends `serving` and then the process, with exit code 0, or 1 if it was hurried or has failed.
 * @param diagnostics receives what the end waits for, and what fails on the way
 */
export function makeShutdown(
  serving: Serving,
  { info, problem }: Pick<Diagnostics, 'info' | 'problem'>,
): Shutdown {
  const forced = new AbortController();
  let code: 0 | 1 | undefined;

  async function run(limit: number): Promise<void> {
    const { server } = serving;
    const { preDrain, drain } = serving.current().config.timeouts;
    server.stopKeepingAlive();
    reportToPrimary('leaving');
    const live = server.live.inFlight();
    if (live > 0)
      info(
        `Shutting down once the answers in progress (${live}) are complete; a second signal ends them now.`,
      );
    if (limit > AFTER_FAILURE) await sleep(preDrain, undefined, forced).catch(() => undefined);
    const ended = await server.drain(Math.min(limit, drain));
    // The log is closed after this.
    if (ended > 0) problem(`Answers cut off before they were complete: ${ended}.`);
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

  surviveErrors(serving, problem, () => end(1, AFTER_FAILURE));
  return {
    begin: () => end(0, Number.POSITIVE_INFINITY),
    force() {
      forced.abort();
      serving.server.end();
      end(1, Number.POSITIVE_INFINITY);
    },
  };
}

/** The first signal begins the end, the second hurries it, and the third exits at once. */
export function onSignals({ begin, force }: Shutdown): void {
  const steps = [begin, force];
  const onSignal = (): void => (steps.shift() ?? (() => process.exit(1)))();
  // Until now a signal ends the start (`cli/gateway.js`).
  for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal).on(signal, onSignal);
  // Ctrl-Break and a closed console: ten seconds later Windows ends whatever still runs in it (Node's
  // documentation, "Signal events").
  if (process.platform === 'win32') process.on('SIGBREAK', onSignal).on('SIGHUP', onSignal);
}

/**
 * An uncaught error ends the exchange that raised it, and nothing else. If no exchange raised it, the state it has left
 * behind is unknown, and the process ends so that a new one can take its place.
 */
function surviveErrors(serving: Serving, log: LogProblem, fail: () => void): void {
  let failed = false;
  const onError = (error: unknown): void => {
    const isOfExchange = serving.server.live.abortCurrent();
    if (!isOfExchange && failed) return;
    failed ||= !isOfExchange;
    const what = withoutSecrets(loggableTrace(error), '');
    log(`${isOfExchange ? 'An exchange was ended' : 'The process is ended'} by an uncaught error: ${what}`);
    if (!isOfExchange) fail();
  };
  process.on('uncaughtException', onError).on('unhandledRejection', onError);
}

/** Words in which V8 and Node quote what they were given: `in` and assignments on a string, and arguments of a wrong kind. */
const QUOTING = /'in' operator|\b(?:on|of) string '|\bReceived\b/;

/** An error's message and stack; without the message where it may quote a prompt, as JSON.parse does. */
function loggableTrace(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const { name, message, stack = '' } = error;
  if (!(error instanceof SyntaxError) && !QUOTING.test(message)) return stack === '' ? message : stack;
  const at = stack.indexOf(message);
  return `${name} (its message is left out, as it may quote a prompt)${at < 0 ? '' : stack.slice(at + message.length)}`;
}
