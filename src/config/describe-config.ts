/** The effective configuration, value by value, with where each comes from, and without secrets. */

import type { Environment } from '../lib/environment.ts';
import { isRecord } from '../lib/is-record.ts';
import { type Fields, findVariable } from './environment.ts';
import type { Config } from './schema.ts';

/** A value of the configuration. */
export interface ConfigEntry {
  /** The names of its fields, joined by dots; numbers are places in lists. */
  readonly path: string;
  /** As JSON; undefined for a secret, which is set. */
  readonly value: unknown;
  readonly isSecret: boolean;
  /** A variable of the environment, `file`, or `default`. */
  readonly source: string;
}

/** Fields that hold secrets, or may: whatever is below one of them is one. */
const SECRET = /^(?:key|apiKey|hash|secret|token|password|headers|credentials|clientSecret)$/i;

/**
 * Describes a configuration.
 * @param written the fields of the file and of the environment together, before defaults
 */
export function describeConfig(
  config: Config,
  written: Fields,
  environment: Environment,
): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  const add = (value: unknown, path: readonly string[], isSecret: boolean): void => {
    if (value === undefined) return;
    const isBranch = (Array.isArray(value) || isRecord(value)) && Object.keys(value).length > 0;
    // A list of texts or numbers is one value.
    const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object');
    if (isBranch && !isFlat) {
      for (const [name, each] of Object.entries(value))
        add(each, [...path, name], isSecret || SECRET.test(name));
      return;
    }
    const variable = findVariable(path, written, environment);
    entries.push({
      path: path.join('.'),
      value: isSecret ? undefined : typeof value === 'string' ? withoutCredentials(value) : value,
      isSecret,
      source: variable ?? (isWritten(written, path) ? 'file' : 'default'),
    });
  };
  add(config, [], false);
  return entries;
}

function isWritten(written: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return written !== undefined;
  if (Array.isArray(written)) return isWritten(written[Number(first)], rest);
  return isRecord(written) ? isWritten(written[first], rest) : written !== undefined;
}

/** An address without its user, password and query, any of which may be a secret. Other texts stay as they are. */
function withoutCredentials(text: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null || (url.username === '' && url.password === '' && url.search === '')) return text;
  url.username = '';
  url.password = '';
  url.search = '';
  return url.href;
}
