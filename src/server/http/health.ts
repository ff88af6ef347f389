/** The health checks' answers, for load balancers and operators. */

import { z } from 'zod';

export const health = z.strictObject({ status: z.enum(['ok', 'overloaded', 'draining']) });

/** What the process says of itself: `ok` is the only condition in which it takes new requests. */
export type Condition = z.output<typeof health>['status'];

/** `GET /health/live`: 200 while the process runs. */
export function answerLive(): Response {
  return Response.json({ status: 'ok' } satisfies z.output<typeof health>);
}

/** `GET /health/ready`: 200 while new requests are taken, else 503. */
export function answerReady(status: Condition): Response {
  return Response.json({ status } satisfies z.output<typeof health>, { status: status === 'ok' ? 200 : 503 });
}
