/** The configuration file: found and read with c12. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from 'c12';
import { ConfigError } from '../lib/config-error.ts';
import { readFresh } from './read-fresh.ts';

/**
 * Reads `gateway.config.*` in `directory`, or the file `named`.
 * @returns the values, and the file; without a file, no values.
 * @throws ConfigError if the file does not exist, cannot be read, or does not hold an object.
 */
export async function readConfigFile(
  named: string | undefined,
  directory: string,
): Promise<{ values: Record<string, unknown>; file?: string }> {
  try {
    const { config, configFile } = await loadConfig<Record<string, unknown>>({
      name: 'gateway',
      cwd: directory,
      ...(named && { configFile: named }),
      rcFile: false,
      globalRc: false,
      packageJson: false,
      dotenv: false,
      extend: false,
      resolve: () => readFresh(named, directory),
    });
    const exists = configFile !== undefined && existsSync(configFile);
    // c12's configFileRequired would report a file that `resolve` has found as missing.
    if (named && !exists) throw new Error(`${resolve(directory, named)} does not exist`);
    return { values: config ?? {}, ...(exists && { file: configFile }) };
  } catch (error) {
    throw new ConfigError(`The configuration file cannot be read: ${getReason(error)}`);
  }
}

/** The first line of an error's message. jiti has the position in the second line (` /gateway.config.ts:4:0`). */
function getReason(error: unknown): string {
  const [first = '', second = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const [, line, column] = /:(\d+):(\d+)$/.exec(second.trimEnd()) ?? [];
  return `${first.trim()}${line === undefined ? '' : ` (line ${line} column ${column})`}`;
}

/** Whether a file holds data rather than code, so that it cannot read the environment itself. */
export function isDataFile(file: string | undefined): boolean {
  return file !== undefined && /\.(?:json[5c]?|ya?ml|toml)$/.test(file);
}
