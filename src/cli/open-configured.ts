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
import type { Observability } from '../server/process/observability.ts';
import type { ConfiguredGateway, Serving } from '../server/process/serving.ts';
import type { StoreAccess } from '../server/process/store-access.ts';
import { isSameDatabase } from '../store/postgres.ts';
import { findExpiredCertificates } from './config-notes.ts';

/** The environment and the directory that a configuration is read from. */
export interface StartContext {
  readonly environment: Environment;
  readonly directory: string;
}

/** Opens a gateway. @param options what the process has besides the configuration, and keeps when that changes. */
export async function openConfigured(config: Config, options: OpenOptions): Promise<ConfiguredGateway> {
  return { config, ...(await openGateway(config, options)) };
}

/**
 * Reads the configuration again.
 * @param before the settings in force.
 * @param sandboxed whether simulated vendors serve: they never replace real ones in a running gateway.
 * @param files collects the files that are read, also if the configuration is refused.
 * @throws ConfigError if it is not valid, if it has no vendor any more, or if its file sets nothing any more: an editor may
 *   have emptied it, or a mount be gone, and every key would be refused.
 */
export async function rereadSettings(
  { environment, directory }: StartContext,
  before: Pick<Settings, 'setsNothing' | 'file'>,
  sandboxed: boolean,
  files: Set<string>,
): Promise<Settings> {
  const settings = await readServed(environment, directory, files);
  if (settings.setsNothing && !before.setsNothing) {
    throw new ConfigError(
      `The configuration file ${before.file} sets nothing any more. If that is meant, restart the gateway.`,
    );
  }
  if (!sandboxed && configuredVendors(settings.config).all.length === 0) {
    throw new ConfigError(
      'No vendor has a key any more, and a running gateway does not switch to simulated vendors.',
    );
  }
  return settings;
}

/** How long pending usage, log lines and traces may take to be written at shutdown, in milliseconds. */
export const FLUSH_TIME = 5_000;

/** What a process that serves has besides its gateway. */
export interface ClosedWithGateway {
  readonly accounts: StoreAccess;
  readonly watching: Observability;
  readonly diagnostics: Diagnostics;
  readonly admin?: RunningAdmin | undefined;
}

/** A process that serves and, when it is closed, also closes what it has besides its gateway. */
export function closingWith(
  serving: Serving,
  { accounts, watching, diagnostics, admin }: ClosedWithGateway,
): Serving {
  return {
    ...serving,
    async close() {
      await Promise.all([serving.close(), admin?.close()]);
      // From here on, a problem may find the log closed.
      diagnostics.end();
      await watching.flush(FLUSH_TIME);
      await Promise.all([accounts.close(), watching.close(FLUSH_TIME)]);
    },
  };
}

/**
 * The configuration in force after a reload: `next`, except for what takes a restart to change, which stays as in `first`.
 * Of PostgreSQL and Redis, the user and the password may change.
 * @param before what was in force before. The admin API is open or not, and by https or not, from the start on; its
 *   key and its certificate may change.
 */
export function keepFixedSettings(
  first: Config,
  next: Config,
  before: Pick<Config, 'admin' | 'store' | 'redis'> = first,
): Config {
  const { host, port, workers, usage, audit, admin, log } = first;
  const { store, redis } = before;
  const adminKey = before.admin.key;
  const key = adminKey && (next.admin.key ?? adminKey);
  const certificate = admin.tls && (next.admin.tls ?? admin.tls);
  return {
    ...next,
    ...{ host, port, workers, audit, log },
    store: { ...store, ...renewedAddress(store, next.store) },
    redis: { ...redis, ...renewedAddress(redis, next.redis) },
    // `usage.ask` is the one field of `usage` that applies at once.
    usage: { ...usage, ask: next.usage.ask },
    admin: {
      ...admin,
      ...(key !== undefined && { key }),
      ...(certificate !== undefined && { tls: certificate }),
    },
  };
}

interface Addressed {
  readonly url?: string;
}

/** The address with another user or password for the same database. */
function renewedAddress(first: Addressed, next: Addressed): Addressed {
  return first.url !== undefined && next.url !== undefined && isSameDatabase(first.url, next.url)
    ? { url: next.url }
    : {};
}

/** Makes later connections to PostgreSQL and Redis as a configuration in force says. */
export function renewAddresses(
  { store, redis }: Pick<Config, 'store' | 'redis'>,
  { accounts, watching }: Pick<ClosedWithGateway, 'accounts' | 'watching'>,
): void {
  if (redis.url !== undefined) accounts.renewRedis(redis.url);
  if (store.url === undefined) return;
  accounts.renewAddress(store.url);
  watching.renewAddress(store.url);
}

/**
 * Reports in one line that a configuration was reloaded, and which of its changes take a restart; and in one more each
 * certificate that has expired.
 * @param first the configuration of the start.
 */
export function logReload(
  { info, problem }: Pick<Diagnostics, 'info' | 'problem'>,
  first: Config,
  next: Config,
): void {
  const given = new Map<string, unknown>(Object.entries(next));
  const fixed = Object.entries(keepFixedSettings(first, next))
    .filter(([field, value]) => field !== 'port' && !isDeepStrictEqual(value, given.get(field)))
    .map(([field]) => field);
  // With port 0, the port of the start is the one that was free.
  if (next.port !== 0 && next.port !== first.port) fixed.push('port');
  const rest =
    fixed.length === 0 ? '' : ` Changes to ${joinWords(fixed)} take effect when the gateway is restarted.`;
  info(`The configuration was reloaded and is in force.${rest}`);
  for (const note of findExpiredCertificates(next)) problem(note);
}

/** `a`, `a and b`, `a, b, and c`. */
function joinWords(words: readonly string[]): string {
  return new Intl.ListFormat('en').format(words);
}
