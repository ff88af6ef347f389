/** The data of an answer's events as JSON, and what an answer that cannot be read is told as. */

import { GatewayError } from '../lib/errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../lib/json.ts';
import { isBounded } from '../lib/json-bounds.ts';

/** Shorter data costs little however it is nested, and is not looked through: most events are. */
const SHORT = 1000;

/** @param what what the upstream sent instead of what it should have. */
export function broken(what: string): GatewayError {
  return new GatewayError('upstream-broken', `The upstream sent ${what}.`);
}

/**
 * The data of an event, which may be a whole answer.
 * @throws GatewayError `upstream-broken` where `parse` cannot read the data; before it tries, where that would cost too
 *   much, or nobody could write it again.
 */
export function eventValue(data: string, parse: (text: string) => Json = parseJson): Json {
  if (data.length > SHORT && !isBounded(data)) {
    throw broken('an event that holds too much JSON, or is nested too deeply');
  }
  try {
    return parse(data);
  } catch (cause) {
    throw new GatewayError('upstream-broken', 'The upstream sent an event that is not JSON.', { cause });
  }
}

/** @throws GatewayError `upstream-broken` where the data is no JSON object. */
export function eventObject(data: string): JsonObject {
  const value = eventValue(data);
  if (!isObject(value)) throw broken('an event that is not an object');
  return value;
}
