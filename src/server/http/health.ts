/** The health checks' answers, for load balancers and operators. */

import { z } from 'zod';

export const health = z.strictObject({ status: z.enum(['ok', 'overloaded', 'draining']) });

/** What the process says of itself: `ok` is the only condition in which it takes new requests. */
export type Condition = z.output<typeof health>['status'];

/** A health check's answer: 200 if all is well, else 503. */
export function answerHealth(status: Condition): Response {
  return Response.json({ status } satisfies z.output<typeof health>, { status: status === 'ok' ? 200 : 503 });
}
