/** What every way of serving does with a configuration: opens it, and reads it again. */

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
): Promise<Settings> {
  const settings = await readServed(environment, directory);
  if (!sandboxed && configuredVendors(settings.config).all.length === 0) {
    throw new ConfigError(
      'No vendor has a key any more, and a running gateway does not turn to simulated ones.',
    );
  }
  return settings;
}

/** How long usage, log and traces that wait may take to be written at the end, in milliseconds. */
export const LAST_WRITES = 5_000;

/** What a process that serves has beside its gateway. */
export interface Belongings {
  readonly accounts: Accounts;
  readonly watching: Watching;
  readonly teller: Diagnostics;
  readonly admin?: RunningAdmin | undefined;
}

/** A process that serves, and at its end also closes what it has beside its gateway. */
export function closingWith(serving: Serving, { accounts, watching, teller, admin }: Belongings): Serving {
  return {
    ...serving,
    async close() {
      await Promise.all([serving.close(), admin?.close()]);
      // What goes wrong from here on may find the log closed.
      teller.end();
      await watching.settle(LAST_WRITES);
      await Promise.all([accounts.close(), watching.close(LAST_WRITES)]);
    },
  };
}

/** What is in force of `next`, another configuration than that of the start: some of it stays as it was at `first`. */
export function inForce(first: Config, next: Config): Config {
  const { host, port, workers, store, redis, usage, admin, log } = first;
  // Of usage, who is asked for it counts at once.
  return { ...next, host, port, workers, store, redis, usage: { ...usage, ask: next.usage.ask }, admin, log };
}

/** Says that a configuration is in force, and what of it is not yet. @param first that of the start. */
export function tellReloaded({ info: note }: Diagnostics, first: Config, next: Config): void {
  const wanted = new Map<string, unknown>(Object.entries(next));
  const fixed = Object.entries(inForce(first, next))
    .filter(([field, value]) => field !== 'port' && !isDeepStrictEqual(value, wanted.get(field)))
    .map(([field]) => field);
  if (next.port !== 0 && next.port !== first.port)
    note('The new port takes effect when the gateway is restarted.');
  if (fixed.length > 0) note(`Changes to ${fixed.join(' and ')} take effect when the gateway is restarted.`);
  note('The configuration was reloaded and is in force.');
}
