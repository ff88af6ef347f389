/** The data of an answer's events as JSON, and what an answer that cannot be read is told as. */

import { isTooDeep } from '../conversation/arguments.ts';
import { GatewayError } from '../errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts';

/** Shorter data is never nested too deep, and is not looked through: each level takes two characters. */
const LEAST_DEEP = 1000;

/** @param what what the upstream sent instead of what it should have. */
export function broken(what: string): GatewayError {
  return new GatewayError('upstream-broken', `The upstream sent ${what}.`);
}

/** @throws GatewayError `upstream-broken` where `parse` cannot read the data, or nobody could write it again. */
export function eventValue(data: string, parse: (text: string) => Json = parseJson): Json {
  let value: Json;
  try {
    value = parse(data);
  } catch (cause) {
    throw new GatewayError('upstream-broken', 'The upstream sent an event that is not JSON.', { cause });
  }
  if (data.length > LEAST_DEEP && isTooDeep(value)) throw broken('an event that is nested too deeply');
  return value;
}

/** @throws GatewayError `upstream-broken` where the data is no JSON object. */
export function eventObject(data: string): JsonObject {
  const value = eventValue(data);
  if (!isObject(value)) throw broken('an event that is not an object');
  return value;
}
