/** What keys or groups have spent on some models, from the stored spending on each model. */

import { PERIODS, type Period } from '../../store/keys/key-limits.ts';
import type { ModelLimitHolder, RecentModelLimits } from './model-accounts.ts';
import { getPeriods } from './periods.ts';
import type { InitialSpending, Spent, StoredSpending } from './spending.ts';

/** By name and model. */
export type SpentByModel = ReadonlyMap<string, ReadonlyMap<string, Spent>>;

/** Reads the stored spending until the end of a day, of all names or at least of `names`. */
export type StoredByModel = (day: string, names?: ReadonlySet<string>) => Promise<SpentByModel>;

/** @param read reads the store. @param recent the limits in use. */
export function modelSpending(
  read: StoredByModel,
  recent: RecentModelLimits,
): { readonly stored: StoredSpending; readonly initial: InitialSpending } {
  let first: { readonly day: string; readonly spent: SpentByModel } | undefined;
  const getShare = (place: string): ModelLimitHolder | undefined => recent.get(place, performance.now());

  return {
    async stored(day, places) {
      const known = [...(places ?? [])].flatMap((place) => {
        const share = getShare(place);
        return share === undefined ? [] : [[place, share] as const];
      });
      if (first !== undefined && known.length === 0) return new Map();
      const spent = await read(day, first && new Set(known.map(([, { of }]) => of)));
      first ??= { day, spent };
      return new Map(known.map(([place, share]) => [place, sumSpent(spent, share.of, share.has)]));
    },
    // The spending when the process began: which limits apply is not known before their first request.
    initial(place, day) {
      const share = getShare(place);
      return first === undefined || share === undefined
        ? undefined
        : carryOver(sumSpent(first.spent, share.of, share.has), first.day, day);
    },
  };
}

/** What was spent on one day, as it counts on another: nothing in the periods that are over. */
function carryOver(spent: Spent, from: string, to: string): Spent {
  const [before, present] = [getPeriods(from), getPeriods(to)];
  const counted = (period: Period): number => (before[period] === present[period] ? spent[period] : 0);
  return { day: counted('day'), week: counted('week'), month: counted('month'), total: counted('total') };
}

/** What one has spent on the models that are covered. */
export function sumSpent(all: SpentByModel, name: string, covers: (model: string) => boolean): Spent {
  const sum = { day: 0, week: 0, month: 0, total: 0 };
  for (const [model, spent] of all.get(name) ?? [])
    if (covers(model)) for (const period of PERIODS) sum[period] += spent[period];
  return sum;
}
