/**
 * A dialogue that went on with models of other vendors, as OpenAI takes it back (API reference, responses): of thoughts
 * it reads those it has encrypted itself, and for the same account. Whose text alone is there it looks up by their ids,
 * which it does not know. Ids that items have of another service it refuses ("Expected an ID that begins with 'msg'"),
 * and needs none.
 * What OpenAI's own SDK has made of an answer it puts beside it (`parsed`), and its API refuses that too.
 */

import { broughtBack } from '../../conversation/signature.ts';
import { withoutChoice } from '../../conversation/toolless.ts';
import type { GatewayError } from '../../errors.ts';
import {
  asList,
  asText,
  hasSameItems,
  isList,
  isObject,
  type Json,
  type JsonObject,
  withoutFields,
} from '../../json.ts';
import { described } from './described.ts';
import { refusesThoughts } from './errors.ts';
import { safeCallId } from './names.ts';
import { withoutUnread } from './unread-options.ts';

/** @see Outbound.withoutOthers */
export function withoutOthers(
  request: JsonObject,
  _dialect?: string,
  refusal?: GatewayError,
): JsonObject | undefined {
  const given = asList(request['input']);
  const isOthers = otherThoughts(refusal);
  const input = given
    .filter((item) => !isOthers(item))
    .map(unparsed)
    .map(renumbered)
    .map((item) => (isObject(item) ? described(withoutFields(item, NOTES)) : item));
  const rest = withoutUnread(described(given.some(bringsTools) ? request : withoutChoice(request)), refusal);
  if (hasSameItems(input, given)) return rest === request ? undefined : rest;
  return { ...rest, input };
}

/** Whether an item has tools for the model. */
function bringsTools(item: Json): boolean {
  return isObject(item) && item['tools'] !== undefined;
}

/** Of which thoughts a refusal is; with none that tells, of those that OpenAI cannot read. */
function otherThoughts(refusal: GatewayError | undefined): (item: Json) => boolean {
  if (refusal === undefined) return isOthersThought;
  if (refusesThoughts(refusal)) return isThought;
  return TOLD.test(refusal.message) ? (item) => isOthersThought(item) || isTold(item) : isOthersThought;
}

/** OpenAI's, of thoughts whose text stands beside what was encrypted: DeepSeek tells them so, and encrypts as OpenAI does. */
const TOLD = /content': array too long/;

function isTold(item: Json): boolean {
  return isThought(item) && asList(item['content']).length > 0;
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

/** With what the ids of items begin, where OpenAI looks at that; those of results as those of the calls. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
  shell_call: 'sh',
  apply_patch_call: 'apc',
};

/** At most 64 "letters, numbers, underscores, or dashes". */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The item without an id that OpenAI refuses, and with one of its call that is short enough. */
function renumbered(item: Json): Json {
  if (!isObject(item) || item['type'] === 'item_reference') return item;
  const { id, ...rest } = item;
  const isTaken = typeof id !== 'string' || (ID.test(id) && id.startsWith(prefixOf(item)));
  const callId = asText(item['call_id']) ?? '';
  const safe = safeCallId(callId);
  if (isTaken && safe === callId) return item;
  return { ...(isTaken ? item : rest), ...(safe !== callId && { call_id: safe }) };
}

/** What Codex notes at items where it takes its service for OpenAI's; Azure's refuses it ("Unknown parameter"). */
const NOTES = ['internal_chat_message_metadata_passthrough', 'metadata'];

function prefixOf({ type, role }: JsonObject): string {
  const name = asText(type) ?? (role === undefined ? '' : 'message');
  return PREFIXES[name.replace(/_output$/, '')] ?? '';
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
