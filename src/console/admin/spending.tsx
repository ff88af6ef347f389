/** What keys or groups have spent, against their budgets. */

import type { Session } from '../session/session.ts';
import { type AdminData, askAdmin, useAdmin } from './ask-admin.ts';
import { askLatest, startOfMonth } from './days.ts';
import { dollars, lineName, type Report } from './figures.ts';

/** A budget of a key or a group, and what is spent of it, as requests are held to it. */
export interface Budget {
  readonly of: 'key' | 'group';
  readonly name: string;
  /** The models that it covers; null: all. */
  readonly models: readonly string[] | null;
  readonly period: 'day' | 'week' | 'month' | 'total';
  /** US dollars, here and below. */
  readonly budget: number;
  readonly spent: number;
  /** Below 0 if the last answers went beyond it. */
  readonly remaining: number;
  /** null: it never renews. */
  readonly renews_at: string | null;
}

/** Budgets, those of which the smallest share is left first. */
export interface BudgetList {
  readonly data: readonly Budget[];
  readonly has_more: boolean;
}

/** What the gateway says of budgets. @param limit of how many at most */
export function readBudgets(session: Session, limit: number): Promise<BudgetList> {
  return askAdmin<BudgetList>(session, 'GET', `/admin/budgets?limit=${limit}`);
}

export interface Spending {
  /** US dollars of this month by name, estimates included, whether there is a budget or not. */
  readonly month: ReadonlyMap<string, number>;
  /** The budgets by the name of who has them, by period, those for all models first. */
  readonly budgets: ReadonlyMap<string, readonly Budget[]>;
  /** Whether there are more budgets than the admin API lists at once. */
  readonly hasMore: boolean;
}

/** The most lines that the admin API lists at once. */
const MAX_LINES = 10_000;

/** Asked for on its own: over very many keys with budgets it takes half a minute, and the list need not wait for it. */
export function useSpending(session: Session, by: 'key' | 'group'): AdminData<Spending> {
  return useAdmin(session, by, () => readSpending(session, by));
}

async function readSpending(session: Session, by: 'key' | 'group'): Promise<Spending> {
  const { today } = await askLatest(session);
  const asked = new URLSearchParams({
    from: startOfMonth(today),
    to: today,
    by,
    limit: String(MAX_LINES),
  });
  const [report, { data, has_more: hasMore }] = await Promise.all([
    askAdmin<Report>(session, 'GET', `/admin/usage?${asked}`),
    readBudgets(session, MAX_LINES),
  ]);
  return {
    month: new Map(report.data.map((line) => [lineName(line, by), line.cost + line.estimated_cost])),
    budgets: Map.groupBy(data.filter(({ of }) => of === by).toSorted(compare), ({ name }) => name),
    hasMore,
  };
}

/** The words for the period of a budget. */
export const PERIODS = {
  day: 'today',
  week: 'this week',
  month: 'this month',
  total: 'in total',
} as const satisfies Readonly<Record<Budget['period'], string>>;

/** The order of budgets of one name: those for all models first, then by period. */
function compare(one: Budget, other: Budget): number {
  const rank = ({ models, period }: Budget): number =>
    (models === null ? 0 : 10) + Object.keys(PERIODS).indexOf(period);
  return rank(one) - rank(other);
}

/** What one has spent: a bar for each budget, and this month's sum where no budget for all models says it. */
export function Spent({
  name,
  spending,
  hasBudgets = true,
}: {
  name: string;
  spending: Spending;
  /** Whether budgets hold it; a revoked key may have the name of another one, which has some. */
  hasBudgets?: boolean;
}) {
  const budgets = hasBudgets ? (spending.budgets.get(name) ?? []) : [];
  const saysMonth = budgets.some(({ models, period }) => models === null && period === 'month');
  return (
    <span class="spent">
      {budgets.map((budget) => (
        <BudgetBar key={budgetKey(budget)} budget={budget} />
      ))}
      {!saysMonth && (
        <span>
          {dollars(spending.month.get(name) ?? 0)} <small>this month</small>
        </span>
      )}
    </span>
  );
}

/** Says so where not every budget has its bar. */
export function MissingBudgets({ spending }: { spending: Spending }) {
  if (!spending.hasMore) return null;
  return (
    <p class="hint" role="status">
      Only the {MAX_LINES} budgets that are nearest to their end are shown.
    </p>
  );
}

/** What tells a budget from all others. */
export function budgetKey({ of, name, models, period }: Budget): string {
  return JSON.stringify([of, name, models, period]);
}

export function BudgetBar({
  budget: { name, models, period, budget, spent, renews_at: renews },
}: {
  budget: Budget;
}) {
  const words = models === null ? PERIODS[period] : `${PERIODS[period]}, ${models.join(', ')}`;
  return (
    <span
      title={
        renews === null ? 'It never renews.' : `It renews at ${renews.slice(0, 16).replace('T', ' ')} UTC.`
      }
    >
      {dollars(spent)} of {dollars(budget)} <small>{words}</small>
      <meter
        min={0}
        max={budget || 1}
        high={(budget || 1) * 0.8}
        // A budget of zero is always used up.
        value={budget === 0 ? 1 : Math.min(spent, budget)}
        aria-label={`Spending of ${name} ${words}`}
      >
        {dollars(spent)}
      </meter>
    </span>
  );
}
