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

/** No real id is longer; a longer one is not even looked up. */
const MAX_ID_LENGTH = 256;

const NONE: readonly never[] = [];

/** A catalog of `models`; `aliases` are further names for ids, `fallbacks` ids for ids: all with their vendors. */
export function catalogOf(
  models: readonly Model[],
  aliases: Readonly<Record<string, string>> = {},
  fallbacks: Readonly<Record<string, readonly string[]>> = {},
): Catalog {
  const byId = new Map<string, Model>();
  for (const model of models) {
    for (const alias of model.aliases ?? []) {
      // A dated name is the vendor's own: it means that snapshot, so it is what the vendor is sent.
      const own = vendorName(alias) === vendorName(model.id);
      byId.set(alias.toLowerCase(), own ? { ...model, upstream: modelName(alias) } : model);
    }
  }
  for (const model of models) byId.set(dotted(model.id), model);
  for (const model of models) byId.set(model.id, model);
  for (const [alias, id] of Object.entries(aliases)) {
    const model = byId.get(id.toLowerCase());
    if (model) byId.set(alias.toLowerCase(), model);
  }
  const names = new Map<string, string[]>();
  for (const [name, { id }] of byId) {
    if (name === id) continue;
    const known = names.get(id);
    if (known === undefined) names.set(id, [name]);
    else known.push(name);
  }
  const others = new Map<string, readonly Model[]>();
  for (const [id, ids] of Object.entries(fallbacks)) {
    const model = byId.get(id.toLowerCase());
    if (model)
      others.set(
        model.id,
        ids.flatMap((other) => byId.get(other.toLowerCase()) ?? []),
      );
  }
  return {
    models,
    otherNames: (id) => names.get(id) ?? NONE,
    fallbacks: (model) => others.get(model.id) ?? NONE,
    resolve(asked, defaultVendor) {
      if (asked.length > MAX_ID_LENGTH) return undefined;
      // toLowerCase folds a few letters outside ASCII into it (the Kelvin sign to k): such a name is nobody's.
      if (/[^\x21-\x7e]/.test(asked)) return undefined;
      const id = asked.toLowerCase();
      return byId.get(id.includes('/') ? id : `${defaultVendor}/${id}`);
    },
  };
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
