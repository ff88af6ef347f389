/** Peers from package registries are installed once, beside the results. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PEERS = join(import.meta.dirname, '../../results/peers');

/**
 * The folder of a version of a package, in which `program` is.
 * @param commands install it into a folder, if it is not there yet.
 * @throws Error if one of them fails; what it says is printed.
 */
export function installed(
  name: string,
  program: string,
  commands: (folder: string) => readonly (readonly [string, ...string[]])[],
): string {
  const folder = join(PEERS, name);
  if (existsSync(join(folder, program))) return folder;
  console.error(`Installing ${name} into ${folder}, once …`);
  mkdirSync(folder, { recursive: true });
  try {
    for (const [command, ...args] of commands(folder))
      execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    // Half of an installation would pass for the whole the next time.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
