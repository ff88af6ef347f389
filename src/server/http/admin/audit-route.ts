/** `/admin/audit`: the trail of changes to keys and groups. */

import { z } from 'zod';
import { GatewayError } from '../../../lib/errors.ts';
import { isoTime, listLimit, wantedText } from '../../../lib/zod-fields.ts';
import { AUDIT_ACTIONS, hasAudit, listAudit } from '../../../store/audit.ts';
import { auditEntry, renderAudit } from '../../../store/audit-view.ts';
import type { Store } from '../../../store/store.ts';
import { type AdminRequest, answerJson, checked } from './answers.ts';

export const auditQuery = z.strictObject({
  from: isoTime.exactOptional().meta({ description: 'Only entries of this time or later.' }),
  until: isoTime.exactOptional().meta({ description: 'Only entries before this time.' }),
  action: z.enum(AUDIT_ACTIONS).exactOptional().meta({ description: 'Only entries of this action.' }),
  target: wantedText
    .exactOptional()
    .meta({ description: 'Only entries of the key or the group of this name.' }),
  limit: listLimit(1_000).default(100).meta({ description: 'Most entries to return.' }),
  after: z
    .string()
    .regex(/^audit_[0-9a-z]+$/, 'must be the id of an entry')
    .exactOptional()
    .meta({
      description:
        'Only entries after (older than) the one with this id: the `last_id` of the previous page.',
    }),
});

export const auditList = z.strictObject({
  object: z.literal('list'),
  data: z.array(auditEntry).meta({ description: 'Newest first.' }),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

/** Lists a page of the trail. @throws GatewayError `invalid-request` for an invalid query. */
export async function answerAudit(store: Store, { query }: AdminRequest): Promise<Response> {
  const { from, until, ...asked } = checked(Object.fromEntries(query), auditQuery);
  const { after } = asked;
  if (after !== undefined && !(await hasAudit(store, after)))
    throw new GatewayError('invalid-request', `after: there is no entry ${after}.`, { param: 'after' });
  const { rows, more } = await listAudit(store, {
    ...asked,
    from: from === undefined ? undefined : Date.parse(from),
    until: until === undefined ? undefined : Date.parse(until),
  });
  return answerJson({
    object: 'list',
    data: rows.map(renderAudit),
    first_id: rows[0]?.id ?? null,
    last_id: rows.at(-1)?.id ?? null,
    has_more: more,
  } satisfies z.output<typeof auditList>);
}
