/** The configuration file: found and read with c12. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadConfig } from 'c12';
import { ConfigError } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { withoutSecrets } from '../upstream/redact.ts';
import { refuseTwice } from './json-files.ts';
import { asRecord, findFile, NO_OBJECT, readFresh } from './read-fresh.ts';

/**
 * Reads `gateway.config.*` in `directory`, or the file `named`.
 * @param environment the variables, whose secrets an error of a file of code does not show.
 * @returns the values, and the file; without a file, no values.
 * @throws ConfigError if the file does not exist, cannot be read, or does not hold an object.
 */
export async function readConfigFile(
  named: string | undefined,
  directory: string,
  environment: Environment,
): Promise<{ values: Record<string, unknown>; file?: string }> {
  try {
    const { config, configFile, layers } = await loadConfig<Record<string, unknown>>({
      name: 'gateway',
      cwd: directory,
      ...(named && { configFile: named }),
      rcFile: false,
      globalRc: false,
      packageJson: false,
      dotenv: false,
      extend: false,
      envName: false,
      jitiOptions: { interopDefault: false },
      resolve: (_, { jiti }) => readFresh(named, directory, jiti),
    });
    const exists = configFile !== undefined && existsSync(configFile);
    // c12's configFileRequired would report a file that `resolve` has found as missing.
    if (named && !exists) throw new Error(`${resolve(directory, named)} does not exist`);
    if (!exists) return { values: {} };
    const text = isDataFile(configFile) ? await readFile(configFile, 'utf8') : undefined;
    // A file without any content may just be being written. One of comments alone is meant to set nothing.
    const isBlank = text?.trim() === '';
    // c12 makes an empty object of anything else. The layer has what the file holds.
    const held = asRecord(isBlank ? undefined : layers?.[0]?.config);
    if (text !== undefined && configFile.endsWith('.json5')) refuseTwice(text, held);
    return { values: config, file: configFile };
  } catch (error) {
    const file = findFile(named, directory);
    const reason = withoutVariables(withoutQuotes(getReason(error), file), environment);
    const advice = file === undefined ? '' : await quotesAdvice(file, reason);
    const place = file === undefined || reason.includes(file) ? '' : `${file}: `;
    throw new ConfigError(`The configuration file cannot be read: ${place}${reason}${advice}`);
  }
}

/** The advice about a variable without quotes at the place where YAML failed. YAML reads its brace as a nested object. */
async function quotesAdvice(file: string, reason: string): Promise<string> {
  if (!isYaml(file)) return '';
  const [, line, column] = /\((\d+):(\d+)\)$/.exec(reason) ?? [];
  const text = (await readFile(file, 'utf8')).split('\n')[Number(line) - 1];
  const isVariable = text?.slice(Number(column) - 2).startsWith('${') === true;
  return isVariable ? `. Within { } and [ ] a variable needs quotes: "\${NAME}"` : '';
}

/** The first line of an error's message. jiti has the position in the second line (` /gateway.config.ts:4:0`). */
function getReason(error: unknown): string {
  // c12 reads `$meta` of what a file holds before anyone else sees it.
  if (error instanceof TypeError && error.message.endsWith("(reading '$meta')")) return NO_OBJECT;
  const [first = '', second = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const [, line, column] = /:(\d+):(\d+)$/.exec(second.trimEnd()) ?? [];
  return `${first.trim()}${line === undefined ? '' : ` (line ${line} column ${column})`}`;
}

/** A message without what js-yaml quotes of the file: a key that begins with `*` or `!` is an alias or a tag to YAML. */
function withoutQuotes(reason: string, file: string | undefined): string {
  const [place] = /\(\d+:\d+\)$/.exec(reason) ?? [];
  if (place === undefined || !isYaml(file)) return reason;
  const [words = ''] = reason.slice(0, -place.length).split(/"|!<|:/, 1);
  return `${words.trim()} ${place}`;
}

/** What a variable is called that holds a secret, or an address with one. */
const OF_SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|URL|AUTH/i;

/** A message without the secrets that code has read from the environment: it may throw anything. */
function withoutVariables(reason: string, environment: Environment): string {
  let shown = reason;
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && OF_SECRET.test(name)) shown = withoutSecrets(shown, value);
  return withoutSecrets(shown, '');
}

function isYaml(file: string | undefined): boolean {
  return file !== undefined && /\.ya?ml$/.test(file);
}

/** Whether a file holds data rather than code, so that it cannot read the environment itself. */
export function isDataFile(file: string | undefined): boolean {
  return file !== undefined && /\.(?:json[5c]?|ya?ml|toml)$/.test(file);
}
