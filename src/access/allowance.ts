/** Which models a key, or a group of keys, may use. */

/** Whether a model is one of some, by its canonical id. @param otherNames gives the other ids that lead to it. */
export type Allowance = (modelId: string, otherNames: (modelId: string) => readonly string[]) => boolean;

/**
 * @param models ids and `vendor/*`; absent means every model. Another name opens its model as the model's own id does,
 * but `vendor/*` is for what is the vendor's, not for what is only called so.
 */
export function allowance(models: readonly string[] | undefined): Allowance {
  if (models === undefined) return () => true;
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
