/**
 * Reads configuration files without a cache. c12 leaves some kinds to Node's own loader, which returns what it read the
 * first time for as long as the process lives, so a reload would not see a change.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ResolvedConfig } from 'c12';
import { isRecord } from './environment.ts';

/** Where c12 looks, in its order (its README, "Config lookup"). It reads the kinds that are not listed here again itself. */
const NAMES = ['gateway.config', '.config/gateway', '.config/gateway.config'];
const EXTENSIONS = ['.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.json', '.yaml', '.yml'];

/** The contents of the file; undefined if c12 reads it again itself. @throws what the file throws. */
export async function readFresh(
  named: string | undefined,
  directory: string,
): Promise<ResolvedConfig<Record<string, unknown>> | undefined> {
  const places = named ? [named] : NAMES.flatMap((name) => EXTENSIONS.map((extension) => name + extension));
  const file = places.map((place) => resolve(directory, place)).find((place) => existsSync(place));
  if (file === undefined) return undefined;
  const config = await read(file);
  return config && { config, configFile: file, cwd: dirname(file) };
}

async function read(file: string): Promise<Record<string, unknown> | undefined> {
  switch (extname(file)) {
    case '.json':
      return asRecord(parseJson(await readFile(file, 'utf8')));
    case '.yaml':
    case '.yml':
      return isEmptyYaml(await readFile(file, 'utf8')) ? {} : undefined;
    case '.mjs':
      return resolveConfig((await import(`${pathToFileURL(file).href}?read=${performance.now()}`)).default);
    case '.cjs': {
      const require = createRequire(file);
      delete require.cache[file];
      return resolveConfig(require(file));
    }
    default:
      return undefined;
  }
}

/** Node's own message may quote the file, and the text next to the mistake may be a key. */
function parseJson(text: string): unknown {
  try {
    // Editors on Windows write a byte order mark, which is not JSON (RFC 8259, 8.1: parsers may ignore it).
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const place = /line \d+ column \d+/.exec(String(error))?.[0];
    throw new SyntaxError(place === undefined ? 'it is not valid JSON' : `it is not valid JSON (${place})`);
  }
}

/** Whether all of it is commented out, as in a file that is yet to be filled in. c12 would fail on such a file. */
function isEmptyYaml(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:#|---|$)/.test(line));
}

/** A configuration may be a function that returns it. */
async function resolveConfig(config: unknown): Promise<Record<string, unknown>> {
  return asRecord(typeof config === 'function' ? await config() : config);
}

function asRecord(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) {
    throw new TypeError('it does not contain an object');
  }
  return { ...value };
}
