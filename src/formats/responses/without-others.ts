/**
 * A dialogue that went on with models of other vendors, as OpenAI takes it back (API reference, responses): of thoughts
 * it reads those it has encrypted itself, and for the same account. Whose text alone is there it looks up by their ids,
 * which it does not know.
 * What OpenAI's own SDK has made of an answer it puts beside it (`parsed`), and its API refuses that too.
 */

import { broughtBack } from '../../conversation/signature.ts';
import type { GatewayError } from '../../errors.ts';
import { asList, hasSameItems, isList, isObject, type Json, type JsonObject } from '../../json.ts';
import { refusesThoughts } from './errors.ts';

/** @see Outbound.withoutOthers */
export function withoutOthers(
  request: JsonObject,
  _dialect?: string,
  refusal?: GatewayError,
): JsonObject | undefined {
  const given = asList(request['input']);
  const isOthers = refusal !== undefined && refusesThoughts(refusal) ? isThought : isOthersThought;
  const input = given.filter((item) => !isOthers(item)).map(unparsed);
  return hasSameItems(input, given) ? undefined : { ...request, input };
}

function isThought(item: Json): item is JsonObject {
  return isObject(item) && item['type'] === 'reasoning';
}

/** OpenAI's own are sealed too where another format brought them. */
function isOthersThought(item: Json): boolean {
  if (!isThought(item)) return false;
  const secret = broughtBack(item['encrypted_content'], 'openai');
  return secret === undefined || secret.value !== item['encrypted_content'];
}

/** The item without what the SDK has made of its text and its arguments; itself where there is nothing of that. */
function unparsed(item: Json): Json {
  if (!isObject(item)) return item;
  if (item['parsed_arguments'] !== undefined) {
    const { parsed_arguments: _, ...rest } = item;
    return rest;
  }
  const { content } = item;
  if (!isList(content) || !content.some(isParsed)) return item;
  return {
    ...item,
    content: content.map((part) => {
      if (!isParsed(part)) return part;
      const { parsed: _, ...rest } = part;
      return rest;
    }),
  };
}

function isParsed(part: Json): part is JsonObject {
  return isObject(part) && part['parsed'] !== undefined;
}
