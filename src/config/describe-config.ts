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
  return describe(config, [], false, (path) => {
    const variable = findVariable(path, written, environment);
    return variable ?? (isWritten(written, path) ? 'file' : 'default');
  });
}

/** The entries of a value and of what is below it. */
function describe(
  value: unknown,
  path: readonly string[],
  isSecret: boolean,
  findSource: (path: readonly string[]) => string,
): readonly ConfigEntry[] {
  if (value === undefined) return [];
  if (isBranch(value))
    return Object.entries(value).flatMap(([name, each]) =>
      describe(each, [...path, name], isSecret || SECRET.test(name), findSource),
    );
  const shown = typeof value === 'string' ? withoutCredentials(value) : value;
  return [{ path: path.join('.'), value: isSecret ? undefined : shown, isSecret, source: findSource(path) }];
}

/** Whether a value is described by what is below it. A list of texts or numbers is one value. */
function isBranch(value: unknown): value is object {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object');
  return isRecord(value) && Object.keys(value).length > 0;
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
