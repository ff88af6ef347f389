/** What every way of serving does with a configuration: opens it, and reads it again. */

import { isDeepStrictEqual } from 'node:util';
import type { Accounts } from '../accounts.ts';
import type { RunningAdmin } from '../admin/serve-admin.ts';
import { ConfigError, type Environment, readSettings } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors } from '../config/vendors.ts';
import { type OpenOptions, openGateway } from '../open.ts';
import type { Opened, Serving } from '../serving.ts';
import type { Watching } from '../watching.ts';

/** Where a configuration is read from. */
export interface Surroundings {
  readonly environment: Environment;
  readonly directory: string;
}

/** Opens a gateway. @param company what the process has beside the configuration, and keeps when that changes. */
export async function openConfigured(config: Config, company: OpenOptions): Promise<Opened> {
  return { config, ...(await openGateway(config, company)) };
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

/** How long usage, log and traces that wait may take to be written at the end, in milliseconds. */
const LAST_WRITES = 5_000;

/** A process that serves, and at its end also closes what it has beside its gateway. */
export function closingWith(
  serving: Serving,
  accounts: Accounts,
  watching: Watching,
  admin?: RunningAdmin,
): Serving {
  return {
    ...serving,
    async close() {
      await Promise.all([serving.close(), admin?.close()]);
      await Promise.all([accounts.close(LAST_WRITES), watching.close(LAST_WRITES)]);
    },
  };
}

/** Says what goes wrong with the store while others are served. */
export function tellTrouble(message: string): void {
  console.error(message);
}

/** Says that a configuration is in force, and what of it is not yet. @param first that of the start. */
export function tellReloaded(first: Config, next: Config): void {
  const fixed = (['host', 'workers', 'store', 'redis', 'usage', 'admin'] as const).filter(
    (field) => !isDeepStrictEqual(first[field], next[field]),
  );
  if (next.port !== 0 && next.port !== first.port) console.log('The new port counts from the next start.');
  if (fixed.length > 0) console.log(`The new ${fixed.join(' and ')} counts from the next start.`);
  console.log('The configuration was read again, and is in force.');
}
