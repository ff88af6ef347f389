/** A `config.json` of Bifrost (docs.getbifrost.ai, "Schema Reference"). */

import { compact } from '../../lib/json.ts';
import type { Draft } from './draft.ts';
import { findProvider, isCloud } from './providers.ts';
import type { Source } from './source.ts';

export function importBifrost(file: Source, draft: Draft): void {
  file.skip('$schema', 'encryption_key', 'framework');
  const providers = file.part('providers');
  const vendors: Vendors = new Map(
    (providers?.names() ?? []).map((name) => {
      const provider = providers?.part(name);
      return [name, provider && importProvider(name, provider, draft)];
    }),
  );
  const client = file.part('client');
  const megabytes = client?.number('max_request_body_size_mb');
  draft.set('limits', 'bodyBytes', megabytes && megabytes * 1024 * 1024);
  const origins = client?.texts('allowed_origins') ?? [];
  if (origins.length > 0 && !origins.includes('*')) draft.set('cors', 'origins', origins);
  client?.skip(...client.names());
  const governance = file.part('governance');
  if (governance !== undefined) importGovernance(governance, vendors, draft);
}

/** The vendors that providers have become; undefined for one that was left out. */
type Vendors = ReadonlyMap<string, string | undefined>;

/** @returns the name of its vendor; undefined if it was left out */
function importProvider(name: string, provider: Source, draft: Draft): string | undefined {
  const custom = provider.part('custom_provider_config')?.text('base_provider_type');
  const network = provider.part('network_config');
  const baseUrl = network?.text('base_url');
  const keys = provider.parts('keys');
  const places = keys.length === 0 ? [undefined] : keys;
  let vendor: string | undefined;
  for (const key of places) {
    key?.skip('id', 'name', 'use_for_batch_api', 'enabled');
    if (isCloud(name)) key?.skip(...key.names());
    vendor =
      draft.place({
        field: key?.field ?? provider.field,
        provider: custom ?? name,
        apiKey: key?.text('value'),
        baseUrl: withVersion(name, baseUrl),
        weight: key?.number('weight'),
      }) ?? vendor;
    if (vendor === undefined) continue;
    importModels(key, vendor, draft);
  }
  if (vendor === undefined) {
    network?.skip(...network.names());
    return undefined;
  }
  importNetwork(network, vendor, draft);
  const concurrency = provider.part('concurrency_and_buffer_size');
  concurrency?.skip('buffer_size');
  draft.set(`vendors.${vendor}`, 'connections', concurrency?.number('concurrency'));
  return vendor;
}

/** The models and the aliases of a key. Every key of a vendor serves all of the vendor's models here. */
function importModels(key: Source | undefined, vendor: string, draft: Draft): void {
  for (const model of key?.texts('models') ?? []) if (model !== '*') draft.model(vendor, model);
  const aliases = key?.part('aliases');
  for (const alias of aliases?.names() ?? []) {
    const target = aliases?.text(alias);
    if (target !== undefined) draft.alias(`${vendor}/${alias}`, draft.model(vendor, target));
  }
}

function importNetwork(network: Source | undefined, vendor: string, draft: Draft): void {
  network?.skip(
    'retry_backoff_initial',
    'retry_backoff_max',
    'retry_backoff_initial_ms',
    'retry_backoff_max_ms',
  );
  const seconds = network?.number('default_request_timeout_in_seconds');
  if (seconds !== undefined) {
    draft.set('timeouts', 'total', seconds * 1_000);
    draft.note(`${network?.field}: the timeout holds for all vendors here.`);
  }
  draft.retries(`${network?.field}.max_retries`, network?.number('max_retries'));
  const headers = network?.part('extra_headers');
  const set = (headers?.names() ?? []).flatMap((name) => {
    const value = headers?.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (set.length > 0) draft.set(`vendors.${vendor}`, 'headers', Object.fromEntries(set));
}

function importGovernance(governance: Source, vendors: Vendors, draft: Draft): void {
  governance.skip('auth_config');
  const limitsById = new Map<string, Readonly<Record<string, number>>>();
  for (const budget of governance.parts('budgets')) {
    const limit = readBudget(budget, draft);
    if (limit !== undefined) limitsById.set(budget.text('id') ?? '', limit);
  }
  for (const rate of governance.parts('rate_limits'))
    limitsById.set(rate.text('id') ?? '', readRates(rate, draft));
  const groups = new Map<string, string>();
  for (const team of governance.parts('teams')) {
    const name = team.text('name') ?? team.text('id') ?? '';
    groups.set(team.text('id') ?? name, name);
    const limits = importLimits(team, limitsById);
    draft.add('groups', { name, ...(Object.keys(limits).length > 0 && { limits }) });
  }
  for (const key of governance.parts('virtual_keys')) importKey(key, { vendors, limitsById, groups }, draft);
}

/** What keys refer to. */
interface Known {
  readonly vendors: Vendors;
  readonly limitsById: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** The names of groups by the ids of their teams. */
  readonly groups: ReadonlyMap<string, string>;
}

function importKey(key: Source, { vendors, limitsById, groups }: Known, draft: Draft): void {
  const name = key.text('name') ?? key.text('id') ?? '';
  const value = key.text('value') ?? '';
  key.skip('id', 'description', 'is_active');
  if (key.raw('is_active') === false) {
    key.skip(...key.names());
    draft.note(`${key.field}: the key ${name} is not active and was left out.`);
    return;
  }
  const providers = key.parts('provider_configs');
  const models = providers.flatMap((each) => {
    each.skip('weight', 'key_ids');
    const provider = each.text('provider') ?? '';
    const vendor = vendors.get(provider) ?? findProvider(provider)?.vendor;
    const allowed = each.texts('allowed_models');
    if (vendor === undefined) return [];
    return allowed.length === 0 || allowed.includes('*')
      ? [`${vendor}/*`]
      : allowed.map((model) => draft.model(vendor, model));
  });
  if (providers.length > 0 && models.length === 0) {
    // Without a list it could use the models of all vendors.
    key.skip(...key.names());
    draft.note(`${key.field}: the key ${name} was left out, as were all vendors that it may use.`);
    return;
  }
  const limits = importLimits(key, limitsById);
  const group = groups.get(key.text('team_id') ?? '');
  const variable = `KEY_OF_${name.toUpperCase().replaceAll(/\W+/g, '_')}`;
  draft.add('keys', {
    name,
    key: draft.secret(`${key.field}.value`, value, variable),
    ...(models.length > 0 && { models }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(group !== undefined && { group }),
  });
}

function importLimits(
  part: Source,
  byId: ReadonlyMap<string, Readonly<Record<string, number>>>,
): Readonly<Record<string, number>> {
  return { ...byId.get(part.text('budget_id') ?? ''), ...byId.get(part.text('rate_limit_id') ?? '') };
}

function readBudget(budget: Source, draft: Draft): Readonly<Record<string, number>> | undefined {
  const [dollars, every] = [budget.number('max_limit'), budget.text('reset_duration')];
  budget.skip('current_usage', 'last_reset');
  if (dollars === undefined) return undefined;
  if (every === '1d' || every === '24h') return { budgetDay: dollars };
  if (every === '1w' || every === '7d') return { budgetWeek: dollars };
  if (every === '1M' || every === '30d') return { budgetMonth: dollars };
  draft.note(`${budget.field}: a budget for ${every ?? 'all time'} was left out.`);
  return undefined;
}

function readRates(rate: Source, draft: Draft): Readonly<Record<string, number>> {
  rate.skip('request_current_usage', 'token_current_usage', 'request_last_reset', 'token_last_reset');
  const perMinute = (kind: string): number | undefined => {
    const limit = rate.number(`${kind}_max_limit`);
    const every = rate.text(`${kind}_reset_duration`);
    if (limit === undefined || every === '1m' || every === '60s') return limit;
    draft.note(
      `${rate.field}: a limit of ${kind}s for ${every} was left out: limits are by the minute here.`,
    );
    return undefined;
  };
  return compact({ requestsPerMinute: perMinute('request'), tokensPerMinute: perMinute('token') });
}

/** Addresses have no version there; those of servers with OpenAI's format have one here. */
function withVersion(name: string, baseUrl: string | undefined): string | undefined {
  const bare = baseUrl?.replace(/\/$/, '');
  if (bare === undefined || /\/v\d\w*$/.test(bare)) return bare;
  return name === 'anthropic' || name === 'gemini' ? bare : `${bare}/v1`;
}
