/** The configuration: a file, and over it what the environment says. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from 'c12';
import { namePrefix } from '../access/identities/claims.ts';
import { defaultModels } from '../catalog/default.ts';
import { ConfigError, invalidConfig } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { zodMessages } from '../lib/zod-messages.ts';
import { hashKey } from '../store/key-secret.ts';
import { isEveryAddress } from '../upstream/net/loopback.ts';
import { refuseCredentials } from './credentials.ts';
import { filledIn, SECRETS, variableOf, withEnvironment } from './environment.ts';
import { foreignGateway } from './foreign.ts';
import { keyReader, withFiles, withVendorKeys } from './key-files.ts';
import { readFresh } from './read-fresh.ts';
import { type Config, configSchema } from './schema.ts';
import { vendorAtItself, vendorWithoutAddress } from './vendors.ts';

/** A configuration, and the files it is from: its own, if there is one, and those of keys. */
export interface Settings {
  readonly config: Config;
  readonly files: readonly string[];
}

/**
 * Reads `gateway.config.*` in `directory`, or the file that GATEWAY_CONFIG names, and the environment.
 * @throws ConfigError whose message is one line.
 */
export async function readConfig(environment: Environment, directory: string): Promise<Config> {
  const { config } = await readSettings(environment, directory);
  return config;
}

/** Like `readConfig`, with the files. Reads them anew every time. @throws ConfigError */
export async function readSettings(environment: Environment, directory: string): Promise<Settings> {
  const { values, file } = await readFile(environment['GATEWAY_CONFIG'], directory);
  const gateway = foreignGateway(values);
  if (gateway !== undefined) {
    throw invalidConfig(
      `it is one of ${gateway}'s, and ${file} is read as this gateway's own: docs/coming-from.md has what is called how here`,
    );
  }
  const files = new Set(file === undefined ? [] : [file]);
  const read = keyReader(directory, files);
  const told = await withFiles(environment, SECRETS, read);
  const filled = isData(file) ? filledIn(values, told) : { values, unset: [] };
  if (filled.unset.length > 0) throw notValid(filled.unset, () => undefined);
  const given = withEnvironment(await withVendorKeys(filled.values, read), told);
  const parsed = configSchema.safeParse(given, { error: zodMessages });
  if (!parsed.success) throw notValid(parsed.error.issues, (path) => variableOf(path, given, told));
  const { data: config } = parsed;
  for (const [alias, id] of Object.entries(config.aliases)) {
    if (!alias.includes('/'))
      throw invalidConfig(`aliases.${alias}: the alias must be <vendor>/<model_name> (it stands for ${id})`);
  }
  refuseTwice(config.models.map((model) => model.id));
  refuseUnknown(config);
  refuseNowhere(config);
  refuseGroups(config);
  refuseSameIdentity(config);
  refuseSameKey(config, (path) => variableOf(path, given, told));
  refuseSamePort(config);
  await refuseCredentials(config.vendors, environment, directory);
  return { config, files: [...files] };
}

/**
 * Like `readSettings`, for whoever serves by them. A shell may say to clients where this gateway is by the variables that
 * say to the gateway where vendors are (OPENAI_BASE_URL): it would ask itself, and that one itself, without an end.
 * @throws ConfigError
 */
export async function readServed(environment: Environment, directory: string): Promise<Settings> {
  const settings = await readSettings(environment, directory);
  const name = vendorAtItself(settings.config);
  if (name === undefined) return settings;
  const issue = { path: ['vendors', name, 'baseUrl'], message: 'is the address of this gateway itself' };
  throw notValid([issue], (path) => variableOf(path, {}, environment));
}

/** @param variableFor the variable that a field is from, if it is from one. */
function notValid(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
  variableFor: (path: readonly PropertyKey[]) => string | undefined,
): ConfigError {
  const told = issues.map(({ path, message }) => {
    const variable = variableFor(path);
    const field = path.length === 0 ? '' : `${path.join('.')}: `;
    return `${field}${message}${variable === undefined ? '' : ` (${variable})`}`;
  });
  return invalidConfig(told.join('; '));
}

function refuseTwice(ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    const folded = id.toLowerCase();
    if (seen.has(folded)) throw invalidConfig(`models: ${id} is listed more than once`);
    seen.add(folded);
  }
}

/** What nobody knows would be noticed by those who use it, and a fallback on the day it is needed. */
function refuseUnknown({ fallbacks, models, aliases, vendors }: Config): void {
  const catalog = [...defaultModels(), ...models];
  const known = new Set<string>();
  for (const model of catalog) {
    for (const id of [model.id, ...(model.aliases ?? [])]) known.add(id.toLowerCase());
  }
  const refuse = (field: string, id: string): void => {
    if (!known.has(id.toLowerCase())) throw invalidConfig(`${field}: the catalog has no model ${id}`);
  };
  // Looked for by the model's own name, in lower case as ids are.
  const ids = new Set(catalog.map(({ id }) => id));
  const refuseName = (field: string, vendor: string, name: string): void => {
    const id = name.includes('/') ? name : `${vendor}/${name}`;
    if (name !== '*' && !ids.has(id)) throw invalidConfig(`${field}.${name}: the catalog has no model ${id}`);
  };
  // In their order, as the catalog takes them: one may stand for another that stands before it.
  for (const [alias, id] of Object.entries(aliases)) {
    refuse(`aliases.${alias}`, id);
    known.add(alias.toLowerCase());
  }
  for (const [id, others] of Object.entries(fallbacks)) {
    for (const name of [id, ...others]) refuse(`fallbacks.${id}`, name);
  }
  for (const [vendor, { names, upstreams }] of Object.entries(vendors)) {
    const field = `vendors.${vendor}`;
    for (const name of Object.keys(names ?? {})) refuseName(`${field}.names`, vendor, name);
    for (const [at, upstream] of upstreams.entries()) {
      for (const name of Object.keys(upstream.names ?? {}))
        refuseName(`${field}.upstreams.${at}.names`, vendor, name);
    }
  }
}

/** Its key would be there for nothing: where it is the only one, simulated vendors would answer in its place. */
function refuseNowhere(config: Config): void {
  const name = vendorWithoutAddress(config);
  if (name === undefined) return;
  const variable = name === 'compatible' ? ' (COMPATIBLE_BASE_URL)' : '';
  throw invalidConfig(`vendors.${name}.baseUrl: is required, because this vendor has a key${variable}`);
}

/** A key of a group that there is not would be without its limits; of two of one name, one would not count. */
function refuseGroups({ groups, keys, identities }: Config): void {
  const names = new Set<string>();
  for (const { name } of groups) {
    if (names.has(name)) throw invalidConfig(`groups: ${name} is listed more than once`);
    names.add(name);
  }
  for (const [index, { name, group }] of keys.entries()) {
    if (group === undefined || names.has(group)) continue;
    throw invalidConfig(
      `keys.${index}.group: there is no group ${group} in groups, and the key ${name} is to be of it`,
    );
  }
  for (const [index, { name, group }] of identities.entries()) {
    const field = `identities.${index}.group`;
    if (typeof group === 'string' && !names.has(group))
      throw invalidConfig(
        `${field}: there is no group ${group} in groups, and callers of ${name} are to be of it`,
      );
    if (typeof group === 'object' && names.size === 0)
      throw invalidConfig(`${field}: there are no groups that a claim could name`);
  }
}

/** Only one of them would be found, and what the other one may do would not count. */
function refuseSameKey(
  { keys }: Config,
  variableFor: (path: readonly PropertyKey[]) => string | undefined,
): void {
  const seen = new Map<string, number>();
  for (const [index, { key, hash = hashKey(key ?? '') }] of keys.entries()) {
    const first = seen.get(hash);
    if (first !== undefined)
      throw notValid([{ path: ['keys', index], message: `is the same key as keys.${first}` }], variableFor);
    seen.set(hash, index);
  }
}

/** A token is looked at by one of them only, and whose callers they are is told by their name. */
function refuseSameIdentity({ identities, keys }: Config): void {
  for (const [index, { name, issuer }] of identities.entries()) {
    const field = `identities.${index}`;
    const others = identities.slice(0, index);
    const sameName = others.findIndex((other) => other.name === name);
    if (sameName >= 0) throw invalidConfig(`${field}.name: is that of identities.${sameName} too`);
    const sameIssuer = others.findIndex((other) => other.issuer === issuer);
    if (sameIssuer >= 0) throw invalidConfig(`${field}.issuer: is that of identities.${sameIssuer} too`);
    const key = keys.findIndex((one) => one.name.startsWith(namePrefix(name)));
    if (key >= 0)
      throw invalidConfig(`keys.${key}.name: must not begin as those of the callers of ${field} do`);
  }
}

/** The second to listen would end the start, with an error that names neither. */
function refuseSamePort({ host, port, admin }: Config): void {
  const isSame = admin.host === host || isEveryAddress(admin.host) || isEveryAddress(host);
  if (admin.key === undefined || port === 0 || admin.port !== port || !isSame) return;
  throw invalidConfig(`admin.port: must be another than port, which is ${port} too`);
}

async function readFile(
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
    // Not by c12's configFileRequired: it takes what `resolve` has found for missing.
    if (named && !exists) throw new Error(`${resolve(directory, named)} does not exist`);
    return { values: config ?? {}, ...(exists && { file: configFile }) };
  } catch (error) {
    throw new ConfigError(`The configuration file cannot be read: ${reasonOf(error)}`);
  }
}

/** Whether a file is one that cannot read the environment by itself. */
function isData(file: string | undefined): boolean {
  return file !== undefined && /\.(?:json[5c]?|ya?ml|toml)$/.test(file);
}

/** The first line of what went wrong; jiti tells the place in the second (` /gateway.config.ts:4:0`). */
function reasonOf(error: unknown): string {
  const [first = '', second = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const [, line, column] = /:(\d+):(\d+)$/.exec(second.trimEnd()) ?? [];
  return `${first.trim()}${line === undefined ? '' : ` (line ${line} column ${column})`}`;
}
