/**
 * A dialogue that other vendors' models took part in, as a service takes it. SDKs send an answer back with every field
 * that it had, and many services refuse unknown fields (OpenAI: "Unknown parameter: 'messages[1].reasoning_content'";
 * Mistral: "Extra inputs are not permitted") and ids unlike their own.
 */

import { wholeArguments } from '../../../conversation/rules/arguments.ts';
import { withoutIdleToolChoice } from '../../../conversation/rules/strip-tools.ts';
import {
  asList,
  asObject,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  withEach,
  withoutFields,
} from '../../../lib/json.ts';
import { OF_CLIENTS } from '../../client-fields.ts';
import type { Dialect, ReasoningHistory } from '../dialect.ts';
import { findDialect } from '../dialects.ts';
import { ADDITIONAL_FIELDS, mergeSplitMessage } from '../wire/merge-split-messages.ts';
import { callIdFor } from './tool-names.ts';

/** Fields of OpenAI's answers that few other services take back. */
const OPENAI_ANSWER_FIELDS = ['annotations', 'audio', 'function_call', 'refusal'];

/** Lists that OpenAI's Python SDK sends back as null if they were absent (`.stream()`, `.parse()`). OpenAI refuses null here. */
const NULLABLE_LISTS = ['annotations', 'tool_calls'];

/** The additional fields in which a service is known to take back its reasoning. */
const REASONING_FIELDS: Readonly<Record<ReasoningHistory, readonly string[]>> = {
  none: [],
  content: [],
  reasoning: ['reasoning'],
  reasoning_content: [],
  'reasoning_content-with-calls': ['reasoning_content'],
  reasoning_details: ['reasoning', 'reasoning_details'],
  'reasoning_details-text': ['reasoning_details'],
  tags: [],
};

/** The additional fields in which a service takes back signatures. */
const SIGNATURE_FIELDS: Readonly<Record<Dialect['signatures'], readonly string[]>> = {
  none: [],
  google: ['extra_content'],
  all: ['extra_content', 'thinking_blocks'],
};

/**
 * The request without the content of other vendors; undefined if nothing changes.
 * @param name the dialect.
 * @see ForeignContentStripper
 */
export function stripForeignContent(request: JsonObject, name: string): JsonObject | undefined {
  const dialect = findDialect(name);
  const pruned = withoutEmptyTools(request);
  if (dialect.lossless) return pruned === request ? undefined : pruned;
  const given = asList(request['messages']);
  const messages = given.map((message) => stripMessage(message, dialect));
  const isSame = JSON.stringify(messages) === JSON.stringify(given);
  return isSame && pruned === request ? undefined : { ...pruned, ...(!isSame && { messages }) };
}

function withoutEmptyTools(request: JsonObject): JsonObject {
  const asked = withoutIdleToolChoice(request);
  const { tools, ...rest } = asked;
  return isList(tools) && tools.length === 0 && asked['tool_choice'] === undefined ? rest : asked;
}

function stripMessage(message: Json, dialect: Dialect): Json {
  if (!isObject(message)) return message;
  const { role, tool_call_id: id } = message;
  if (role === 'assistant') return stripAnswer(mergeSplitMessage(message), dialect);
  const plain = withEach(message, 'content', stripPart);
  return role === 'tool' && typeof id === 'string'
    ? { ...plain, tool_call_id: callIdFor(id, dialect) }
    : plain;
}

function stripPart(part: JsonObject): JsonObject {
  return part['type'] === 'text' ? withoutFields(part, OF_CLIENTS) : part;
}

function stripAnswer(message: JsonObject, dialect: Dialect): JsonObject {
  const { tool_calls: calls } = message;
  const none = NULLABLE_LISTS.filter((name) => message[name] === null);
  const rest = without(
    message,
    [...ADDITIONAL_FIELDS, ...none, ...(dialect.openaiFields ? [] : OPENAI_ANSWER_FIELDS)],
    dialect,
  );
  const said = findSaid(message, dialect);
  return {
    ...rest,
    ...(said !== undefined && { content: isList(said) ? stripParts(said, dialect) : said }),
    ...(isList(calls) && { tool_calls: calls.map((call) => stripCall(call, dialect)) }),
  };
}

/**
 * The content of an answer. What a model refused or spoke is text for a service without OpenAI's fields for it. An answer
 * of nothing else needs one too: "Invalid value for 'content': expected a string, got null" (OpenAI).
 */
function findSaid(message: JsonObject, { openaiFields }: Dialect): Json | undefined {
  const { content, refusal, audio } = message;
  if (content !== undefined && content !== null && content !== '') return content;
  if (!openaiFields) {
    const said = asText(refusal) || asText(asObject(audio)?.['transcript']);
    if (said) return said;
  }
  const others = openaiFields ? ['tool_calls', 'function_call', 'refusal', 'audio'] : ['tool_calls'];
  return others.some((name) => isFilled(message[name])) ? content : '';
}

function isFilled(value: Json | undefined): boolean {
  return isList(value) ? value.length > 0 : Boolean(value);
}

function stripCall(call: Json, dialect: Dialect): Json {
  if (!isObject(call)) return call;
  const { index: _, caller: _caller, ...rest } = without(call, ADDITIONAL_FIELDS, dialect);
  const { function: fn } = rest;
  const id = asText(call['id']);
  return {
    ...rest,
    ...(id !== undefined && { id: callIdFor(id, dialect) }),
    ...(fn !== undefined && { function: stripFunction(fn, dialect) }),
  };
}

/** OpenAI does not read the arguments of an earlier call. Most others do, and refuse anything but an object. */
function stripFunction(given: Json, { openaiFields }: Dialect): Json {
  if (!isObject(given)) return given;
  const fn = withoutFields(given, ADDITIONAL_FIELDS);
  const text = asText(fn['arguments']);
  return openaiFields || text === undefined ? fn : { ...fn, arguments: wholeArguments(text) };
}

/** The content. Only Mistral takes thoughts in it. */
function stripParts(parts: readonly Json[], { reasoningHistory }: Dialect): Json {
  if (reasoningHistory === 'content') return parts;
  const kept = parts.filter((part) => !isObject(part) || part['type'] !== 'thinking');
  return kept.length === 0 ? '' : kept;
}

function without(
  fields: JsonObject,
  names: readonly string[],
  { signatures, reasoningHistory }: Dialect,
): JsonObject {
  const accepted = [...REASONING_FIELDS[reasoningHistory], ...SIGNATURE_FIELDS[signatures]];
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.includes(name) || accepted.includes(name)),
  );
}
