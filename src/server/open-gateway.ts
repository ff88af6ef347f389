/** A gateway from its configuration. */

import { openIdentities } from '../access/identities/identities.ts';
import { joinKeys, type Keys, keysOf } from '../access/keys.ts';
import type { Limits } from '../access/limits/limits.ts';
import { limitsInMemory } from '../access/limits/open-limits.ts';
import { knownGroups } from '../access/principal.ts';
import { openStoredIds, type StoredIds } from '../access/stored-ids.ts';
import { grantedMemory } from '../accounting/process/granted-memory.ts';
import type { Traces } from '../accounting/traces/traces.ts';
import { charging } from '../accounting/usage/consumption.ts';
import { type RecordExchange, recording } from '../accounting/usage/ledger.ts';
import { catalogOf } from '../catalog/catalog.ts';
import { defaultModels } from '../catalog/default.ts';
import type { Model } from '../catalog/model.ts';
import type { Config } from '../config/schema.ts';
import { agentOptions, configuredVendors, type Place, vendorsAt } from '../config/vendors.ts';
import { type LogProblem, logToStderr } from '../lib/diagnostics.ts';
import type { PendingLimits } from '../pipeline/arrivals.ts';
import type { Gateway } from '../pipeline/gateway.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.ts';
import { type ChainMode, chainMode } from '../streams/chain.ts';
import type { GroupRecord, KeyRecord } from '../store/key-record.ts';
import { hashKey } from '../store/key-secret.ts';
import { openAgent } from '../upstream/agent.ts';
import { type CloudTokens, openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { openUpstreams } from '../upstream/pool/upstreams.ts';
import type { Vendors } from '../upstream/vendor.ts';

export interface OpenGateway {
  readonly gateway: Gateway;
  /** Whether simulated vendors answer, since no vendor has a key. */
  readonly sandboxed: boolean;
  close(): Promise<void>;
}

/** What a gateway has beside its configuration. */
export interface OpenOptions {
  /** Keys from elsewhere. One that the configuration has too is the configuration's. */
  readonly keys?: Keys;
  /** Absent: the configuration's keys are kept to theirs by this gateway alone. */
  readonly limits?: Limits;
  /** Whose answers have stored what at the vendors. Absent: this gateway alone knows it, and as long as it lives. */
  readonly storedIds?: StoredIds;
  /** Kept when the configuration changes. Absent: this gateway has its own. */
  readonly passes?: CloudTokens;
  /** Takes the notes of every exchange; absent: they are kept for the limits alone. */
  readonly note?: RecordExchange;
  readonly traces?: Traces;
  readonly metrics?: Gateway['metrics'];
  /** Told when the name of a vendor stood for addresses that must not be asked. */
  readonly onRefusedAddress?: () => void;
  /** Told what goes wrong with simulated vendors, with passes of its own, and with identity providers. */
  readonly tell?: LogProblem;
  /** Absent: as GATEWAY_CHAIN says (`streams` for a stream a stage), else fused. */
  readonly mode?: ChainMode;
  /** Where simulated vendors are already. */
  readonly simulated?: Readonly<Record<string, Place>>;
  /** The gateway that this one takes the place of. */
  readonly before?: Gateway;
}

/** Where no vendor at all has a key, simulated ones serve the whole catalog; they are started unless they are there. */
export async function openGateway(
  config: Config,
  {
    keys,
    limits: given,
    storedIds = openStoredIds(),
    passes: shared,
    note: taker,
    traces,
    metrics,
    onRefusedAddress,
    tell,
    mode = chainMode(process.env['GATEWAY_CHAIN']),
    simulated,
    before,
  }: OpenOptions = {},
): Promise<OpenGateway> {
  const configured = configuredVendors(config);
  const sandboxed = configured.all.length === 0;
  const sandbox = sandboxed && simulated === undefined ? await openSandbox(config, tell) : undefined;
  const places = simulated ?? sandbox?.places;
  const vendors = sandboxed && places !== undefined ? vendorsAt(places, config) : configured;
  const agent = openAgent({
    ...agentOptions(config),
    ...(onRefusedAddress !== undefined && { onRefused: onRefusedAddress }),
  });
  const upstreams = openUpstreams(vendors.all, config);
  const passes = shared ?? openCloudTokens(tell);
  const letGo = passes.hold(vendors.all);
  const groups = config.groups.map(groupRecord);
  const identities = await openIdentities(config.identities, {
    agent,
    tell: tell ?? logToStderr,
    groups: knownGroups(groups),
    before: before?.identities,
  });
  const holders = [...config.keys, ...config.groups, ...config.identities];
  const isAnyLimited = holders.some((holder) => holder.limits ?? holder.modelLimits);
  const limits = given ?? (isAnyLimited ? limitsInMemory() : undefined);
  const note = taker ?? (limits && recording(charging(limits.charge)));
  const own = keysOf(config.keys.map(keyRecord), groups);
  const gateway: Gateway = {
    keys: keys === undefined ? own : joinKeys(own, keys),
    ...(identities !== undefined && { identities }),
    storedIds,
    catalog: catalogOf(servedModels(config, vendors), config.aliases, config.fallbacks),
    vendors,
    agent,
    upstreams,
    passes,
    options: {
      ...config.limits,
      ...pendingLimits(config.limits),
      bodyLimit: config.limits.bodyBytes,
      ...config.timeouts,
      validate: config.validate,
      askUsage: config.usage.ask,
      generateContent: config.generateContent.models,
    },
    cors: config.cors,
    ...(limits !== undefined && { limits }),
    ...(note !== undefined && { note }),
    ...(traces !== undefined && { traces }),
    ...(metrics !== undefined && { metrics }),
    mode,
  };
  return {
    gateway,
    sandboxed,
    async close() {
      identities?.close();
      await agent.destroy();
      upstreams.close();
      letGo();
      await sandbox?.close();
    },
  };
}

/** What may be on its way: no more than a quarter of the memory in all, but enough for one body in any case. */
function pendingLimits({ bodyBytes, pendingBytes, pendingBytesPerKey }: Config['limits']): PendingLimits {
  // A body that grows has a copy made of it, and one over a WebSocket comes in pieces that have a size of their own.
  const least = 2 * bodyBytes;
  const inAll = Math.max(least, Math.min(pendingBytes, grantedMemory() / 4));
  return {
    pendingBytes: inAll,
    pendingBytesPerKey: Math.max(least, Math.min(pendingBytesPerKey, inAll)),
  };
}

/** Starts simulated vendors as the configuration says. Their modules are loaded here only: real vendors need none. */
export async function openSandbox(config: Config, tell?: LogProblem): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  return startSandbox({ ...sandboxOptions(config), ...(tell !== undefined && { tell }) });
}

/** What a configuration says of simulated vendors. */
export function sandboxOptions(config: Config): Pick<SandboxOptions, 'pace' | 'models'> {
  return { pace: config.sandbox.pace, models: catalogModels(config) };
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

function groupRecord({ name, models, stored, limits, modelLimits }: Config['groups'][number]): GroupRecord {
  return {
    name,
    ...(models !== undefined && { models }),
    ...(stored !== undefined && { stored }),
    ...(limits !== undefined && { limits }),
    ...(modelLimits !== undefined && { modelLimits }),
  };
}

function keyRecord({ key, hash, expires, group, ...rest }: Config['keys'][number]): KeyRecord {
  return {
    ...groupRecord(rest),
    hash: hash ?? hashKey(key ?? ''),
    ...(expires !== undefined && { expires: Date.parse(expires) }),
    ...(group !== undefined && { group }),
  };
}
