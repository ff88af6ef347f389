/**
 * Keys in files of their own, as Docker and Kubernetes mount secrets. A listing of the configuration or the environment then
 * shows no key, and another program can renew a token that expires.
 */

import { resolve } from 'node:path';
import { invalidConfig } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { isRecord } from '../lib/is-record.ts';
import { TLS_FILES } from './certificates.ts';
import type { Fields } from './environment.ts';
import { readTextFile } from './read-text-file.ts';

/** Reads a file that holds only a key. Its path is relative to the working directory of the gateway. */
export type ReadKey = (file: string, field: string) => Promise<string>;

/**
 * @param seen collects the files that are read.
 * @returns a function that reads a file. It throws ConfigError if the file cannot be read, or is empty.
 */
export function keyReader(directory: string, seen: Set<string>): ReadKey {
  return async (named, field) => {
    const file = resolve(directory, named);
    seen.add(file);
    // Most tools end a file with a line break.
    const key = (await readTextFile(field, file)).trim();
    if (key === '') throw invalidConfig(`${field}: ${file} is empty`);
    return key;
  };
}

/**
 * The fields of a configuration, with what they have in files: `apiKey` of vendors and their upstreams, and the
 * certificates of `tls`, wherever it is. @throws ConfigError
 */
export async function withKeyFiles(values: Fields, read: ReadKey): Promise<Fields> {
  const { vendors, admin } = values;
  return {
    ...(await withOwnCertificate(values, 'tls', read)),
    ...(isRecord(admin) && { admin: await withOwnCertificate(admin, 'admin.tls', read) }),
    ...(isRecord(vendors) && { vendors: await withVendorKeys(vendors, read) }),
  };
}

/** The fields beside a `tls` of the gateway itself, with its files read. @param field the full name of that `tls` */
async function withOwnCertificate(fields: Fields, field: string, read: ReadKey): Promise<Fields> {
  const { tls } = fields;
  return isRecord(tls) ? { ...fields, tls: await withCertificates(tls, field, read) } : fields;
}

async function withVendorKeys(vendors: Fields, read: ReadKey): Promise<Fields> {
  const keyed = async (given: unknown, field: string): Promise<unknown> => {
    if (!isRecord(given)) return given;
    const { apiKeyFile: file, upstreams } = given;
    const several = {
      ...(Array.isArray(upstreams) && {
        upstreams: await Promise.all(upstreams.map((each, at) => keyed(each, `${field}.upstreams.${at}`))),
      }),
      ...(isRecord(given['tls']) && { tls: await withCertificates(given['tls'], `${field}.tls`, read) }),
    };
    if (typeof file !== 'string') return { ...given, ...several };
    if (given['apiKey'] !== undefined)
      throw invalidConfig(`${field}: needs either apiKey or apiKeyFile, not both`);
    return { ...given, ...several, apiKey: await read(file, `${field}.apiKeyFile`) };
  };
  const entries = Object.entries(vendors).map(
    async ([name, vendor]) => [name, await keyed(vendor, `vendors.${name}`)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** The fields of `tls`, with each certificate and key read from its file. */
async function withCertificates(tls: Fields, field: string, read: ReadKey): Promise<Fields> {
  const added: Record<string, string> = {};
  for (const name of TLS_FILES) {
    const file = tls[`${name}File`];
    if (typeof file !== 'string') continue;
    if (tls[name] !== undefined)
      throw invalidConfig(`${field}: needs either ${name} or ${name}File, not both`);
    added[name] = await read(file, `${field}.${name}File`);
  }
  return { ...tls, ...added };
}

/** The environment, with each of `names` read from the file that `<name>_FILE` names, if it is set. @throws ConfigError */
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
    if (environment[name]) throw invalidConfig(`${field}: ${name} is also set, but only one of them may be`);
    added[name] = await read(file, field);
  }
  return Object.keys(added).length === 0 ? environment : { ...environment, ...added };
}
