/**
 * What a prompt asks for in words, which a model obeys as it does the fields of a request: an answer that is JSON, by a
 * schema or not, and the call of a tool. The gateway itself writes such words for models that lack the field.
 */

import type { JsonObject } from '../lib/json.ts';
import { isObject, tryParseJson } from '../lib/json.ts';
import type { Ask } from './ask.ts';

/** The order to answer in JSON, within one sentence: `Answer with one JSON object and nothing else`. */
const WANTS_JSON =
  /\b(?:answer|respond|reply|return|output|write|give|produce)\b[^.!?\n]{0,80}\bJSON\b(?![- ]?(?:rpc|lines|path|web))/i;

/** Words that make of a mention an order, in a system prompt: those of agents mention JSON for many reasons. */
const NOTHING_ELSE = /\b(?:only|nothing else|no other text|no code fence|no prose|without any other text)\b/i;

const NAMES_SCHEMA = /\bschema\b/i;

/** `Answer with a call of the tool "search", not with text.` */
const DEMANDS_CALL =
  /(?:answer with a call of|you must call|you must use)\s+(?:(?:one|any) of (?:the|your|these) tools|the tool ["'`“]([^"'`”\n]{1,128})["'`”])[^\n.!?]*[.!?]?/i;

/**
 * @returns the request with what its words ask for put where its fields would ask for it. Fields come first: words only
 *   add a schema to a request for JSON, JSON to one that asks for no form, and a call to one that leaves the choice.
 */
export function withWords(ask: Ask): Ask {
  return withJson(withCall(ask));
}

function withCall(ask: Ask): Ask {
  const [sentence, name] = DEMANDS_CALL.exec(ask.said) ?? [];
  if (sentence === undefined || ask.choice.mode !== 'auto' || ask.tools.length === 0) return ask;
  const known = name !== undefined && ask.tools.some((tool) => tool.name === name);
  return {
    ...ask,
    // The demand is no part of what the arguments are made of.
    said: ask.said.replace(sentence, '').trim(),
    choice: { ...ask.choice, mode: 'required', ...(known && { only: [name] }) },
  };
}

function withJson(ask: Ask): Ask {
  const { json, said, told } = ask;
  if (json?.schema !== undefined || json?.bare) return ask;
  const text = `${told}\n${said}`;
  const isAsked = WANTS_JSON.test(said) || (WANTS_JSON.test(told) && NOTHING_ELSE.test(told));
  if (json === undefined && !isAsked) return ask;
  const found = NAMES_SCHEMA.test(text) ? schemaIn(text) : undefined;
  if (found === undefined) return { ...ask, json: {} };
  // The schema is no part of what the answer is made of.
  return { ...ask, said: said.replace(found.text, '').trim(), json: { schema: found.schema } };
}

/** The last JSON schema that a text contains: on a line of its own, or over several lines, fenced or not. */
function schemaIn(text: string): { readonly text: string; readonly schema: JsonObject } | undefined {
  const onOneLine = text.split('\n').filter((line) => line.startsWith('{'));
  const inFences = [...text.matchAll(/```(?:json)?\n(\{[^`]*\})\s*```/g)].flatMap(([, inner]) => inner ?? []);
  const inAll = text.slice(Math.max(0, text.indexOf('\n{')), text.lastIndexOf('}') + 1);
  return [inAll, ...inFences, ...onOneLine]
    .flatMap((found) => {
      const schema = tryParseJson(found);
      return isObject(schema) ? [{ text: found, schema }] : [];
    })
    .findLast(({ schema }) => ['type', 'properties', '$ref', 'anyOf', 'enum'].some((key) => key in schema));
}
