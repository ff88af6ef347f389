/** All budgets of keys and groups, also of those in the configuration, the ones nearest to their end first. */

import type { Session } from '../session/session.ts';
import { Problem } from '../shell/fields.tsx';
import { useAdmin } from './ask-admin.ts';
import { dollars } from './figures.ts';
import { showModels } from './limits.ts';
import { type Budget, BudgetBar, budgetKey, PERIODS, readBudgets } from './spending.tsx';
import { type Column, numberColumn, Table } from './table.tsx';

/** Milliseconds between two requests: the gateway reads all keys for each. */
const INTERVAL = 30_000;

/** The most budgets that are shown. */
const MAX_BUDGETS = 100;

const COLUMNS: readonly Column<Budget>[] = [
  {
    name: 'of',
    value: ({ of, name }) => `${of} ${name}`,
    show: ({ of, name }) => (
      <span class="named">
        <small>{of}</small> <strong>{name}</strong>
      </span>
    ),
  },
  {
    name: 'models',
    value: showModels,
    show: (budget) => <span class="wrapped">{showModels(budget)}</span>,
    isDetail: 'on phones',
  },
  { name: 'period', value: ({ period }) => PERIODS[period], isDetail: 'on phones' },
  {
    name: 'spent',
    value: ({ spent }) => spent,
    show: (budget) => (
      <span class="spent">
        <BudgetBar budget={budget} />
      </span>
    ),
  },
  numberColumn('budget', ({ budget }) => budget, dollars, 'on phones'),
  {
    name: 'left',
    isDetail: 'on phones',
    value: ({ remaining }) => remaining,
    show: ({ remaining }) => (
      <span class={remaining <= 0 ? 'bad' : ''}>
        {remaining < 0 ? `−${dollars(-remaining)}` : dollars(remaining)}
      </span>
    ),
  },
  {
    name: 'renews (UTC)',
    value: ({ renews_at: renews }) => renews,
    show: ({ renews_at: renews }) => renews?.slice(0, 16).replace('T', ' ') ?? 'never',
    isDetail: 'on phones',
  },
];

/** Nothing where there are no budgets. A problem that the view shows already is not repeated. */
export function BudgetsCard({ session, shownProblem }: { session: Session; shownProblem: string }) {
  const { data, problem } = useAdmin(session, '', () => readBudgets(session, MAX_BUDGETS), INTERVAL);
  if (data === undefined) return problem === shownProblem ? null : <Problem text={problem} />;
  if (data.data.length === 0) return null;
  return (
    <section class="card" aria-labelledby="budgets-title">
      <h2 id="budgets-title">
        Budgets{' '}
        <small>
          {data.has_more ? `the ${MAX_BUDGETS} nearest to their end` : 'the nearest to its end first'}
        </small>
      </h2>
      <Table
        label="Spending against budgets"
        file="budgets"
        columns={COLUMNS}
        rows={data.data}
        rowKey={budgetKey}
      />
    </section>
  );
}
