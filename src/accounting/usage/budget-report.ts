/** All budgets of keys and groups, also of those that are not in use, with what is spent according to the store. */

import { hasBudget } from '../../access/limits/limited.ts';
import { sumSpent } from '../../access/limits/model-spending.ts';
import { nextStart } from '../../access/limits/periods.ts';
import { storedByModel, storedSpending } from '../../access/limits/stored-spending.ts';
import { modelFilter } from '../../access/model-filter.ts';
import { formatDay } from '../../lib/calendar.ts';
import { listGroups } from '../../store/keys/groups.ts';
import { type KeyLimits, listBudgets, type ModelLimits, type Period } from '../../store/keys/key-limits.ts';
import { groupRecordFromRow, recordsFromRow } from '../../store/keys/key-record.ts';
import { keysInPieces } from '../../store/keys/list-keys.ts';
import { mapInTurns } from '../../store/map-in-turns.ts';
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

/** Budgets, those of which the smallest share is left first. */
export interface BudgetReport {
  readonly lines: readonly BudgetLine[];
  /** Whether there are more lines than `limit`. */
  readonly more: boolean;
}

/** Reads budgets. @param limit the most lines. @throws if the store cannot be read. */
export type ReadBudgets = (limit: number) => Promise<BudgetReport>;

/** How many keys are read at a time. There may be 100,000, and to hold all of them would keep callers waiting. */
const PIECE = 1_000;

/** When the present period of each kind ends. Each costs as much as 200 other fields of a budget in most time zones. */
type Renewals = Readonly<Record<Period, number | undefined>>;

/** What was spent before today is cached: so this may be read often. */
export function openBudgetReport(
  store: Store,
  { timeZone, configured = () => ({ keys: [], groups: [] }), otherNames = () => [] }: BudgetOptions,
): ReadBudgets {
  const spending = { key: storedSpending(store, 'key'), group: storedSpending(store, 'group') };
  // Of a key or a group, it has a row for each model, so it is read only of those that have limits for some models.
  const byModel = { key: storedByModel(store, 'key'), group: storedByModel(store, 'group') };

  async function listLines(
    of: 'key' | 'group',
    holders: readonly Budgeted[],
    now: number,
    renewals: Renewals,
  ): Promise<BudgetLine[]> {
    const budgeted = holders.filter(({ limits = {}, modelLimits = [] }) =>
      [limits, ...modelLimits].some(hasBudget),
    );
    if (budgeted.length === 0) return [];
    const day = formatDay(now, timeZone);
    const spentOnAll = await spending[of](day, listNames(budgeted));
    const spentByModel = await byModel[of](
      day,
      listNames(budgeted.filter(({ modelLimits = [] }) => modelLimits.some(hasBudget))),
    );
    const found = await mapInTurns(budgeted, ({ name, limits = {}, modelLimits = [] }) => {
      const all: readonly Partial<ModelLimits>[] = [limits, ...modelLimits];
      return all.flatMap(({ models, ...limit }): readonly BudgetLine[] => {
        const allows = modelFilter(models);
        const covered =
          models === undefined
            ? spentOnAll.get(name)
            : sumSpent(spentByModel, name, (model) => allows(model, otherNames));
        return listBudgets(limit).map(({ period, budget }) => ({
          of,
          name,
          ...(models && { models }),
          period,
          budget,
          spent: covered?.[period] ?? 0,
          renews: renewals[period],
        }));
      });
    });
    return found.flat();
  }

  return async (limit) => {
    const { keys, groups } = configured();
    const now = Date.now();
    const renewals = {
      day: nextStart('day', now, timeZone),
      week: nextStart('week', now, timeZone),
      month: nextStart('month', now, timeZone),
      total: nextStart('total', now, timeZone),
    };
    let report: BudgetReport = { lines: [], more: false };
    const add = async (of: 'key' | 'group', holders: readonly Budgeted[]): Promise<void> => {
      report = withLines(report, await listLines(of, holders, now, renewals), limit);
    };
    await add('key', keys);
    for await (const rows of keysInPieces(store, PIECE)) {
      // A rotated key has two records, with the same limits.
      await add(
        'key',
        (await mapInTurns(rows, recordsFromRow)).flatMap((records) => records.slice(0, 1)),
      );
    }
    await add('group', groups);
    await add('group', (await listGroups(store)).map(groupRecordFromRow));
    return report;
  };
}

function listNames(holders: readonly Budgeted[]): ReadonlySet<string> {
  return new Set(holders.map(({ name }) => name));
}

/** The first lines of a report and of further lines. */
function withLines(
  { lines, more }: BudgetReport,
  further: readonly BudgetLine[],
  limit: number,
): BudgetReport {
  const all = [...lines, ...further].toSorted((one, other) => shareSpent(other) - shareSpent(one));
  return { lines: all.slice(0, limit), more: more || all.length > limit };
}

/** A budget of zero is always used up. */
function shareSpent({ budget, spent }: BudgetLine): number {
  return budget === 0 ? Number.POSITIVE_INFINITY : spent / budget;
}
