/**
 * A dialogue that went on with models of other vendors, as a service takes it back: SDKs send an answer back with
 * whatever stood in it, and many services refuse a field that they do not know (OpenAI: "Unknown parameter:
 * 'messages[1].reasoning_content'"; Mistral: "Extra inputs are not permitted"), or an id that is not like theirs. What
 * else a client writes for others, a limit by its older name, is written for the service too.
 */

import { wholeArguments } from '../../../conversation/rules/arguments.ts';
import { withoutIdleToolChoice } from '../../../conversation/rules/strip-tools.ts';
import {
  asList,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  withEach,
  withoutFields,
} from '../../../lib/json.ts';
import { OF_CLIENTS } from '../../of-clients.ts';
import type { Dialect, ReasoningHistory } from '../dialect.ts';
import { dialectOf } from '../dialects.ts';
import { ADDITIONAL_FIELDS, mergeSplitMessage } from '../wire/merge-split-messages.ts';
import { callIdFor } from './tool-names.ts';

/** Fields of OpenAI's own answers that few others take back. */
const OPENAIS = ['annotations', 'audio', 'function_call', 'refusal'];

/** Lists that OpenAI's Python SDK sends back as null where there was none (`.stream()`, `.parse()`); OpenAI has no such null. */
const LISTS = ['annotations', 'tool_calls'];

/** Of the additional fields those in which a service surely takes back its thoughts. */
const TAKEN: Readonly<Record<ReasoningHistory, readonly string[]>> = {
  none: [],
  content: [],
  reasoning: ['reasoning'],
  reasoning_content: [],
  'reasoning_content-with-calls': ['reasoning_content'],
  reasoning_details: ['reasoning', 'reasoning_details'],
  'reasoning_details-text': ['reasoning_details'],
};

/** The same of signatures. */
const SIGNED: Readonly<Record<Dialect['signatures'], readonly string[]>> = {
  none: [],
  google: ['extra_content'],
  all: ['extra_content', 'thinking_blocks'],
};

/** @see Outbound.withoutOthers */
export function stripForeignContent(request: JsonObject, name: string): JsonObject | undefined {
  const dialect = dialectOf(name);
  const asked = withoutNoTools(request);
  if (dialect.lossless) return asked === request ? undefined : asked;
  const given = asList(request['messages']);
  const messages = given.map((message) => ownMessage(message, dialect));
  const isSame = JSON.stringify(messages) === JSON.stringify(given);
  const rest = limited(asked, dialect);
  return isSame && rest === request ? undefined : { ...rest, ...(!isSame && { messages }) };
}

/** The request without a list of no tools, and without how they are to be called. */
function withoutNoTools(request: JsonObject): JsonObject {
  const asked = withoutIdleToolChoice(request);
  const { tools, ...rest } = asked;
  return isList(tools) && tools.length === 0 && asked['tool_choice'] === undefined ? rest : asked;
}

/** The request with its limit under the name of the service: OpenAI's thinking models refuse the one that all others take. */
function limited(request: JsonObject, { maxTokensField }: Dialect): JsonObject {
  const { max_tokens: limit, ...rest } = request;
  if (maxTokensField === 'max_tokens' || limit === undefined || rest[maxTokensField] !== undefined)
    return request;
  return { ...rest, [maxTokensField]: limit };
}

function ownMessage(message: Json, dialect: Dialect): Json {
  if (!isObject(message)) return message;
  const { role, tool_call_id: id } = message;
  if (role === 'assistant') return ownAnswer(mergeSplitMessage(message), dialect);
  const plain = withEach(message, 'content', plainPart);
  return role === 'tool' && typeof id === 'string'
    ? { ...plain, tool_call_id: callIdFor(id, dialect) }
    : plain;
}

/** A text without what a client writes there for itself. */
function plainPart(part: JsonObject): JsonObject {
  return part['type'] === 'text' ? withoutFields(part, OF_CLIENTS) : part;
}

function ownAnswer(message: JsonObject, dialect: Dialect): JsonObject {
  const { content, refusal, tool_calls: calls } = message;
  const none = LISTS.filter((name) => message[name] === null);
  const rest = without(
    message,
    [...ADDITIONAL_FIELDS, ...none, ...(dialect.openaiFields ? [] : OPENAIS)],
    dialect,
  );
  const said = content ?? (dialect.openaiFields ? undefined : asText(refusal));
  return {
    ...rest,
    ...(said !== undefined && { content: isList(said) ? ownParts(said, dialect) : said }),
    ...(isList(calls) && { tool_calls: calls.map((call) => ownCall(call, dialect)) }),
  };
}

function ownCall(call: Json, dialect: Dialect): Json {
  if (!isObject(call)) return call;
  const { index: _, caller: _caller, ...rest } = without(call, ADDITIONAL_FIELDS, dialect);
  const { function: fn } = rest;
  const id = asText(call['id']);
  return {
    ...rest,
    ...(id !== undefined && { id: callIdFor(id, dialect) }),
    ...(fn !== undefined && { function: ownFunction(fn, dialect) }),
  };
}

/** OpenAI reads no arguments of an earlier call; most others do, and refuse what is no object. */
function ownFunction(given: Json, { openaiFields }: Dialect): Json {
  if (!isObject(given)) return given;
  const fn = withoutFields(given, ADDITIONAL_FIELDS);
  const text = asText(fn['arguments']);
  return openaiFields || text === undefined ? fn : { ...fn, arguments: wholeArguments(text) };
}

/** Mistral's models say their thoughts in the content, as chunks of it. */
function ownParts(parts: readonly Json[], { reasoningHistory }: Dialect): Json {
  if (reasoningHistory === 'content') return parts;
  const own = parts.filter((part) => !isObject(part) || part['type'] !== 'thinking');
  return own.length === 0 ? '' : own;
}

function without(
  fields: JsonObject,
  names: readonly string[],
  { signatures, reasoningHistory }: Dialect,
): JsonObject {
  const taken = [...TAKEN[reasoningHistory], ...SIGNED[signatures]];
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.includes(name) || taken.includes(name)),
  );
}
