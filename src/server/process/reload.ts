/** Another configuration without another start: read anew on SIGHUP and when one of its files changes. */

import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { ConfigError } from '../../lib/config-error.ts';
import type { LogProblem } from '../../lib/diagnostics.ts';

/** A look at the file's times; unlike a watch on it, it sees a file that is replaced, linked to or mounted. */
const LOOK_INTERVAL = 1_000;

/** @param reload takes what is new, and returns the files that it is from now. */
export type OnConfigChange = (files: readonly string[], tell: LogProblem, reload: Reload) => void;

type Reload = () => Promise<readonly string[]>;

/**
 * From now on a SIGHUP is an occasion: one that comes while the process starts waits for it to serve.
 * @returns what calls `reload` with every occasion, one at a time; `files` are those the configuration is from, and
 * `tell` is told in a line where it is refused.
 */
export function hearConfigChanges(): OnConfigChange {
  const begun = Promise.withResolvers<() => Promise<void>>();
  let last = Promise.resolve();
  const occasion = (): void => {
    last = last.then(async () => (await begun.promise)());
  };
  // Nobody sends one on Windows: there it tells that the end is near.
  if (process.platform !== 'win32') process.on('SIGHUP', occasion);
  return (files, tell, reload) => {
    const watch = watcher(occasion);
    begun.resolve(async () => watch(await tellFailure(tell, reload)));
    watch(files);
  };
}

/** What looks at files until it is given others, and tells when one of them is another one. */
function watcher(onChange: () => void): (files: readonly string[] | undefined) => void {
  const look = (now: Stats, before: Stats): void => {
    // While a file is being replaced there may be none.
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

/** Runs `reload`; that it fails is told in a line, and everything stays as it was. */
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
