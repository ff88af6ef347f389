/**
 * A listed model in the catalog's own shape. What a configuration requires and the list does not say is null, for a person
 * to fill in.
 */

import { modelName } from '../../catalog/catalog.ts';
import { compact, type JsonObject } from '../../lib/json.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import type { Fresh } from './compare.ts';
import type { ListedThinking } from './listed.ts';

/**
 * @returns an entry with its fields in the order of the catalog's data file. A configuration rejects the entry while it
 *   contains a null.
 */
export function makeEntry(vendor: Vendor, { id, listed }: Fresh): JsonObject {
  const { name, title, created, contextWindow, maxOutputTokens, prices = {}, input, thinking } = listed;
  const { sampling, structuredOutput, shutdown } = listed;
  return compact({
    id,
    name: title ?? name,
    created,
    shutdown,
    contextWindow: contextWindow ?? null,
    maxOutputTokens: maxOutputTokens ?? null,
    prices: compact({ ...prices, input: prices.input ?? null, output: prices.output ?? null }),
    input,
    thinking: thinking && thinkingEntry(thinking),
    sampling,
    structuredOutput,
    upstream: vendor.fullIds || name === modelName(id) ? undefined : name,
  });
}

function thinkingEntry({ kinds, efforts, budget, canDisable }: ListedThinking): JsonObject {
  return compact({ kinds, efforts, budget: budget && { ...budget }, canDisable: canDisable ?? null });
}

/** @returns the paths of the fields that are still to be filled in */
export function listUnknown(entry: JsonObject): readonly string[] {
  return Object.entries(entry).flatMap(([field, value]) => {
    if (value === null) return [field];
    if (typeof value !== 'object' || Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([inner, held]) => (held === null ? [`${field}.${inner}`] : []));
  });
}
