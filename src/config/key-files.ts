/**
 * Keys in files of their own, as Docker and Kubernetes mount secrets: whoever lists the configuration or the environment
 * sees no key, and a token that expires is kept fresh by whoever writes its file.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { invalidConfig } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { type Fields, isRecord } from './environment.ts';

/** Reads a file that holds nothing else. Its path is relative to the directory that the gateway runs in. */
export type ReadKey = (file: string, field: string) => Promise<string>;

/**
 * @param seen learns of each file that is read.
 * @returns what reads a file. It throws ConfigError where there is none, or nothing in it.
 */
export function keyReader(directory: string, seen: Set<string>): ReadKey {
  return async (named, field) => {
    const file = resolve(directory, named);
    seen.add(file);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw invalidConfig(`${field}: ${file} cannot be read (${error.code})`);
    });
    // Most ways to write a file end it with a line break.
    const key = text.trim();
    if (key === '') throw invalidConfig(`${field}: ${file} is empty`);
    return key;
  };
}

/** What a configuration file says, with the keys that stand in files: `apiKeyFile` of vendors and their upstreams. @throws ConfigError */
export async function withVendorKeys(values: Fields, read: ReadKey): Promise<Fields> {
  const { vendors } = values;
  if (!isRecord(vendors)) return values;
  const keyed = async (given: unknown, field: string): Promise<unknown> => {
    if (!isRecord(given)) return given;
    const { apiKeyFile: file, upstreams } = given;
    const several = Array.isArray(upstreams)
      ? { upstreams: await Promise.all(upstreams.map((each, at) => keyed(each, `${field}.upstreams.${at}`))) }
      : {};
    if (typeof file !== 'string') return { ...given, ...several };
    if (given['apiKey'] !== undefined)
      throw invalidConfig(`${field}: needs either apiKey or apiKeyFile, and not both`);
    return { ...given, ...several, apiKey: await read(file, `${field}.apiKeyFile`) };
  };
  const entries = Object.entries(vendors).map(
    async ([name, vendor]) => [name, await keyed(vendor, `vendors.${name}`)] as const,
  );
  return { ...values, vendors: Object.fromEntries(await Promise.all(entries)) };
}

/** The environment with what stands in files: of `names`, each may be said by `<name>_FILE`. @throws ConfigError */
export async function withFiles(
  environment: Environment,
  names: readonly string[],
  read: ReadKey,
): Promise<Environment> {
  const added: Record<string, string> = {};
  for (const name of names) {
    const field = `${name}_FILE`;
    const file = environment[field];
    if (!file) continue;
    if (environment[name]) throw invalidConfig(`${field}: ${name} is set too, and only one of them can be`);
    added[name] = await read(file, field);
  }
  return Object.keys(added).length === 0 ? environment : { ...environment, ...added };
}
