/** A gateway from its configuration. */

import { Agent } from 'undici';
import { catalogOf } from './catalog/catalog.ts';
import { defaultModels } from './catalog/default.ts';
import type { Model } from './catalog/model.ts';
import type { Config } from './config/schema.ts';
import { configuredVendors, vendorsAt } from './config/vendors.ts';
import type { Gateway } from './gateway.ts';
import { hashKey, type KeyRecord, keysOf } from './keys.ts';
import { startSandbox } from './sandbox/sandbox.ts';
import type { LineMode } from './streams/line.ts';
import type { Vendors } from './vendors/vendor.ts';

export interface OpenGateway {
  readonly gateway: Gateway;
  /** Whether simulated vendors answer, since no vendor has a key. */
  readonly sandboxed: boolean;
  close(): Promise<void>;
}

/**
 * @param storedKeys keys from elsewhere than the configuration.
 * Where no vendor at all has a key, simulated ones are started and serve the whole catalog.
 */
export async function openGateway(
  config: Config,
  storedKeys: readonly KeyRecord[],
  mode: LineMode = 'fused',
): Promise<OpenGateway> {
  const configured = configuredVendors(config);
  const sandbox =
    configured.all.length === 0
      ? await startSandbox({ pace: config.sandbox.pace, models: catalogModels(config) })
      : undefined;
  const vendors = sandbox === undefined ? configured : vendorsAt(sandbox.places, config);
  // Keep-alive shorter than any vendor's own, so that a socket is not closed under a request.
  const agent = new Agent({ connect: { timeout: config.timeouts.connect }, keepAliveTimeout: 4_000 });
  const gateway: Gateway = {
    keys: keysOf([...storedKeys, ...config.keys.map(keyRecord)]),
    catalog: catalogOf(servedModels(config, vendors), config.aliases),
    vendors,
    agent,
    options: { ...config.limits, bodyLimit: config.limits.bodyBytes, ...config.timeouts },
    cors: config.cors,
    mode,
  };
  return {
    gateway,
    sandboxed: sandbox !== undefined,
    async close() {
      await agent.destroy();
      await sandbox?.close();
    },
  };
}

/** The default catalog with the configuration's models over it. */
export function catalogModels(config: Config): readonly Model[] {
  const byId = new Map(defaultModels().map((model) => [model.id, model]));
  for (const model of config.models) byId.set(model.id, model);
  return [...byId.values()];
}

/** Of those, the ones that some vendor with a key serves. */
export function servedModels(config: Config, vendors: Vendors): readonly Model[] {
  return catalogModels(config).filter((model) => vendors.serving(model) !== undefined);
}

function keyRecord({ name, key, hash, models }: Config['keys'][number]): KeyRecord {
  return { name, hash: hash ?? hashKey(key ?? ''), ...(models !== undefined && { models }) };
}
