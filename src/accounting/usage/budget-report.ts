/** All budgets of keys and groups, also of those that are not in use, with what is spent according to the store. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { allowance } from '../../access/allowance.ts';
import type { SpentByModel } from '../../access/limits/model-spending.ts';
import { nextStart } from '../../access/limits/periods.ts';
import type { Spent } from '../../access/limits/spending.ts';
import { storedByModel } from '../../access/limits/stored-spending.ts';
import { formatDay } from '../../lib/calendar.ts';
import { listGroups } from '../../store/keys/groups.ts';
import {
  BUDGETS,
  type KeyLimits,
  type ModelLimits,
  PERIODS,
  type Period,
} from '../../store/keys/key-limits.ts';
import { groupRecordFromRow, recordsFromRow } from '../../store/keys/key-record.ts';
import { listKeys } from '../../store/keys/list-keys.ts';
import type { Store } from '../../store/store.ts';

/** Those who have budgets. */
export interface Budgeted {
  readonly name: string;
  readonly limits?: KeyLimits | undefined;
  readonly modelLimits?: readonly ModelLimits[] | undefined;
}

export interface BudgetLine {
  readonly of: 'key' | 'group';
  readonly name: string;
  /** The models that it covers; absent means all. */
  readonly models?: readonly string[];
  readonly period: Period;
  /** US dollars. */
  readonly budget: number;
  readonly spent: number;
  /** Milliseconds since 1970; undefined if it never renews. */
  readonly renews: number | undefined;
}

export interface BudgetOptions {
  readonly timeZone: string;
  /** Keys and groups of the configuration. */
  readonly configured?: () => { readonly keys: readonly Budgeted[]; readonly groups: readonly Budgeted[] };
  /** The other ids that lead to a model; absent: none. */
  readonly otherNames?: (model: string) => readonly string[];
}

/** Reads all budgets, those of which the smallest share is left first. @throws if the store cannot be read. */
export type ReadBudgets = () => Promise<readonly BudgetLine[]>;

/** How many keys or groups are worked on in one turn of the event loop. */
const IN_ONE_TURN = 1_000;

/** When the present period of each kind ends. Each costs as much as 200 other fields of a budget in most time zones. */
type Renewals = Readonly<Record<Period, number | undefined>>;

/** What was spent before today is cached: so this may be read often. */
export function openBudgetReport(
  store: Store,
  { timeZone, configured = () => ({ keys: [], groups: [] }), otherNames = () => [] }: BudgetOptions,
): ReadBudgets {
  const spending = { key: storedByModel(store, 'key'), group: storedByModel(store, 'group') };

  async function listLines(
    of: 'key' | 'group',
    holders: readonly Budgeted[],
    now: number,
    renewals: Renewals,
  ): Promise<BudgetLine[]> {
    const budgeted = holders.filter(hasBudget);
    if (budgeted.length === 0) return [];
    const names = new Set(budgeted.map(({ name }) => name));
    const spent = await spending[of](formatDay(now, timeZone), names);
    return await flatMapInTurns(budgeted, ({ name, limits = {}, modelLimits = [] }) => [
      ...lines(
        { of, name },
        limits,
        sumUp(spent, name, () => true),
        renewals,
      ),
      ...modelLimits.flatMap((limit) => {
        const allows = allowance(limit.models);
        const covered = sumUp(spent, name, (model) => allows(model, otherNames));
        return lines({ of, name, models: limit.models }, limit, covered, renewals);
      }),
    ]);
  }

  function lines(
    holder: Pick<BudgetLine, 'of' | 'name' | 'models'>,
    limits: KeyLimits,
    spent: Spent,
    renewals: Renewals,
  ): BudgetLine[] {
    return PERIODS.flatMap((period) => {
      const budget = limits[BUDGETS[period]];
      if (budget === undefined) return [];
      return [{ ...holder, period, budget, spent: spent[period], renews: renewals[period] }];
    });
  }

  return async () => {
    const { keys, groups } = configured();
    // A rotated key has two records, with the same limits.
    const stored = await flatMapInTurns(await listKeys(store), (row) => recordsFromRow(row).slice(0, 1));
    const storedGroups = (await listGroups(store)).map(groupRecordFromRow);
    const now = Date.now();
    const renewals = {
      day: nextStart('day', now, timeZone),
      week: nextStart('week', now, timeZone),
      month: nextStart('month', now, timeZone),
      total: nextStart('total', now, timeZone),
    };
    const all = [
      ...(await listLines('key', [...keys, ...stored], now, renewals)),
      ...(await listLines('group', [...groups, ...storedGroups], now, renewals)),
    ];
    return all.toSorted((one, other) => shareSpent(other) - shareSpent(one));
  };
}

/** There may be 100,000 keys, and callers are served meanwhile. */
async function flatMapInTurns<T, U>(all: readonly T[], make: (one: T) => readonly U[]): Promise<U[]> {
  const made: U[] = [];
  for (const [at, one] of all.entries()) {
    if (at % IN_ONE_TURN === IN_ONE_TURN - 1) await nextTurn();
    made.push(...make(one));
  }
  return made;
}

function hasBudget({ limits, modelLimits = [] }: Budgeted): boolean {
  return [limits ?? {}, ...modelLimits].some((each) =>
    PERIODS.some((period) => each[BUDGETS[period]] !== undefined),
  );
}

function sumUp(all: SpentByModel, name: string, covers: (model: string) => boolean): Spent {
  const sum = { day: 0, week: 0, month: 0, total: 0 };
  for (const [model, spent] of all.get(name) ?? [])
    if (covers(model)) for (const period of PERIODS) sum[period] += spent[period];
  return sum;
}

/** A budget of zero is always used up. */
function shareSpent({ budget, spent }: BudgetLine): number {
  return budget === 0 ? Number.POSITIVE_INFINITY : spent / budget;
}
