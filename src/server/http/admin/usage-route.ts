/** `/admin/usage`: usage and its cost. */

import { z } from 'zod';
import { reportUsage, type UsageLine } from '../../../accounting/usage/report.ts';
import { completeQuery, usageQuery } from '../../../accounting/usage/usage-query.ts';
import { lineView, renderFigures, usageFigures, usageLine } from '../../../accounting/usage/usage-view.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerRows, checked } from './answers.ts';

export const usageAnswer = z.strictObject({
  object: z.literal('list'),
  from: z.iso.date(),
  to: z.iso.date(),
  data: z.array(usageLine),
  has_more: z.boolean().meta({ description: 'Whether there are more lines than `limit`.' }),
  total: usageFigures.meta({
    description: 'The sum of everything that matches, including lines beyond `limit`.',
  }),
});

/** Reports usage. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerUsage(
  store: Store,
  { message, query, timeZone }: AdminRequest,
): Promise<Response> {
  const asked = completeQuery(checked(Object.fromEntries(query), usageQuery), Date.now(), timeZone);
  const { lines, total, more } = await reportUsage(store, asked);
  return answerRows<z.output<typeof usageAnswer>, UsageLine>(
    message,
    {
      object: 'list',
      from: asked.from,
      to: asked.to,
      data: lines,
      has_more: more,
      total: renderFigures(total),
    },
    lineView,
  );
}
