/** Another configuration without another start: read anew on SIGHUP and when its file changes. */

import { unwatchFile, watchFile } from 'node:fs';
import { ConfigError } from './config/load.ts';
import type { Tell } from './observe/teller.ts';

/** A look at the file's times; unlike a watch on it, it sees a file that is replaced, linked to or mounted. */
const LOOK_INTERVAL = 1_000;

/**
 * Calls `reload` with every occasion, one at a time.
 * @param file the configuration's, if there is one.
 * @param tell told in a line where it is refused.
 * @returns what ends it.
 */
export function onConfigChange(
  file: string | undefined,
  tell: Tell,
  reload: () => Promise<void>,
): () => void {
  let last = Promise.resolve();
  const occasion = (): void => {
    last = last.then(() => tellFailure(tell, reload));
  };
  // Nobody sends one on Windows: there it tells that the end is near.
  if (process.platform !== 'win32') process.on('SIGHUP', occasion);
  if (file !== undefined) {
    watchFile(file, { interval: LOOK_INTERVAL, persistent: false }, (now, before) => {
      // While a file is being replaced there may be none.
      if (now.mtimeMs !== 0 && (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino)) occasion();
    });
  }
  return () => {
    process.off('SIGHUP', occasion);
    if (file !== undefined) unwatchFile(file);
  };
}

/** Runs `reload`; that it fails is told in a line, and everything stays as it was. */
async function tellFailure(tell: Tell, reload: () => Promise<void>): Promise<void> {
  try {
    await reload();
  } catch (error) {
    const reason = error instanceof ConfigError ? error.message : `it cannot be used: ${String(error)}`;
    tell(`The configuration stays as it was. ${reason.replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}
