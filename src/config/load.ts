/** Reads the configuration: a file, and the environment, which overrides it. */

import { commandLine } from '../lib/command-line.ts';
import { invalidConfig, namingFile } from '../lib/config-error.ts';
import type { Environment } from '../lib/environment.ts';
import { zodMessages } from '../lib/zod-messages.ts';
import { checkConfig, invalidFields } from './check-config.ts';
import { checkCredentials } from './check-credentials.ts';
import { isDataFile, readConfigFile } from './config-file.ts';
import { type ConfigEntry, describeConfig } from './describe-config.ts';
import { type Fields, filledIn, findVariable, SECRETS, withEnvironment } from './environment.ts';
import { foreignGateway } from './foreign.ts';
import { keyReader, type ReadKey, withFiles, withKeyFiles } from './key-files.ts';
import { type Config, configSchema } from './schema.ts';
import { withTypes } from './variable-types.ts';
import { vendorAtItself } from './vendors.ts';

/** A configuration, and the files that it was read from: its own, if there is one, and those of keys. */
export interface Settings {
  readonly config: Config;
  readonly files: readonly string[];
  /** The configuration file; absent if there is none. */
  readonly file?: string | undefined;
  /** Whether there is no file, or it sets nothing. */
  readonly setsNothing: boolean;
  /** Says where each value comes from. */
  describe(): readonly ConfigEntry[];
}

/**
 * Reads `gateway.config.*` in `directory`, or the file that GATEWAY_CONFIG names, and the environment.
 * @throws ConfigError whose message is one line.
 */
export async function readConfig(environment: Environment, directory: string): Promise<Config> {
  const { config } = await readSettings(environment, directory);
  return config;
}

/** Like `readConfig`, with the files. Every call reads them again. @throws ConfigError */
export function readSettings(environment: Environment, directory: string): Promise<Settings> {
  return readFor(environment, directory, new Set(), () => {});
}

/**
 * @param files collects the files that are read, also if one of them is refused.
 * @param check throws ConfigError if a valid configuration is not fit for what it is read for.
 */
async function readFor(
  environment: Environment,
  directory: string,
  files: Set<string>,
  check: (config: Config) => void,
): Promise<Settings> {
  const found = await readConfigFile(environment['GATEWAY_CONFIG'], directory, environment);
  const { values, file } = found;
  const gateway = foreignGateway(values);
  if (gateway !== undefined) {
    throw invalidConfig(
      `${file} is a configuration of ${gateway}. To turn it into one of this gateway (docs/coming-from.md): ${commandLine(environment, `import ${file}`)}`,
    );
  }
  if (file !== undefined) files.add(file);
  const read = keyReader(directory, files);
  const variables = await withFiles(environment, SECRETS, read);
  try {
    const settings = await settle(found, { environment, variables, directory, files, read });
    check(settings.config);
    return settings;
  } catch (error) {
    throw namingFile(error, file);
  }
}

/** What is at hand while a configuration is read. */
interface Reading {
  readonly environment: Environment;
  /** The environment, with secrets from the files that it names. */
  readonly variables: Environment;
  readonly directory: string;
  /** The files that were read; `read` adds to them. */
  readonly files: ReadonlySet<string>;
  readonly read: ReadKey;
}

/** Makes a configuration of what the file and the environment say. @throws ConfigError */
async function settle(
  { values, file }: Awaited<ReturnType<typeof readConfigFile>>,
  { environment, variables, directory, files, read }: Reading,
): Promise<Settings> {
  const filled = isDataFile(file) ? filledIn(values, variables) : undefined;
  if (filled && filled.unfilled.length > 0) throw invalidFields(filled.unfilled, () => undefined);
  const written = await withKeyFiles(filled?.values ?? values, read);
  const config = parseConfig(written, variables, filled?.fromVariables);
  await checkCredentials(config.vendors, environment, directory);
  return {
    config,
    files: [...files],
    file,
    setsNothing: Object.keys(values).length === 0,
    describe: () => describeConfig(config, withEnvironment(written, variables), variables),
  };
}

/**
 * Parses a configuration, in which the environment overrides fields. Files that it names are not read.
 * @param fromVariables the paths of texts that may be numbers or booleans (`filledIn`).
 * @throws ConfigError
 */
export function parseConfig(
  values: Fields,
  environment: Environment,
  fromVariables: ReadonlySet<string> = new Set(),
): Config {
  const parse = (fields: Fields) => configSchema.safeParse(fields, { error: zodMessages });
  let written = withEnvironment(values, environment);
  let parsed = parse(written);
  if (!parsed.success && fromVariables.size > 0) {
    written = withTypes(written, parsed.error.issues, fromVariables);
    parsed = parse(written);
  }
  if (!parsed.success)
    throw invalidFields(parsed.error.issues, (path) => findVariable(path, written, environment));
  const { data: config } = parsed;
  checkConfig(config, (path) => findVariable(path, written, environment));
  return config;
}

/** Reads a configuration that a program gives, with the files that it names. @throws ConfigError */
export async function readGiven(
  values: Fields,
  environment: Environment,
  directory: string,
): Promise<Config> {
  const read = keyReader(directory, new Set());
  const variables = await withFiles(environment, SECRETS, read);
  const config = parseConfig(await withKeyFiles(values, read), variables);
  await checkCredentials(config.vendors, environment, directory);
  return config;
}

/**
 * Like `readSettings`, for commands that serve. A shell may set OPENAI_BASE_URL to the address of this gateway, for clients.
 * The gateway reads the same variable as the address of the vendor, and would call itself without end.
 * @param files collects the files that are read, also if the configuration is refused.
 * @throws ConfigError
 */
export function readServed(
  environment: Environment,
  directory: string,
  files = new Set<string>(),
): Promise<Settings> {
  return readFor(environment, directory, files, (config) => {
    const name = vendorAtItself(config);
    if (name === undefined) return;
    const issue = { path: ['vendors', name, 'baseUrl'], message: 'is the address of this gateway itself' };
    throw invalidFields([issue], (path) => findVariable(path, {}, environment));
  });
}
