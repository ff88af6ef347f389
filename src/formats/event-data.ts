/** The data of an answer's events as JSON, and the error for an answer that cannot be read. */

import { GatewayError } from '../lib/errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../lib/json.ts';
import { isBounded } from '../lib/json-bounds.ts';

/** Shorter data costs little however it is nested, and is not checked. Most events are shorter. */
const SHORT = 1000;

/** An `upstream-broken` error. @param what names what the upstream sent, e.g. `an event that is not an object`. */
export function brokenAnswer(what: string): GatewayError {
  return new GatewayError('upstream-broken', `The upstream sent ${what}.`);
}

/**
 * The value in the data of an event, which may be a whole answer.
 * @param parse throws if the text is not JSON.
 * @throws GatewayError `upstream-broken` if `parse` cannot read the data, or if the data holds more JSON than the
 *   gateway reads and writes (`isBounded`).
 */
export function parseEventValue(data: string, parse: (text: string) => Json = parseJson): Json {
  if (data.length > SHORT && !isBounded(data)) {
    throw brokenAnswer('an event that holds too much JSON, or is nested too deeply');
  }
  try {
    return parse(data);
  } catch (cause) {
    throw new GatewayError('upstream-broken', 'The upstream sent an event that is not JSON.', { cause });
  }
}

/** The object in the data of an event. @throws GatewayError `upstream-broken` if the data is not a JSON object. */
export function parseEventObject(data: string): JsonObject {
  const value = parseEventValue(data);
  if (!isObject(value)) throw brokenAnswer('an event that is not an object');
  return value;
}

/** Matches words, which are no part of any JSON: a fragment of an object has quotes, brackets or braces in it. */
const WORDS = /^(?:: ?)?[A-Za-z][\w .-]{0,63}$/;

/**
 * Whether an event's data says nothing. Services keep a stream open with empty data, null, an empty list (Claude on
 * Azure, langchain4j/langchain4j#5353) or words, such as a comment that a relay has put into the data of an event
 * (`data: : OPENROUTER PROCESSING`, mnfst/llm-gateway#2053). If they are the words of a failure, the stream lacks its end.
 * @param event the name of the event.
 */
export function saysNothing(data: string, event: string | undefined): boolean {
  if (data.startsWith('{')) return false;
  return data === '' || data === '[]' || data === 'null' || (event !== 'error' && WORDS.test(data));
}
