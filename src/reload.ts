/** Another configuration without another start: read anew on SIGHUP and when its file changes. */

import { watchFile } from 'node:fs';
import { ConfigError } from './config/load.ts';
import type { Tell } from './observe/teller.ts';

/** A look at the file's times; unlike a watch on it, it sees a file that is replaced, linked to or mounted. */
const LOOK_INTERVAL = 1_000;

export type OnConfigChange = (file: string | undefined, tell: Tell, reload: () => Promise<void>) => void;

/**
 * From now on a SIGHUP is an occasion: one that comes while the process starts waits for it to serve.
 * @returns what calls `reload` with every occasion, one at a time; `file` is the configuration's, if there is one, and
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
  return (file, tell, reload) => {
    begun.resolve(() => tellFailure(tell, reload));
    if (file === undefined) return;
    watchFile(file, { interval: LOOK_INTERVAL, persistent: false }, (now, before) => {
      // While a file is being replaced there may be none.
      if (now.mtimeMs !== 0 && (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino)) occasion();
    });
  };
}

/** Runs `reload`; that it fails is told in a line, and everything stays as it was. */
async function tellFailure(tell: Tell, reload: () => Promise<void>): Promise<void> {
  try {
    await reload();
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : `It cannot be used: ${String(error)}`;
    tell(
      `The new configuration was refused, and the old one stays in force. ${reason.replaceAll(/\s*\n\s*/g, ' ')}`,
    );
  }
}
