/** What keys or groups have spent on some models, from the stored spending on each model. */

import type { Share, Shares } from './model-accounts.ts';
import type { AtFirst, Month, Spent, StoredSpending } from './spending.ts';

/** US dollars, by name and model. */
export type SpentByModel = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Reads the stored spending, of all names or at least of `names`. */
export type StoredByModel = (day: string, names?: ReadonlySet<string>) => Promise<Month<SpentByModel>>;

export interface ModelSpending {
  readonly stored: StoredSpending;
  /** The spending when the process began: which limits apply is not known before their first request. */
  readonly atFirst: AtFirst;
}

/** @param read reads the store. @param shares the limits in use. */
export function modelSpending(read: StoredByModel, shares: Shares): ModelSpending {
  let first: (Month<SpentByModel> & { readonly day: string }) | undefined;
  const getShare = (place: string): Share | undefined => shares.get(place, performance.now());

  return {
    async stored(day, places) {
      const known = [...(places ?? [])].flatMap((place) => {
        const share = getShare(place);
        return share === undefined ? [] : [[place, share] as const];
      });
      if (first !== undefined && known.length === 0) return new Map();
      const month = await read(day, first && new Set(known.map(([, { of }]) => of)));
      first ??= { day, ...month };
      return new Map(known.map(([place, share]) => [place, getSpent(share, month)]));
    },
    atFirst(place, day) {
      const share = getShare(place);
      if (first === undefined || share === undefined || first.day.slice(0, 7) !== day.slice(0, 7))
        return undefined;
      const spent = getSpent(share, first);
      return first.day === day ? spent : { day: 0, month: spent.month };
    },
  };
}

function getSpent({ of, has }: Share, { before, today }: Month<SpentByModel>): Spent {
  const sum = (spent: SpentByModel): number =>
    [...(spent.get(of) ?? [])].reduce((all, [model, dollars]) => (has(model) ? all + dollars : all), 0);
  const day = sum(today);
  return { day, month: sum(before) + day };
}
