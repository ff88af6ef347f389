/** Reloads the configuration without a restart: on SIGHUP, and when one of its files changes. */

import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { ConfigError } from '../../lib/config-error.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';

/** The interval for polling file times. Unlike a watch, polling notices files that are replaced, linked or mounted. */
const LOOK_INTERVAL = 1_000;

/** @param reload applies the new configuration, and returns the files that it comes from. */
export type OnConfigChange = (files: readonly string[], tell: LogProblem, reload: Reload) => void;

type Reload = () => Promise<readonly string[]>;

/**
 * Listens for SIGHUP from now on: a signal that arrives while the process starts waits until it serves.
 * @returns a function that calls `reload` at every SIGHUP and file change, one at a time; `files` are the files of the
 * configuration, and `tell` receives one line if a configuration is refused.
 */
export function hearConfigChanges(): OnConfigChange {
  const begun = Promise.withResolvers<() => Promise<void>>();
  let last = Promise.resolve();
  const occasion = (): void => {
    last = last.then(async () => (await begun.promise)());
  };
  // On Windows SIGHUP means that the console is closing.
  if (process.platform !== 'win32') process.on('SIGHUP', occasion);
  return (files, tell, reload) => {
    const watch = watcher(occasion);
    begun.resolve(async () => watch(await tellFailure(tell, reload)));
    watch(files);
  };
}

/** Polls files until it is given others, and reports when one of them has changed. */
function watcher(onChange: () => void): (files: readonly string[] | undefined) => void {
  const look = (now: Stats, before: Stats): void => {
    // A file that is being replaced may be missing for a moment.
    if (now.mtimeMs !== 0 && (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino)) onChange();
  };
  let watched = new Set<string>();
  return (files) => {
    if (files === undefined) return;
    const next = new Set(files);
    for (const file of watched) if (!next.has(file)) unwatchFile(file, look);
    for (const file of next)
      if (!watched.has(file)) watchFile(file, { interval: LOOK_INTERVAL, persistent: false }, look);
    watched = next;
  };
}

/** Runs `reload`. A failure is reported in one line, and the old configuration stays in force. */
async function tellFailure(tell: LogProblem, reload: Reload): Promise<readonly string[] | undefined> {
  try {
    return await reload();
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : `It cannot be used: ${String(error)}`;
    tell(
      `The new configuration was refused, and the old one stays in force. ${reason.replaceAll(/\s*\n\s*/g, ' ')}`,
    );
    return undefined;
  }
}
