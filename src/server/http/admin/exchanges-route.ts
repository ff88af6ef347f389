/** `/admin/exchanges`: the latest exchanges. */

import { z } from 'zod';
import { exchangeQuery, exchangeView, listExchanges } from '../../../accounting/usage/list-exchanges.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerJson, checked } from './answers.ts';

export const exchangeList = z.strictObject({
  object: z.literal('list'),
  data: z.array(exchangeView).meta({ description: 'The latest first.' }),
  has_more: z.boolean(),
  next_page: z
    .string()
    .nullable()
    .meta({ description: 'The `page` to ask for next. null: there are no more.' }),
});

/** Lists exchanges. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerExchanges(store: Store, { query }: AdminRequest): Promise<Response> {
  const asked = checked(Object.fromEntries(query), exchangeQuery);
  const { exchanges, next } = await listExchanges(store, asked);
  const list: z.output<typeof exchangeList> = {
    object: 'list',
    data: [...exchanges],
    has_more: next !== null,
    next_page: next,
  };
  return answerJson(list);
}
