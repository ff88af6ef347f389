/**
 * What a prompt asks for in words, which a model obeys as it does the fields of a request: an answer that is JSON, by a
 * schema or not, and the call of a tool. The gateway itself writes such words for models that lack the field.
 */

import type { JsonObject } from '../lib/json.ts';
import { isObject, tryParseJson } from '../lib/json.ts';
import type { Ask } from './ask.ts';

/** Words with which an order begins, and what is ordered: `Answer with one JSON object and nothing else`. */
const ORDERS = /\b(?:answer|respond|reply|return|output|write|give|produce)\b/i;
const JSON_WORD = /\bJSON\b(?![- ]?(?:rpc|lines|path|web))/i;

/** How far apart the two may be within one sentence, in characters. */
const REACH = 90;

/** Agents' system prompts often mention JSON. Only these words turn the mention into an order. */
const NOTHING_ELSE =
  /\b(?:only|nothing else|no other (?:text|prose)|no code fence|no prose|not the schema|without any other text)\b/i;

/** Also `json_schema`, as instructor writes it. */
const NAMES_SCHEMA = /schema\b/i;

/** `Answer with a call of the tool "search", not with text.` */
const DEMANDS_CALL = /\b(?:answer with a call of|you must call|you must use)\b/i;
/** The same in a system prompt. Those of agents often mention tools, and only these words order a call. */
const DEMANDS_CALL_FIRST = /\bmust always call\b/i;
const ANY_TOOL = /\b(?:one|any) of (?:the|your|these) tools\b/i;
const QUOTED_NAME = /["'`“]([\w.:-]{1,128})["'`”]/;

/**
 * @returns the request with what its words ask for put where its fields would ask for it. Fields come first: words only
 *   add a schema to a request for JSON, JSON to one that asks for no form, and a call to one that leaves the choice.
 */
export function withWords(ask: Ask): Ask {
  return withJson(withCall(ask));
}

function withCall(ask: Ask): Ask {
  const lines = ask.said.split('\n');
  const demand = lines.find((line) => DEMANDS_CALL.test(line)) ?? demandAbove(ask);
  if (demand === undefined || ask.choice.mode !== 'auto') return ask;
  const quoted = QUOTED_NAME.exec(demand)?.[1];
  const name = ask.tools.find((tool) => tool.name === quoted || demand.includes(` ${tool.name} `))?.name;
  if (name === undefined && !ANY_TOOL.test(demand) && !DEMANDS_CALL_FIRST.test(demand)) return ask;
  return {
    ...ask,
    // The demand is no part of what the arguments are made of.
    said: lines
      .filter((line) => line !== demand)
      .join('\n')
      .trim(),
    choice: { ...ask.choice, mode: 'required', ...(name !== undefined && { only: [name] }) },
  };
}

/** It holds until a tool has answered; otherwise the model would call for ever. */
function demandAbove({ told, results }: Ask): string | undefined {
  return results.length > 0 ? undefined : told.split('\n').find((line) => DEMANDS_CALL_FIRST.test(line));
}

/** Whether a sentence of the text orders JSON. */
function ordersJson(text: string): boolean {
  return text.split(/[.!?\n]/).some((sentence) => {
    const at = JSON_WORD.exec(sentence)?.index ?? 0;
    return at > 0 && ORDERS.test(sentence.slice(Math.max(0, at - REACH), at));
  });
}

function withJson(ask: Ask): Ask {
  const { json, said, told } = ask;
  if (json?.schema !== undefined || json?.bare) return ask;
  const text = `${told}\n${said}`;
  const isAsked = ordersJson(said) || (ordersJson(told) && NOTHING_ELSE.test(told));
  if (json === undefined && !isAsked) return ask;
  const found = NAMES_SCHEMA.test(text) ? schemaIn(text) : undefined;
  if (found === undefined) return { ...ask, json: {} };
  // The schema is no part of what the answer is made of.
  return { ...ask, said: said.replace(found.text, '').trim(), json: { schema: found.schema } };
}

/** The last JSON schema that a text contains: on a line, or over several lines, indented or not, fenced or not. */
function schemaIn(text: string): { readonly text: string; readonly schema: JsonObject } | undefined {
  const onOneLine = text.split('\n').flatMap(objectOnLine);
  const inFences = [...text.matchAll(/```(?:json)?\n(\{[^`]*\})\s*```/g)].flatMap(([, inner]) => inner ?? []);
  const inAll = text.slice(Math.max(0, text.search(/^[ \t]*\{/m)), text.lastIndexOf('}') + 1).trim();
  return [inAll, ...inFences, ...onOneLine]
    .flatMap((found) => {
      const schema = tryParseJson(found);
      return isObject(schema) ? [{ text: found, schema }] : [];
    })
    .findLast(({ schema }) => ['type', 'properties', '$ref', 'anyOf', 'enum'].some((key) => key in schema));
}

/** What may be an object that is alone on a line, or there behind a label: `json schema: {…}`. */
function objectOnLine(line: string): readonly string[] {
  const start = line.indexOf('{');
  const label = line.slice(0, Math.max(0, start)).trim();
  return start >= 0 && (label === '' || label.endsWith(':')) ? [line.slice(start).trim()] : [];
}
