/** Limits of keys and groups, as they are stored and enforced. */

/** The periods that budgets are for, the shortest first. A `total` budget never renews. */
export const PERIODS = ['day', 'week', 'month', 'total'] as const;

export type Period = (typeof PERIODS)[number];

/** The limit that is the budget of each period. */
export const BUDGETS = {
  day: 'budgetDay',
  week: 'budgetWeek',
  month: 'budgetMonth',
  total: 'budgetTotal',
} as const satisfies Readonly<Record<Period, keyof KeyLimits>>;

/**
 * What a request holds of budgets until its cost is known: what a `typical` answer costs, or its `longest`. With
 * `longest`, budgets are not overspent.
 */
export const BUDGET_RESERVES = ['typical', 'longest'] as const;

export type BudgetReserve = (typeof BUDGET_RESERVES)[number];

/** How much a key, or all keys of a group together, may use. An absent limit does not apply. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrentRequests?: number;
  /** US dollars per day, week (from Monday) and calendar month, and for as long as the name exists. */
  readonly budgetDay?: number;
  readonly budgetWeek?: number;
  readonly budgetMonth?: number;
  readonly budgetTotal?: number;
  /** Absent means `typical`. */
  readonly budgetReserve?: BudgetReserve;
}

/** The budgets among some limits, that of the shortest period first. */
export function listBudgets(
  limits: KeyLimits,
): readonly { readonly period: Period; readonly budget: number }[] {
  return PERIODS.flatMap((period) => {
    const budget = limits[BUDGETS[period]];
    return budget === undefined ? [] : [{ period, budget }];
  });
}

/** How much may be used of some models. These limits apply in addition to those for all models. */
export interface ModelLimits extends KeyLimits {
  /** Ids of models, including aliases, and `vendor/*`. */
  readonly models: readonly string[];
}

/**
 * An id for a set of models that does not depend on their order or case. It is the ids joined with spaces: no id has a
 * space in it.
 */
export function getModelsId(models: readonly string[]): string {
  return [...new Set(models.map((model) => model.toLowerCase()))].toSorted().join(' ');
}

/**
 * Whether all limits are for different sets of models. Their figures are stored under the set, so two limits for one
 * set would count twice.
 */
export function haveDistinctModels(all: readonly Pick<ModelLimits, 'models'>[]): boolean {
  return new Set(all.map(({ models }) => getModelsId(models))).size === all.length;
}
