/**
 * Reads configuration files without a cache. c12 leaves some kinds to Node's own loader, which returns what it read the
 * first time for as long as the process lives, so a reload would not see a change.
 */

import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LoadConfigOptions, ResolvedConfig } from 'c12';
import { isRecord } from '../lib/is-record.ts';
import { BYTE_ORDER_MARK, parseJson, parseJsonc } from './json-files.ts';

/** The loader of c12 for code of any kind. It has no cache. */
type Loader = NonNullable<LoadConfigOptions['jiti']>;

/** Where c12 looks, in its order (its README, "Config lookup"). */
const NAMES = ['gateway.config', '.config/gateway', '.config/gateway.config'];
const EXTENSIONS = ['.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.json', '.yaml', '.yml'];
const LAST_EXTENSIONS = ['.jsonc', '.json5', '.toml'];

/** The path of the file that is read; undefined if there is none. */
export function findFile(named: string | undefined, directory: string): string | undefined {
  return findWith(EXTENSIONS, named, directory) ?? findWith(LAST_EXTENSIONS, named, directory);
}

function findWith(
  extensions: readonly string[],
  named: string | undefined,
  directory: string,
): string | undefined {
  const places = named
    ? ['', ...extensions].map((extension) => named + extension)
    : NAMES.flatMap((name) => extensions.map((extension) => name + extension));
  return places.map((place) => resolve(directory, place)).find((place) => existsSync(place));
}

/**
 * The contents of the file; undefined if c12 reads it again itself.
 * @param loader must not replace a module by its default export.
 * @throws what the file throws, and TypeError if it does not hold an object.
 */
export async function readFresh(
  named: string | undefined,
  directory: string,
  loader: Loader | undefined,
): Promise<ResolvedConfig<Record<string, unknown>> | undefined> {
  const file = findFile(named, directory);
  if (file === undefined) return undefined;
  // A reload reads it again, and a pipe can be read once. c12 would look for the name of what a pipe is linked to.
  if (file !== devNull && !(await stat(file)).isFile()) throw new TypeError('it is not a regular file');
  const config = await read(file, loader);
  return config && { config, configFile: file, cwd: dirname(file) };
}

async function read(file: string, loader: Loader | undefined): Promise<Record<string, unknown> | undefined> {
  switch (extname(file)) {
    case '.json':
      return asRecord(parseJson(await readFile(file, 'utf8')));
    case '.jsonc':
      return asRecord(parseJsonc(await readFile(file, 'utf8')));
    case '.yaml':
    case '.yml':
      return isEmptyYaml(await readFile(file, 'utf8')) ? {} : undefined;
    case '.mjs':
      return resolveConfig((await import(`${pathToFileURL(file).href}?read=${performance.now()}`)).default);
    case '.cjs': {
      const require = createRequire(file);
      delete require.cache[file];
      return exported(file, require(file));
    }
    case '.js':
    case '.ts':
    case '.mts':
    case '.cts':
      return loader && exported(file, defaultExport(await loader.import(file)));
    case '.toml':
      // c12's parser takes the mark for a part of the first key.
      if ((await readFile(file, 'utf8')).startsWith(BYTE_ORDER_MARK))
        throw new TypeError('it begins with a byte order mark: save it as UTF-8 without one');
      return undefined;
    default:
      return undefined;
  }
}

/** Whether all of it is commented out, as in a file that is yet to be filled in. c12 would fail on such a file. */
function isEmptyYaml(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#|---|$)/.test(line));
}

/** What code has exported. Node and c12 take code that never says what it exports for an empty object. */
async function exported(file: string, value: unknown): Promise<Record<string, unknown>> {
  return resolveConfig((await readFile(file, 'utf8')).includes('export') ? value : undefined);
}

/** What a module exports as a whole: its default, or all of it if it is of CommonJS. */
function defaultExport(module: unknown): unknown {
  if (!isRecord(module)) return module;
  if (!('default' in module)) return isCompiled(module) ? undefined : module;
  const { default: whole } = module;
  return isCompiled(whole) ? whole['default'] : whole;
}

/** Compilers mark the exports of an ES module that they turn into CommonJS. */
function isCompiled(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && value['__esModule'] === true;
}

/** A configuration in code may be a function that returns it. */
async function resolveConfig(config: unknown): Promise<Record<string, unknown>> {
  const resolved: unknown = await (typeof config === 'function' ? config() : config);
  return asRecord(resolved, ' (code gives one with `export default`)');
}

/** The message about a file that does not hold an object. */
export const NO_OBJECT = 'it does not contain an object';

/** Takes what a file holds. @param hint ends the message. @throws TypeError if it is no object. */
export function asRecord(value: unknown, hint = ''): Record<string, unknown> {
  if (!isRecord(value)) {
    throw new TypeError(NO_OBJECT + hint);
  }
  return { ...value };
}
