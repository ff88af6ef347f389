/** What `gateway audit` may be asked for. It is loaded when the command runs, because its help must not wait for zod. */

import { z } from 'zod';
import { AUDIT_ACTIONS } from '../store/audit.ts';

export const auditOptions = z.object({
  target: z.string().optional(),
  action: z.enum(AUDIT_ACTIONS, { error: `must be one of ${AUDIT_ACTIONS.join(', ')}` }).optional(),
  limit: z.coerce.number().int().min(1).max(10_000),
});
