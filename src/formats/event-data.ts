/** The data of an answer's events as JSON, and what an answer that cannot be read is told as. */

import { GatewayError } from '../errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts';

/** Deeper than any answer, shallower than what JSON.stringify can write before its stack is full. */
export const MAX_DEPTH = 500;

/** @param what what the upstream sent instead of what it should have. */
export function broken(what: string): GatewayError {
  return new GatewayError('upstream-broken', `The upstream sent ${what}.`);
}

/** @throws GatewayError `upstream-broken` where `parse` cannot read the data. */
export function eventValue(data: string, parse: (text: string) => Json = parseJson): Json {
  try {
    return parse(data);
  } catch (cause) {
    throw new GatewayError('upstream-broken', 'The upstream sent an event that is not JSON.', { cause });
  }
}

/** @throws GatewayError `upstream-broken` where the data is no JSON object. */
export function eventObject(data: string): JsonObject {
  const value = eventValue(data);
  if (!isObject(value)) throw broken('an event that is no object');
  return value;
}
