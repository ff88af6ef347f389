/** What every way of serving does with a configuration: opens it, and reads it again. */

import { storedKeys } from '../config/key-store.ts';
import { ConfigError, type Environment, readSettings } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors, type Place } from '../config/vendors.ts';
import { openGateway } from '../open.ts';
import type { Opened } from '../serving.ts';

/** Where a configuration is read from. */
export interface Surroundings {
  readonly environment: Environment;
  readonly directory: string;
}

/** Opens a gateway with the keys that are stored now. @param simulated where simulated vendors are already. */
export async function openConfigured(
  config: Config,
  directory: string,
  simulated?: Readonly<Record<string, Place>>,
): Promise<Opened> {
  const keys = await storedKeys(directory);
  return { config, ...(await openGateway(config, keys, 'fused', simulated)) };
}

/**
 * The configuration as it is now.
 * @param sandboxed whether simulated vendors serve: they never come in the place of real ones.
 * @throws ConfigError
 */
export async function rereadSettings(
  { environment, directory }: Surroundings,
  sandboxed: boolean,
): Promise<Config> {
  const { config } = await readSettings(environment, directory);
  if (!sandboxed && configuredVendors(config).all.length === 0) {
    throw new ConfigError('No vendor has a key any more, and simulated ones serve from a start only.');
  }
  return config;
}

/** Says that a configuration is in force, and what of it is not yet. @param first that of the start. */
export function tellReloaded(first: Config, next: Config): void {
  const fixed = (['host', 'workers'] as const).filter((field) => first[field] !== next[field]);
  if (next.port !== 0 && next.port !== first.port) console.log('The new port counts from the next start.');
  if (fixed.length > 0) console.log(`The new ${fixed.join(' and ')} counts from the next start.`);
  console.log('The configuration was read again, and is in force.');
}
