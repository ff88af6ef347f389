/** A `config.yaml` of LiteLLM's proxy (docs.litellm.ai, "Proxy Config.yaml", "All settings"). */

import { modelName, vendorName } from '../../catalog/catalog.ts';
import { defaultModels } from '../../catalog/default.ts';
import type { Draft, FallbackField } from './draft.ts';
import { type Deployment, findWeights } from './litellm-shares.ts';
import type { Source } from './source.ts';

/** Kinds of models that this gateway does not serve. */
const OTHER_MODES =
  /^(?:embedding|image_generation|audio_\w+|rerank|completion|moderation|video_generation)$/;

export function importLitellm(file: Source, draft: Draft): void {
  const ids = new Map<string, string>();
  const spread = new Set<string>();
  const deployments = file.parts('model_list').map((entry) => ({
    entry,
    name: entry.text('model_name') ?? '',
    params: entry.part('litellm_params'),
  }));
  const weights = findWeights(deployments, (sentence) => draft.note(sentence));
  for (const deployment of deployments) importModel(deployment, weights.get(deployment), ids, spread, draft);
  const [router, litellm, general] = [
    file.part('router_settings'),
    file.part('litellm_settings'),
    file.part('general_settings'),
  ];
  const all = [router, litellm].filter((part) => part !== undefined);
  const aliases = router?.part('model_group_alias');
  if (aliases !== undefined) importAliases(aliases, ids, draft);
  const ruled = new Set<string>();
  for (const part of all) {
    for (const id of importFallbacks(part, 'fallbacks', 'fallbacks', ids, draft)) ruled.add(id);
    importFallbacks(part, 'context_window_fallbacks', 'longPromptFallbacks', ids, draft);
    importFallbacks(part, 'content_policy_fallbacks', 'contentPolicyFallbacks', ids, draft);
    // LiteLLM's router adds these to the fallbacks as the rule for `*`.
    const others = knownIds(part, 'default_fallbacks', ids, draft);
    if (others.length > 0) draft.fallback('fallbacks', '*', others);
    importRouting(part, draft);
  }
  // A list of its own hides the one for `*` from a model, but its other vendors are not a rule for LiteLLM.
  for (const id of spread) if (!ruled.has(id)) draft.fallback('fallbacks', id, draft.fallbacks('*'));
  draft.set('usage', 'timeZone', litellm?.text('timezone'));
  // By the Redis of its cache, LiteLLM's replicas share limits and budgets as well.
  const cache = litellm?.part('cache_params');
  if (cache?.text('type') === 'redis') importRedis(cache, '', draft);
  if (router !== undefined) importRedis(router, 'redis_', draft);
  if (general !== undefined) importGeneral(general, draft);
}

function importAliases(aliases: Source, ids: ReadonlyMap<string, string>, draft: Draft): void {
  for (const alias of aliases.names()) {
    const id = ids.get(aliases.text(alias) ?? '');
    if (id !== undefined) draft.alias(alias, id);
  }
}

/**
 * @param weight its share of the load; undefined if LiteLLM gives it none.
 * @param ids the model that each name means, which this adds to.
 * @param spread the models whose name has other vendors too, which this adds to.
 */
function importModel(
  { entry, name, params }: Deployment,
  weight: number | undefined,
  ids: Map<string, string>,
  spread: Set<string>,
  draft: Draft,
): void {
  const info = entry.part('model_info');
  info?.skip('id', 'base_model', 'mode', 'health_check_timeout');
  if (params === undefined) return;
  const written = params.text('model') ?? '';
  const mode = info?.text('mode') ?? kindByName(written);
  const [provider, model] = splitModel(written, params.text('custom_llm_provider'));
  if (mode !== undefined && OTHER_MODES.test(mode)) {
    params.skip(...params.names());
    draft.note(`${entry.field}: ${name} is of the kind ${mode}, which this gateway does not serve.`);
    return;
  }
  if (provider === undefined) {
    params.skip(...params.names());
    draft.note(`${entry.field}: the vendor of ${written} is not known. Write it as <vendor>/<model>.`);
    return;
  }
  const vendor = draft.place({
    field: `${entry.field}.litellm_params`,
    provider,
    apiKey: params.text('api_key'),
    baseUrl: withVersion(provider, params.text('api_base')),
    weight,
  });
  if (vendor === undefined) {
    params.skip(...params.names());
    return;
  }
  if (model === '*') return;
  const million = (cost: number | undefined): number | undefined =>
    cost === undefined ? undefined : Number((cost * 1e6).toPrecision(6));
  const figure = (field: string): number | undefined => info?.number(field) ?? params.number(field);
  const id = draft.model(vendor, model, {
    contextWindow: figure('max_input_tokens') ?? figure('max_tokens'),
    maxOutputTokens: figure('max_output_tokens'),
    input: million(figure('input_cost_per_token')),
    output: million(figure('output_cost_per_token')),
  });
  const first = ids.get(name);
  if (first !== undefined && first !== id) {
    draft.fallback('fallbacks', first, [id]);
    spread.add(first);
    draft.note(
      `${entry.field}: ${name} means ${first} here, and ${id} answers only if that cannot: load is shared between addresses of one vendor alone.`,
    );
    return;
  }
  ids.set(name, id);
  if (name !== modelName(id) || vendorName(id) !== 'openai') draft.alias(name, id);
}

/** The kind of a well-known model that gives no text; LiteLLM has it from its own list of models. */
function kindByName(written: string): string | undefined {
  if (/embed/i.test(written)) return 'embedding';
  if (/dall-e|gpt-image/i.test(written)) return 'image_generation';
  if (/whisper/i.test(written)) return 'audio_transcription';
  return /\btts\b/i.test(written) ? 'audio_speech' : undefined;
}

/**
 * `provider/model`; LiteLLM finds the provider of a plain name by its own list of models. Beside `custom_llm_provider`, the
 * name is the model's own, which may have a slash too (`meta-llama/Llama-3.1-8B`).
 */
function splitModel(written: string, given: string | undefined): readonly [string | undefined, string] {
  const slash = written.indexOf('/');
  if (given !== undefined)
    return [given, written.startsWith(`${given}/`) ? written.slice(slash + 1) : written];
  if (slash > 0) return [written.slice(0, slash), written.slice(slash + 1)];
  const id = defaultModels().find((model) => modelName(model.id) === written.toLowerCase())?.id;
  if (id !== undefined) return [vendorName(id), written];
  return [/^(?:gpt|o\d|chatgpt)/.test(written) ? 'openai' : undefined, written];
}

/** The address of Ollama has no version there, and has one here. */
function withVersion(provider: string, baseUrl: string | undefined): string | undefined {
  const bare = baseUrl?.replace(/\/$/, '');
  return bare !== undefined && /^ollama/.test(provider) && !bare.endsWith('/v1') ? `${bare}/v1` : bare;
}

/**
 * A list of rules, `{ name: [other names] }`. The name `*` is all models without a rule, as it is here.
 * @returns the ids of the models that have a rule.
 */
function importFallbacks(
  part: Source,
  theirs: string,
  ours: FallbackField,
  ids: ReadonlyMap<string, string>,
  draft: Draft,
): readonly string[] {
  const ruled: string[] = [];
  for (const rule of part.parts(theirs)) {
    for (const name of rule.names()) {
      const id = name === '*' ? name : ids.get(name);
      const others = knownIds(rule, name, ids, draft);
      if (id !== undefined && others.length > 0) {
        draft.fallback(ours, id, others);
        ruled.push(id);
      } else draft.note(`${rule.field}: ${name} or its fallbacks are not in the model list.`);
    }
  }
  return ruled;
}

/** The ids of the models that a list names. Others are noted. */
function knownIds(
  part: Source,
  name: string,
  ids: ReadonlyMap<string, string>,
  draft: Draft,
): readonly string[] {
  return part.texts(name).flatMap((other) => {
    const id = ids.get(other);
    if (id === undefined) draft.note(`${part.field}.${name}: ${other} is not in the model list.`);
    return id ?? [];
  });
}

function importRouting(part: Source, draft: Draft): void {
  part.skip('routing_strategy', 'drop_params', 'set_verbose', 'telemetry', 'enable_pre_call_checks');
  draft.retries(`${part.field}.num_retries`, part.number('num_retries'));
  const seconds = part.number('request_timeout') ?? part.number('timeout');
  draft.set('timeouts', 'total', inMilliseconds(seconds));
  draft.set('timeouts', 'firstByte', inMilliseconds(part.number('stream_timeout')));
  const fails = part.number('allowed_fails');
  if (fails !== undefined) draft.set('ejection', 'failures', Math.max(1, fails));
  draft.set('ejection', 'duration', inMilliseconds(part.number('cooldown_time')));
}

function inMilliseconds(seconds: number | undefined): number | undefined {
  return seconds && Math.round(seconds * 1_000);
}

/** @param prefix of the names of the fields. */
function importRedis(part: Source, prefix: string, draft: Draft): void {
  const [url, host, port, password] = ['url', 'host', 'port', 'password'].map((kind) => {
    const name = prefix + kind;
    const text = part.text(name) ?? part.number(name)?.toString();
    if (text === undefined) return undefined;
    const isPlain = !text.startsWith('os.environ/') && kind !== 'password' && kind !== 'url';
    return isPlain ? text : draft.secret(`${part.field}.${name}`, text, `REDIS_${kind.toUpperCase()}`);
  });
  const scheme = String(part.raw(`${prefix}ssl`)).toLowerCase() === 'true' ? 'rediss' : 'redis';
  if (url !== undefined) draft.set('redis', 'url', url);
  else if (host !== undefined)
    draft.set(
      'redis',
      'url',
      `${scheme}://${password === undefined ? '' : `:${password}@`}${host}:${port ?? 6379}`,
    );
}

function importGeneral(general: Source, draft: Draft): void {
  draft.set('limits', 'inFlight', general.number('global_max_parallel_requests'));
  const master = general.text('master_key');
  if (master !== undefined) {
    draft.set('admin', 'key', draft.secret('general_settings.master_key', master, 'GATEWAY_ADMIN_KEY'));
    draft.note(
      'general_settings.master_key became the key of the admin API (port 8788), with at least 16 characters. For a key that may use every model, set GATEWAY_API_KEY.',
    );
  }
  const url = general.text('database_url');
  if (url !== undefined) {
    draft.set('store', 'url', draft.secret('general_settings.database_url', url, 'DATABASE_URL'));
    draft.note(
      'general_settings.database_url: use a database of its own. Tables and keys of LiteLLM are not read.',
    );
  }
}
