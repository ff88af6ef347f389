/**
 * A dialogue that went on with models of other vendors, as OpenAI takes it back (API reference, responses): of thoughts
 * it reads those it has encrypted itself. Whose text alone is there it looks up by their ids, which it does not know.
 */

import { unseal } from '../../conversation/signature.ts';
import { asList, asText, isObject, type Json, type JsonObject } from '../../json.ts';

/** @see Outbound.withoutOthers */
export function withoutOthers(request: JsonObject): JsonObject | undefined {
  const given = asList(request['input']);
  const input = given.filter((item) => !isOthersThought(item));
  return input.length === given.length ? undefined : { ...request, input };
}

function isOthersThought(item: Json): boolean {
  if (!isObject(item) || item['type'] !== 'reasoning') return false;
  const secret = asText(item['encrypted_content']);
  return !secret || unseal(secret, 'openai').origin !== 'openai';
}
