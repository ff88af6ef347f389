/** Opens a gateway from its configuration. */

import { openIdentities } from '../access/identities/identities.ts';
import { joinKeys, type Keys, openKeys } from '../access/keys.ts';
import type { Limits } from '../access/limits/limits.ts';
import { limitsInMemory } from '../access/limits/open-limits.ts';
import { groupsByName } from '../access/principal.ts';
import { openStoredIds, type StoredIds } from '../access/stored-ids.ts';
import { grantedMemory } from '../accounting/process/granted-memory.ts';
import type { Traces } from '../accounting/traces/traces.ts';
import type { ReadCallerUsage } from '../accounting/usage/caller-usage.ts';
import type { RecordExchange } from '../accounting/usage/closed-ledger.ts';
import { charging } from '../accounting/usage/consumption.ts';
import { recording } from '../accounting/usage/make-record.ts';
import { makeCatalog } from '../catalog/catalog.ts';
import { catalogModels, servedModels } from '../config/models.ts';
import type { Config } from '../config/schema.ts';
import { agentOptions, configuredVendors, type Place, vendorsAt } from '../config/vendors.ts';
import { type LogProblem, logToStderr } from '../lib/diagnostics.ts';
import type { PendingLimits } from '../pipeline/body/arrivals.ts';
import { RememberedTools } from '../pipeline/body/remembered-tools.ts';
import { answersInMemory, answersInRedis } from '../pipeline/cache/answer-store.ts';
import type { AnswerCache } from '../pipeline/cache/cache-answers.ts';
import type { Gateway } from '../pipeline/gateway.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts';
import type { GroupRecord, KeyRecord } from '../store/keys/key-record.ts';
import { hashKey } from '../store/keys/key-secret.ts';
import { type ChainMode, chainMode } from '../streams/chain.ts';
import { openAgent } from '../upstream/agent.ts';
import { type CloudTokens, openCloudTokens } from '../upstream/credentials/cloud-tokens.ts';
import { openUpstreams } from '../upstream/pool/upstreams.ts';
import type { Vendors } from '../upstream/vendor.ts';

export interface OpenGateway {
  readonly gateway: Gateway;
  /** Whether simulated vendors answer because no vendor has a key. */
  readonly sandboxed: boolean;
  close(): Promise<void>;
}

/** What a gateway gets besides its configuration. */
export interface OpenOptions {
  /** Keys from elsewhere. If the configuration has the same key, the configuration's settings count. */
  readonly keys?: Keys;
  /** Absent: this gateway enforces the limits of the configuration's keys in memory. */
  readonly limits?: Limits;
  readonly callerUsage?: ReadCallerUsage;
  /** Which caller owns what is stored at the vendors. Absent: kept in memory, by this gateway alone. */
  readonly storedIds?: StoredIds;
  /** Cloud tokens that outlive a change of configuration. Absent: this gateway has its own. */
  readonly cloudTokens?: CloudTokens;
  /** Receives a record of every exchange. Absent: only limits use the records. */
  readonly record?: RecordExchange;
  readonly traces?: Traces;
  readonly metrics?: Gateway['metrics'];
  /** Called when a vendor's name resolves to addresses that must not be asked. */
  readonly onRefusedAddress?: () => void;
  /**
   * Receives problems of simulated vendors, of the gateway's own cloud tokens, and of identity providers. Absent: they go
   * to stderr.
   */
  readonly log?: LogProblem;
  /** Absent: as GATEWAY_CHAIN says (`streams` for a stream a stage), else fused. */
  readonly mode?: ChainMode;
  /** Addresses of simulated vendors that run already. */
  readonly simulated?: Readonly<Record<string, Place>>;
  /** The gateway that this one replaces. */
  readonly previous?: Gateway;
}

/**
 * Opens a gateway. If no vendor has a key, simulated vendors serve the whole catalog; they are started unless `simulated`
 * names running ones.
 */
export async function openGateway(
  config: Config,
  {
    keys,
    limits: given,
    callerUsage,
    storedIds = openStoredIds(),
    cloudTokens: shared,
    record: taker,
    traces,
    metrics,
    onRefusedAddress,
    log = logToStderr,
    mode = chainMode(process.env['GATEWAY_CHAIN']),
    simulated,
    previous,
  }: OpenOptions = {},
): Promise<OpenGateway> {
  const { vendors, sandboxed, sandbox } = await openVendors(config, simulated, log);
  const agent = openAgent({
    ...agentOptions(config),
    ...(onRefusedAddress !== undefined && { onRefused: onRefusedAddress }),
  });
  const upstreams = openUpstreams(vendors.all, config);
  const cloudTokens = shared ?? openCloudTokens(log);
  const letGo = cloudTokens.hold(vendors.all);
  const groups = config.groups.map(groupRecord);
  const identities = await openIdentities(config.identities, {
    agent,
    log,
    groups: groupsByName(groups),
    before: previous?.identities,
  });
  const limits = given ?? ownLimits(config);
  const record = taker ?? (limits && recording(charging(limits.charge)));
  const cache = await openCache(config, previous, log);
  const gateway: Gateway = {
    keys: joinedKeys(config, groups, keys),
    ...(identities !== undefined && { identities }),
    storedIds,
    catalog: makeCatalog(servedModels(config, vendors), config.aliases, config),
    vendors,
    agent,
    tools: new RememberedTools(),
    upstreams,
    cloudTokens,
    options: gatewayOptions(config),
    cors: config.cors,
    timeZone: config.usage.timeZone,
    ...(callerUsage !== undefined && { callerUsage }),
    ...(cache !== undefined && { cache }),
    ...(config.hooks !== undefined && { hooks: { ...config.hooks, report: log } }),
    ...(limits !== undefined && { limits }),
    ...(record !== undefined && { record }),
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
      closeCache(cache);
      await sandbox?.close();
    },
  };
}

/** The vendors that are asked, and what has to be closed if they are simulated by this gateway. */
interface OpenVendors {
  readonly vendors: Vendors;
  readonly sandboxed: boolean;
  readonly sandbox?: Sandbox;
}

/** @param simulated as in `OpenOptions`. */
async function openVendors(
  config: Config,
  simulated: OpenOptions['simulated'],
  log: LogProblem,
): Promise<OpenVendors> {
  const vendors = configuredVendors(config);
  if (vendors.all.length > 0) return { vendors, sandboxed: false };
  if (simulated !== undefined) return { vendors: vendorsAt(simulated, config), sandboxed: true };
  const sandbox = await openSandbox(config, log);
  return { vendors: vendorsAt(sandbox.places, config), sandboxed: true, sandbox };
}

function joinedKeys(config: Config, groups: readonly GroupRecord[], others: Keys | undefined): Keys {
  const own = openKeys(config.keys.map(keyRecord), groups);
  return others === undefined ? own : joinKeys(own, others);
}

/** The limits of this gateway alone; undefined if the configuration limits nobody. */
function ownLimits(config: Config): Limits | undefined {
  return hasLimits(config) ? limitsInMemory({ timeZone: config.usage.timeZone }) : undefined;
}

function hasLimits({ keys, groups, identities }: Config): boolean {
  return (
    [...keys, ...groups, ...identities].some((holder) => holder.limits ?? holder.modelLimits) ||
    [...keys, ...identities].some(({ tagLimits }) => tagLimits !== undefined)
  );
}

function gatewayOptions(config: Config): Gateway['options'] {
  const { limits, timeouts, validate, usage, generateContent, countTokens } = config;
  return {
    ...limits,
    ...pendingLimits(limits),
    ...timeouts,
    validate,
    askUsage: usage.ask,
    generateContent: generateContent.models,
    countTokens: countTokens.models,
  };
}

/** The bytes of bodies that may be arriving: at most a quarter of the memory, but always enough for one body. */
function pendingLimits({ bodyBytes, pendingBytes, pendingBytesPerKey }: Config['limits']): PendingLimits {
  // A growing body is copied once, and a body over a WebSocket comes in chunks with overhead of their own.
  const least = 2 * bodyBytes;
  const inAll = Math.max(least, Math.min(pendingBytes, grantedMemory() / 4));
  return {
    pendingBytes: inAll,
    pendingBytesPerKey: Math.max(least, Math.min(pendingBytesPerKey, inAll)),
  };
}

/** The cache of answers, if there is one. Answers in memory outlive a change of the configuration. */
async function openCache(
  { cache, redis }: Config,
  before: Gateway | undefined,
  log: LogProblem,
): Promise<AnswerCache | undefined> {
  if (cache === undefined) return undefined;
  const { store: kind, bytes, ...options } = cache;
  if (kind === 'redis' && redis.url !== undefined)
    return { ...options, kind, store: await answersInRedis(redis.url, log) };
  const store = before?.cache?.kind === 'memory' ? before.cache.store : answersInMemory(bytes);
  store.resize(bytes);
  return { ...options, kind: 'memory', store };
}

/** Closes the connection to answers in Redis. Those in memory belong to the next gateway, too. */
function closeCache(cache: AnswerCache | undefined): void {
  if (cache?.kind === 'redis') cache.store.close();
}

/** Starts simulated vendors as the configuration says. Their modules are loaded here only: real vendors need none. */
export async function openSandbox(config: Config, log: LogProblem): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  return startSandbox({ ...sandboxOptions(config), log });
}

/** The simulated vendors' options in a configuration. */
export function sandboxOptions(config: Config): Pick<SandboxOptions, 'pace' | 'models'> {
  return { pace: config.sandbox.pace, models: catalogModels(config) };
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

function keyRecord({ key, hash, expires, group, tagLimits, ...rest }: Config['keys'][number]): KeyRecord {
  return {
    ...groupRecord(rest),
    hash: hash ?? hashKey(key ?? ''),
    ...(expires !== undefined && { expires: Date.parse(expires) }),
    ...(group !== undefined && { group }),
    ...(tagLimits !== undefined && { tagLimits }),
  };
}
