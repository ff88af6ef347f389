/** What may be asked for: models by id, with case folded and the short form filled in. */

import type { Model } from './model.ts';

export interface Catalog {
  /** Every model, in the catalog's order. */
  readonly models: readonly Model[];
  /**
   * The model a caller means. A name without a vendor gets `defaultVendor`, whatever the name is: nothing is guessed.
   * Case is not significant; nothing else is folded, trimmed or normalised, so that no two spellings that a key's
   * restriction could tell apart mean the same model.
   */
  resolve(asked: string, defaultVendor: string): Model | undefined;
  /** The other ids by which a model, by its own, is reached: its aliases, dated names, and with a dot. */
  otherNames(id: string): readonly string[];
  /** The models that may be asked where this one cannot answer, in order. */
  fallbacks(model: Model): readonly Model[];
}

/** The longest id, in UTF-16 code units: a longer one is not even looked up. */
export const MAX_ID_LENGTH = 256;

const NONE: readonly never[] = [];

/** A catalog of `models`; `aliases` are further names for ids, `fallbacks` ids for ids: all with their vendors. */
export function catalogOf(
  models: readonly Model[],
  aliases: Readonly<Record<string, string>> = {},
  fallbacks: Readonly<Record<string, readonly string[]>> = {},
): Catalog {
  const byName = modelsByName(models, aliases);
  const names = otherNamesIn(byName);
  const others = fallbacksIn(byName, fallbacks);
  return {
    models,
    otherNames: (id) => names.get(id) ?? NONE,
    fallbacks: (model) => others.get(model.id) ?? NONE,
    resolve(asked, defaultVendor) {
      if (asked.length > MAX_ID_LENGTH) return undefined;
      // toLowerCase folds a few letters outside ASCII into it (the Kelvin sign to k): such a name is nobody's.
      if (/[^\x21-\x7e]/.test(asked)) return undefined;
      const id = asked.toLowerCase();
      return byName.get(id.includes('/') ? id : `${defaultVendor}/${id}`);
    },
  };
}

/** Each model by its id and all its other names; where two claim a name, an alias of the configuration is first, then an id. */
function modelsByName(
  models: readonly Model[],
  aliases: Readonly<Record<string, string>>,
): ReadonlyMap<string, Model> {
  const byName = new Map<string, Model>();
  for (const model of models) {
    for (const alias of model.aliases ?? []) {
      // A dated name is the vendor's own: it means that snapshot, so it is what the vendor is sent.
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

/** The names of each model but its id, by its id. */
function otherNamesIn(byName: ReadonlyMap<string, Model>): ReadonlyMap<string, readonly string[]> {
  const others = [...byName].filter(([name, { id }]) => name !== id);
  const grouped = Map.groupBy(others, ([, { id }]) => id);
  return new Map([...grouped].map(([id, entries]) => [id, entries.map(([name]) => name)]));
}

function fallbacksIn(
  byName: ReadonlyMap<string, Model>,
  fallbacks: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, readonly Model[]> {
  const known = (ids: readonly string[]): Model[] => ids.flatMap((id) => byName.get(id.toLowerCase()) ?? []);
  return new Map(
    Object.entries(fallbacks).flatMap(([id, ids]) => known([id]).map((model) => [model.id, known(ids)])),
  );
}

/**
 * A Claude's id as OpenRouter, Vercel's and GitHub's routers have it, and clients that were made for them: Anthropic's
 * own has a hyphen in the number of its version, where the others' have a dot. Any other id as it is.
 */
function dotted(id: string): string {
  return id.replace(/^(anthropic\/claude-[a-z]+-\d+)-(\d{1,2})$/, '$1.$2');
}

/** The vendor part of a canonical id. */
export function vendorName(modelId: string): string {
  return modelId.slice(0, modelId.indexOf('/'));
}

/** The part of a canonical id after the vendor. */
export function modelName(modelId: string): string {
  return modelId.slice(modelId.indexOf('/') + 1);
}
