/** The models that can be asked for, by id. Ids ignore case, and may leave out the default vendor. */

import { flat } from '../lib/flat-text.ts';
import type { Model } from './model.ts';

/** The models of a gateway. */
export interface Catalog {
  /** Every model, in the catalog's order. */
  readonly models: readonly Model[];
  /**
   * The model that a caller means; undefined if there is none. A name without a vendor gets `defaultVendor`, whatever
   * the name is. Only case is ignored: nothing is trimmed or normalised, so no two spellings mean the same model if
   * the restriction of a key could tell them apart.
   */
  resolve(asked: string, defaultVendor: string): Model | undefined;
  /** The other ids of a model: its aliases, dated names, and the spelling with a dot. @param id its own. */
  otherNames(id: string): readonly string[];
  /** The models to ask in place of one, in order. The model itself is not among them. */
  fallbacks(model: Model, reason: FallbackReason): readonly Model[];
}

/**
 * Why another model is asked: this one cannot answer now, the prompt is too long for it, or its vendor's policy forbids an
 * answer.
 */
export type FallbackReason = 'outage' | 'long-prompt' | 'content-policy';

/** For an id, `<vendor>/*` or `*` the ids to ask instead. The most exact one holds for a model. */
type FallbackLists = Readonly<Record<string, readonly string[]>>;

/** The lists of a configuration. */
export interface Fallbacks {
  readonly fallbacks?: FallbackLists;
  readonly longPromptFallbacks?: FallbackLists;
  readonly contentPolicyFallbacks?: FallbackLists;
}

/** The longest id, in UTF-16 code units. A longer one is not looked up. */
export const MAX_ID_LENGTH = 256;

const NONE: readonly never[] = [];

/**
 * A catalog.
 * @param aliases ids by further names.
 * @param fallbacks the models to ask instead. All ids and names include their vendors.
 */
export function makeCatalog(
  given: readonly Model[],
  aliases: Readonly<Record<string, string>> = {},
  { fallbacks = {}, longPromptFallbacks = {}, contentPolicyFallbacks = {} }: Fallbacks = {},
): Catalog {
  // The body of each request names its model, so the name is cut from the id here, once.
  const models = given.map((model) => ({ ...model, upstream: nameAtVendor(model) }));
  const byName = modelsByName(models, aliases);
  const names = otherNamesIn(byName);
  const finders: Readonly<Record<FallbackReason, FindFallbacks>> = {
    outage: fallbackFinder(byName, fallbacks),
    'long-prompt': fallbackFinder(byName, longPromptFallbacks),
    'content-policy': fallbackFinder(byName, contentPolicyFallbacks),
  };
  return {
    models,
    otherNames: (id) => names.get(id) ?? NONE,
    fallbacks: (model, reason) => finders[reason](model),
    resolve(asked, defaultVendor) {
      if (asked.length > MAX_ID_LENGTH) return undefined;
      // toLowerCase turns a few letters outside ASCII into ASCII (the Kelvin sign into k). No model has such a name.
      if (/[^\x21-\x7e]/.test(asked)) return undefined;
      const id = asked.toLowerCase();
      return byName.get(id.includes('/') ? id : `${defaultVendor}/${id}`);
    },
  };
}

/** Each model by its id and all other names. If two claim a name, an alias of the configuration wins, then an id. */
function modelsByName(
  models: readonly Model[],
  aliases: Readonly<Record<string, string>>,
): ReadonlyMap<string, Model> {
  const byName = new Map<string, Model>();
  for (const model of models) {
    for (const alias of model.aliases ?? []) {
      // A dated name is the vendor's own and means that snapshot, so the vendor is sent this name.
      const own = vendorName(alias) === vendorName(model.id);
      byName.set(alias.toLowerCase(), own ? { ...model, upstream: modelName(alias) } : model);
    }
  }
  for (const model of models) byName.set(dotted(model.id), model);
  for (const model of models) byName.set(model.id, model);
  for (const [alias, id] of Object.entries(aliases)) {
    const model = byName.get(id.toLowerCase());
    if (model) byName.set(alias.toLowerCase(), model);
  }
  return byName;
}

/** For each id, the further names of its model. */
function otherNamesIn(byName: ReadonlyMap<string, Model>): ReadonlyMap<string, readonly string[]> {
  const others = [...byName].filter(([name, { id }]) => name !== id);
  const grouped = Map.groupBy(others, ([, { id }]) => id);
  return new Map([...grouped].map(([id, entries]) => [id, entries.map(([name]) => name)]));
}

type FindFallbacks = (model: Model) => readonly Model[];

function fallbackFinder(byName: ReadonlyMap<string, Model>, given: FallbackLists): FindFallbacks {
  const find = (name: string): Model | undefined => byName.get(name.toLowerCase());
  const lists = new Map(
    Object.entries(given).map(([name, ids]) => [
      find(name)?.id ?? name.toLowerCase(),
      ids.flatMap((id) => find(id) ?? []),
    ]),
  );
  if (lists.size === 0) return () => NONE;
  return (model) => {
    const list: readonly Model[] =
      lists.get(model.id) ?? lists.get(`${vendorName(model.id)}/*`) ?? lists.get('*') ?? NONE;
    return list.includes(model) ? list.filter((other) => other !== model) : list;
  };
}

/**
 * A Claude's id with a dot in its version number, as OpenRouter and the routers of Vercel and GitHub write it, and
 * clients made for them; Anthropic's own id has a hyphen there. Any other id stays as it is.
 */
function dotted(id: string): string {
  return id.replace(/^(anthropic\/claude-[a-z]+-\d+)-(\d{1,2})$/, '$1.$2');
}

/** The vendor in a full id, `<vendor>/<model_name>`. */
export function vendorName(modelId: string): string {
  return modelId.slice(0, modelId.indexOf('/'));
}

/** The name of a model at its own vendor: the one that the catalog says, or the part of its id after the vendor. */
export function nameAtVendor({ id, upstream }: Model): string {
  return upstream ?? modelName(id);
}

/** The part of a full id after the vendor. */
export function modelName(modelId: string): string {
  return flat(modelId.slice(modelId.indexOf('/') + 1));
}
