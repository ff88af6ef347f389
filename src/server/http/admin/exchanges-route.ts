/** `/admin/exchanges`: the latest exchanges. */

import { z } from 'zod';
import { exchangeQuery, exchangeView, listExchanges } from '../../../accounting/usage/list-exchanges.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerJson, checked } from './answers.ts';

export const exchangeList = z.strictObject({
  object: z.literal('list'),
  data: z.array(exchangeView).meta({ description: 'The latest first.' }),
});

/** Lists exchanges. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerExchanges(store: Store, { query }: AdminRequest): Promise<Response> {
  const asked = checked(Object.fromEntries(query), exchangeQuery);
  const data = [...(await listExchanges(store, asked))];
  return answerJson({ object: 'list', data } satisfies z.output<typeof exchangeList>);
}
