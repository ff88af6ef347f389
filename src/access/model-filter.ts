/** Which models a key, or a group of keys, may use. */

/**
 * Whether a model may be used. @param modelId its canonical id. @param otherNames returns the other ids that lead to a
 * model.
 */
export type ModelFilter = (modelId: string, otherNames: (modelId: string) => readonly string[]) => boolean;

/** One function for all keys without a list: there may be 100,000. */
const allowAll: ModelFilter = () => true;

/**
 * @param models ids and `vendor/*`; absent means every model. An alias in the list allows its model as the model's own
 * id does. `vendor/*` allows the models of that vendor, but not those that merely have an alias of that form.
 */
export function modelFilter(models: readonly string[] | undefined): ModelFilter {
  if (models === undefined) return allowAll;
  const exact = new Set<string>();
  const vendors = new Set<string>();
  for (const model of models) {
    const lower = model.toLowerCase();
    if (lower.endsWith('/*')) vendors.add(lower.slice(0, -2));
    else exact.add(lower);
  }
  return (modelId, otherNames) =>
    exact.has(modelId) ||
    vendors.has(modelId.slice(0, modelId.indexOf('/'))) ||
    otherNames(modelId).some((name) => exact.has(name));
}
