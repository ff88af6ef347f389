/** The configuration where a command is called. */

import { readConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { orExit } from './or-exit.ts';

/** That of this folder and this environment; where there is a mistake in it, the process ends. */
export function configHere(): Promise<Config> {
  return orExit(readConfig(process.env, process.cwd()));
}
