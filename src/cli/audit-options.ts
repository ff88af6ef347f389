/** What `gateway audit` may be asked for. It is loaded when the command runs, because its help must not wait for zod. */

import { z } from 'zod';
import { listLimit } from '../lib/zod-fields.ts';
import { AUDIT_ACTIONS } from '../store/audit.ts';

export const auditOptions = z.object({
  target: z.string().optional(),
  action: z.enum(AUDIT_ACTIONS, { error: `must be one of ${AUDIT_ACTIONS.join(', ')}` }).optional(),
  limit: listLimit(10_000),
});
