/** Answers that cannot be read. */

import { isDeeper } from '../../conversation/arguments.ts';
import { GatewayError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';

/** Deeper than any answer, shallower than what JSON.stringify can write before its stack is full. */
const MAX_DEPTH = 500;

/** @param what what the upstream sent instead of what it should have. */
export function broken(what: string): GatewayError {
  return new GatewayError('upstream-broken', `The upstream sent ${what}.`);
}

/**
 * @param value what `data` is as JSON; each level of it takes two characters at least.
 * @throws GatewayError `upstream-broken` for a value that could not be written again.
 */
export function checkDepth(value: JsonObject, data: string): void {
  if (data.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH))
    throw broken('an event that is nested too deep');
}
