/** `/admin/budgets`: what is spent of all budgets of keys and groups. */

import { z } from 'zod';
import type { BudgetLine } from '../../../accounting/usage/budget-report.ts';
import { roundDollars } from '../../../lib/round-dollars.ts';
import { listLimit } from '../../../lib/zod-fields.ts';
import { PERIODS } from '../../../store/keys/key-limits.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerRows, checked } from './answers.ts';

export const budgetQuery = z.strictObject({
  limit: listLimit(10_000).default(1_000).meta({ description: 'Most budgets to return.' }),
});

const budget = z.strictObject({
  of: z.enum(['key', 'group']),
  name: z.string(),
  models: z.array(z.string()).nullable().meta({ description: 'The models that it covers. null: all.' }),
  period: z.enum(PERIODS),
  budget: z.number().meta({ description: 'US dollars, as below.' }),
  spent: z.number().meta({ description: 'What is spent in the present period, estimates included.' }),
  remaining: z.number().meta({ description: 'Below 0 if the last answers went beyond it.' }),
  renews_at: z.iso.datetime().nullable().meta({ description: 'null: it never renews.' }),
});

export const budgetList = z.strictObject({
  object: z.literal('list'),
  data: z.array(budget).meta({ description: 'Those of which the smallest share is left first.' }),
  has_more: z.boolean().meta({ description: 'Whether there are more than `limit`.' }),
});

/** Lists budgets. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerBudgets(
  _: Store,
  { message, query, readBudgets }: AdminRequest,
): Promise<Response> {
  const { limit } = checked(Object.fromEntries(query), budgetQuery);
  const { lines, more } = await readBudgets(limit);
  return answerRows<z.output<typeof budgetList>, BudgetLine>(
    message,
    { object: 'list', data: lines, has_more: more },
    renderBudget,
  );
}

function renderBudget({
  of,
  name,
  models,
  period,
  budget: limit,
  spent,
  renews,
}: BudgetLine): z.output<typeof budget> {
  return {
    of,
    name,
    models: models === undefined ? null : [...models],
    period,
    budget: limit,
    spent: roundDollars(spent),
    remaining: roundDollars(limit - spent),
    renews_at: renews === undefined ? null : new Date(renews).toISOString(),
  };
}
