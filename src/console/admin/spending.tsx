/** What keys or groups have spent, against their budgets. */

import type { Session } from '../session/session.ts';
import { askAdmin } from './ask-admin.ts';
import { dollars, lineName, type Report } from './figures.ts';
import type { Limits } from './limits.ts';

/** US dollars by name, of today and of this month (UTC). Budgets count estimates too. */
export interface Spending {
  readonly today: ReadonlyMap<string, number>;
  readonly month: ReadonlyMap<string, number>;
}

export async function readSpending(session: Session, by: 'key' | 'group'): Promise<Spending> {
  const today = new Date().toISOString().slice(0, 10);
  const read = async (from: string): Promise<ReadonlyMap<string, number>> => {
    const asked = new URLSearchParams({ from, to: today, by, limit: '10000' });
    const { data } = await askAdmin<Report>(session, 'GET', `/admin/usage?${asked}`);
    return new Map(data.map((line) => [lineName(line, by), line.cost + line.estimated_cost]));
  };
  const [day, month] = await Promise.all([read(today), read(`${today.slice(0, 8)}01`)]);
  return { today: day, month };
}

/** What one has spent, with a bar where there is a budget. */
export function Spent({ name, limits, spending }: { name: string; limits: Limits; spending: Spending }) {
  return (
    <span class="spent">
      <Bar
        name={`${name} today`}
        spent={spending.today.get(name) ?? 0}
        budget={limits.budget_day}
        of="today"
      />
      <Bar
        name={`${name} this month`}
        spent={spending.month.get(name) ?? 0}
        budget={limits.budget_month}
        of="month"
      />
    </span>
  );
}

function Bar({
  name,
  spent,
  budget,
  of,
}: {
  name: string;
  spent: number;
  budget: number | null;
  of: string;
}) {
  return (
    <span>
      {dollars(spent)}
      {budget !== null && ` of ${dollars(budget)}`} <small>{of}</small>
      {budget !== null && (
        <meter
          min={0}
          max={budget || 1}
          high={(budget || 1) * 0.8}
          value={Math.min(spent, budget)}
          aria-label={`Spending of ${name}`}
        >
          {dollars(spent)}
        </meter>
      )}
    </span>
  );
}
