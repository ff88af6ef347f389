/** The limits of keys and of groups, as they are stored and looked up. */

/** How much a key may use, or all keys of a group together. What is absent is not limited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrentRequests?: number;
  /** US dollars, for a day and for a month of UTC. */
  readonly budgetDay?: number;
  readonly budgetMonth?: number;
}

/** How much may be used of some models, beside what may be of all of them. */
export interface ModelLimits extends KeyLimits {
  /** Ids, a model's own or any that leads to it, and `vendor/*`. */
  readonly models: readonly string[];
}

/** What is the same for the same models, however they are listed. No name of a model has a space in it. */
export function modelsId(models: readonly string[]): string {
  return [...new Set(models.map((model) => model.toLowerCase()))].toSorted().join(' ');
}

/** Whether no two limits are for the same models: their figures are kept under those, and would count twice. */
export function areOfOtherModels(all: readonly Pick<ModelLimits, 'models'>[]): boolean {
  return new Set(all.map(({ models }) => modelsId(models))).size === all.length;
}
