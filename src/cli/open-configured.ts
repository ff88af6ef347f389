/** How a process that serves opens its configuration, reloads it, and closes what it has opened. */

import { isDeepStrictEqual } from 'node:util';
import { readServed, type Settings } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors } from '../config/vendors.ts';
import { ConfigError } from '../lib/config-error.ts';
import type { Diagnostics } from '../lib/diagnostics.ts';
import type { Environment } from '../lib/environment.ts';
import type { RunningAdmin } from '../server/http/admin/serve-admin.ts';
import { type OpenOptions, openGateway } from '../server/open-gateway.ts';
import type { Accounts } from '../server/process/accounts.ts';
import type { Opened, Serving } from '../server/process/serving.ts';
import type { Watching } from '../server/process/watching.ts';

/** The environment and the directory that a configuration is read from. */
export interface Surroundings {
  readonly environment: Environment;
  readonly directory: string;
}

/** Opens a gateway. @param options what the process has besides the configuration, and keeps when that changes. */
export async function openConfigured(config: Config, options: OpenOptions): Promise<Opened> {
  return { config, ...(await openGateway(config, options)) };
}

/**
 * Reads the configuration again.
 * @param sandboxed whether simulated vendors serve: they never replace real ones in a running gateway.
 * @throws ConfigError if it is not valid, or has no vendor any more.
 */
export async function rereadSettings(
  { environment, directory }: Surroundings,
  sandboxed: boolean,
): Promise<Settings> {
  const settings = await readServed(environment, directory);
  if (!sandboxed && configuredVendors(settings.config).all.length === 0) {
    throw new ConfigError(
      'No vendor has a key any more, and a running gateway does not switch to simulated vendors.',
    );
  }
  return settings;
}

/** How long pending usage, log lines and traces may take to be written at shutdown, in milliseconds. */
export const LAST_WRITES = 5_000;

/** What a process that serves has besides its gateway. */
export interface Belongings {
  readonly accounts: Accounts;
  readonly watching: Watching;
  readonly diagnostics: Diagnostics;
  readonly admin?: RunningAdmin | undefined;
}

/** A process that serves and, when it is closed, also closes what it has besides its gateway. */
export function closingWith(
  serving: Serving,
  { accounts, watching, diagnostics, admin }: Belongings,
): Serving {
  return {
    ...serving,
    async close() {
      await Promise.all([serving.close(), admin?.close()]);
      // From here on, a problem may find the log closed.
      diagnostics.end();
      await watching.settle(LAST_WRITES);
      await Promise.all([accounts.close(), watching.close(LAST_WRITES)]);
    },
  };
}

/** The configuration in force after a reload: `next`, except for what takes a restart to change, which stays as in `first`. */
export function inForce(first: Config, next: Config): Config {
  const { host, port, workers, store, redis, usage, admin, log } = first;
  // `usage.ask` is the one field of `usage` that applies at once.
  return { ...next, host, port, workers, store, redis, usage: { ...usage, ask: next.usage.ask }, admin, log };
}

/** Reports that a configuration was reloaded, and which of its changes take a restart. @param first the configuration of the start. */
export function tellReloaded({ info }: Diagnostics, first: Config, next: Config): void {
  const given = new Map<string, unknown>(Object.entries(next));
  const fixed = Object.entries(inForce(first, next))
    .filter(([field, value]) => field !== 'port' && !isDeepStrictEqual(value, given.get(field)))
    .map(([field]) => field);
  if (next.port !== 0 && next.port !== first.port)
    info('The new port takes effect when the gateway is restarted.');
  if (fixed.length > 0) info(`Changes to ${fixed.join(' and ')} take effect when the gateway is restarted.`);
  info('The configuration was reloaded and is in force.');
}
