/**
 * Notes on vendors and fallbacks that are valid in a configuration but hardly meant. A start and `gateway check` print them.
 */

import { makeCatalog, vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import { nearestVendor } from '../catalog/nearest-model.ts';
import { catalogModels } from '../config/models.ts';
import type { Config } from '../config/schema.ts';
import { configuredVendors } from '../config/vendors.ts';
import { dialectNames } from '../formats/chat-completions/dialects.ts';
import type { Vendor, Vendors } from '../upstream/vendor.ts';

/** A sentence for each vendor or fallback that seems to be set up wrongly. */
export function findVendorNotes(config: Config): readonly string[] {
  const vendors = configuredVendors(config);
  return [
    ...findKeyless(config),
    ...findVariableNames(config),
    ...findIdle(config, vendors),
    // Without any vendor the sandbox serves, and it serves every model.
    ...(vendors.all.length === 0 ? [] : findIdleFallbacks(config, vendors)),
    ...vendors.all.flatMap((vendor) => [...checkAddress(vendor), ...checkDialect(vendor)]),
  ];
}

/** Vendors with an address but no key: a server of one's own often needs none, and a misspelt variable gives none. */
function findKeyless({ vendors }: Config): readonly string[] {
  return Object.entries(vendors).flatMap(([name, { baseUrl, apiKey, credentials, upstreams }]) =>
    baseUrl === undefined || apiKey !== undefined || credentials !== undefined || upstreams.length > 0
      ? []
      : [
          `The vendor ${name} has an address but no key, so it serves nothing. If it needs no key, set apiKey to any text.`,
        ],
  );
}

/** Keys that other gateways would read from the environment (LiteLLM, Bifrost, shells). Here they are sent as they are. */
function findVariableNames({ vendors }: Config): readonly string[] {
  return Object.entries(vendors).flatMap(([name, { apiKey, upstreams }]) => {
    const variable = [apiKey, ...upstreams.map((upstream) => upstream.apiKey)]
      .map((key = '') => /^(?:os\.environ\/|(?:process\.)?env\.|\$\{?)(\w+)\}?$/.exec(key)?.[1])
      .find((found) => found !== undefined);
    if (variable === undefined) return [];
    return [
      `A key of the vendor ${name} is the name of a variable, and is sent as it is. Write \${${variable}} in JSON, YAML or TOML, or process.env.${variable} in code.`,
    ];
  });
}

/** Vendors with a key that serve no model, usually because their name differs from the one in the ids of their models. */
function findIdle(config: Config, vendors: Vendors): readonly string[] {
  const models = catalogModels(config);
  const serving = new Set(models.map((model) => vendors.serving(model)?.name));
  const configured = new Set(vendors.all.map(({ name }) => name));
  const unused = [...new Set(models.map(({ id }) => vendorName(id)))].filter((name) => !configured.has(name));
  return vendors.all.flatMap(({ name }) => {
    if (serving.has(name)) return [];
    const similar = nearestVendor(name, unused);
    return similar === undefined
      ? `The vendor ${name} serves no model, because no model id begins with ${name}/. List its models under "models" in the configuration.`
      : `The vendor ${name} serves no model: the ids in the catalog begin with ${similar}/, so rename the vendor to ${similar}.`;
  });
}

/** What would be noticed only when a fallback is needed: models that no vendor serves, and those that are of no help. */
function findIdleFallbacks(config: Config, vendors: Vendors): readonly string[] {
  const catalog = makeCatalog(catalogModels(config), config.aliases);
  const { limit } = config.retries;
  const isServed = (model: Model): boolean => vendors.serving(model) !== undefined;
  const findIn = (kind: string, lists: Config['fallbacks']): readonly string[] =>
    Object.entries(lists).flatMap(([id, others]) => {
      const model = catalog.resolve(id, '');
      const meant = model === undefined ? catalog.models.filter((each) => isMeant(each, id)) : [model];
      if (!meant.some(isServed))
        return `The ${kind}s of ${id} are never used, because no vendor with a key serves ${id}.`;
      const notes = others.flatMap((name) => {
        const other = catalog.resolve(name, '');
        const why = other && findIdleReason(other, { kind, id, model }, isServed(other));
        return why === undefined ? [] : `The ${kind} ${name} of ${id} ${why}`;
      });
      return others.length > limit
        ? [
            ...notes,
            `Of the ${others.length} ${kind}s of ${id} a request asks at most ${limit} (retries.limit).`,
          ]
        : notes;
    });
  return [
    ...findIn('fallback', config.fallbacks),
    ...findIn(LONG_PROMPT, config.longPromptFallbacks),
    ...findIn('content-policy fallback', config.contentPolicyFallbacks),
  ];
}

/** Why a fallback is of no help; undefined if it is. */
function findIdleReason(
  other: Model,
  { kind, id, model }: { readonly kind: string; readonly id: string; readonly model: Model | undefined },
  isServed: boolean,
): string | undefined {
  if (!isServed) return 'is never used, because no vendor with a key serves it.';
  if (model === undefined) return undefined;
  if (other === model) return 'is the same model, so it is skipped.';
  if (kind !== LONG_PROMPT || other.contextWindow > model.contextWindow) return undefined;
  return `takes no longer prompts: it has ${other.contextWindow} tokens, and ${id} ${model.contextWindow}.`;
}

const LONG_PROMPT = 'long-prompt fallback';

/** Whether `<vendor>/*` or `*` is about a model. */
function isMeant({ id }: Model, pattern: string): boolean {
  return pattern === '*' || pattern.toLowerCase() === `${vendorName(id)}/*`;
}

/** Other SDKs and gateways expect another version in an address, or none. */
function checkAddress({ name, formats, origin, basePath }: Vendor): readonly string[] {
  const note = (path: string, advice: string): readonly string[] => [
    `Requests to the vendor ${name} go to ${origin}${basePath}${path}: its baseUrl should ${advice}.`,
  ];
  const [format] = formats;
  if (format === 'generate-content' && basePath.endsWith('/v1'))
    return note('/v1beta/models', 'not end in /v1');
  if (origin === 'https://api.openai.com' && basePath === '') return note('/chat/completions', 'end in /v1');
  // Some public services have their paths at the root. Servers of one's own have them below /v1 as a rule.
  if (format === 'chat-completions' && basePath === '' && origin.startsWith('http:'))
    return note('/chat/completions', 'end in /v1 if it is that of Ollama, vLLM, LM Studio or the like');
  return [];
}

/** An unknown dialect, such as a misspelt one, is treated as the plainest. */
function checkDialect({ name, dialect, formats }: Vendor): readonly string[] {
  if (dialect === undefined || !formats.includes('chat-completions') || dialectNames.includes(dialect))
    return [];
  const known = dialectNames.filter((other) => other !== '').join(', ');
  return [
    `The vendor ${name} has an unknown dialect, ${dialect}, so it receives only what every service accepts. Known dialects: ${known}.`,
  ];
}
