/** Failures that a vendor reports as events of a native stream. */

import type { Outbound } from '../formats/format.ts';
import type { GatewayError } from '../lib/errors.ts';
import { decodeSse } from '../streams/sse.ts';
import { run } from '../streams/step.ts';

/** What finds failures in the vendor's format. */
export type FailureReader = Pick<Outbound, 'parseFailure' | 'marks'>;

/** The bytes within which an event or a body shows what kind it is. */
export const HEAD = 1_024;

/**
 * Finds the first failure that says why, or else the first one: Azure's content filter sends a failed response without a
 * word, and the reason in the event after it (maximhq/bifrost#6419). It parses all events, so callers first search for the
 * format's mark `failing`.
 * @param events whole events; what is left of one that was cut parses as nothing.
 */
export function findFailure(
  events: Uint8Array,
  { parseFailure }: Pick<FailureReader, 'parseFailure'>,
): GatewayError | undefined {
  let first: GatewayError | undefined;
  for (const event of run(decodeSse(), [events])) {
    const failure = parseFailure(event);
    if (failure?.isUnexplained === false) return failure;
    first ??= failure;
  }
  return first;
}
