/** Reloads the configuration without a restart: on SIGHUP, and when one of its files changes. */

import { type Stats, statSync, unwatchFile, watchFile } from 'node:fs';
import { ConfigError } from '../../lib/config-error.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';

/** The interval for polling file times. Unlike a watch, polling notices files that are replaced, linked or mounted. */
const POLL_INTERVAL = 1_000;

export type OnConfigChange = (files: Iterable<string>, log: LogProblem, reload: Reload) => void;

/** Applies the new configuration. @param read collects the files that it comes from, also if it is refused. */
type Reload = (read: Set<string>) => Promise<void>;

/**
 * Listens for SIGHUP from now on: a signal that arrives while the process starts waits until it serves.
 * @returns a function that calls `reload` at every SIGHUP and file change, one at a time; `files` are the files of the
 * configuration, and `log` receives one line if a configuration is refused.
 */
export function watchConfig(): OnConfigChange {
  const begun = Promise.withResolvers<() => Promise<void>>();
  let last = Promise.resolve();
  let isWaiting = false;
  const occasion = (): void => {
    // One that has not begun reads this change too.
    if (isWaiting) return;
    isWaiting = true;
    last = last.then(async () => {
      const run = await begun.promise;
      isWaiting = false;
      await run();
    });
  };
  // On Windows SIGHUP means that the console is closing.
  if (process.platform !== 'win32') process.on('SIGHUP', occasion);
  return (files, log, reload) => {
    const watch = watcher(occasion);
    let followed = new Set(files);
    begun.resolve(async () => {
      watch.noteRead();
      const read = new Set<string>();
      const isInForce = await logFailure(log, () => reload(read));
      // What a refused one lacks may be a file that it names and that has yet to come, or to be complete.
      followed = isInForce ? read : new Set([...followed, ...read]);
      watch.follow(followed);
    });
    watch.follow(followed);
  };
}

/** Polls files, and reports when one of them has changed. */
function watcher(onChange: () => void) {
  const watched = new Map<string, (now: Stats, before: Stats) => void>();
  const read = new Map<string, string>();
  const fileVersion = ({ mtimeMs, ino }: Stats): string => `${mtimeMs} ${ino}`;
  const add = (file: string): void => {
    const look = (now: Stats, before: Stats): void => {
      // A file that is being replaced may be missing for a moment.
      if (now.mtimeMs === 0 || fileVersion(now) === fileVersion(before)) return;
      if (fileVersion(now) !== read.get(file)) onChange();
    };
    watched.set(file, look);
    watchFile(file, { interval: POLL_INTERVAL, persistent: false }, look);
  };
  return {
    /** Polls these files from now on, and no others. */
    follow(files: ReadonlySet<string>): void {
      for (const [file, look] of watched) {
        if (files.has(file)) continue;
        unwatchFile(file, look);
        watched.delete(file);
      }
      for (const file of files) if (!watched.has(file)) add(file);
    },
    /** Says that all files are about to be read: a change until now, which a poll may notice later, is no news. */
    noteRead(): void {
      for (const file of watched.keys()) {
        const now = statSync(file, { throwIfNoEntry: false });
        if (now === undefined) read.delete(file);
        else read.set(file, fileVersion(now));
      }
    },
  };
}

/**
 * Runs `reload`. A failure is reported in one line, and the old configuration stays in force.
 * @returns whether the new one is in force.
 */
async function logFailure(log: LogProblem, reload: () => Promise<void>): Promise<boolean> {
  try {
    await reload();
    return true;
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : `It cannot be used: ${String(error)}`;
    log(
      `The new configuration was refused, and the old one stays in force. ${reason.replaceAll(/\s*\n\s*/g, ' ')}`,
    );
    return false;
  }
}
