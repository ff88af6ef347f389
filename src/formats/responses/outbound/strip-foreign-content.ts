/**
 * A dialogue that went on with models of other vendors, as OpenAI takes it back (API reference, responses): of thoughts
 * it reads those it has encrypted itself, and for the same account. Whose text alone is there it looks up by their ids,
 * which it does not know. Ids that items have of another service it refuses ("Expected an ID that begins with 'msg'"),
 * and needs none.
 * What OpenAI's own SDK has made of an answer it puts beside it (`parsed`), and its API refuses that too.
 */

import { withoutIdleToolChoice } from '../../../conversation/rules/strip-tools.ts';
import { broughtBack } from '../../../conversation/signature.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import {
  asList,
  asText,
  isObject,
  type Json,
  type JsonObject,
  withEach,
  withoutFields,
} from '../../../lib/json.ts';
import { refusesThoughts } from '../wire/errors.ts';
import { described, withoutUnread } from './refused-tools.ts';
import { safeCallId } from './tool-names.ts';

/** @see Outbound.withoutOthers */
export function withoutOthers(
  request: JsonObject,
  _dialect?: string,
  refusal?: GatewayError,
): JsonObject | undefined {
  const given = asList(request['input']);
  const isOthers = otherThoughts(refusal);
  const left = given.filter((item) => !isOthers(item));
  const asked = given.some(bringsTools) ? request : withoutIdleToolChoice(request);
  const read = withoutUnread(described(asked), refusal);
  const own = withEach(left.length < given.length ? { ...read, input: left } : read, 'input', ownItem);
  const told = refusal !== undefined && STATUS.test(refusal.message) ? withoutStatus(own) : own;
  return told === request ? undefined : told;
}

/**
 * A refusal of the status that an item came with: ChatGPT's service for Codex takes none (zyycn/codex-proxy-rs#194), and
 * OpenAI's API none of a thought's, which clients in Python write as null (NVIDIA-NeMo/Gym#54).
 */
const STATUS = /'input\[\d+\]\.status'/;

function withoutStatus(request: JsonObject): JsonObject {
  return withEach(request, 'input', (item) => withoutFields(item, ['status']));
}

function ownItem(item: JsonObject): JsonObject {
  return described(withoutFields(renumbered(unparsed(item)), NOTES));
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
function renumbered(item: JsonObject): JsonObject {
  if (item['type'] === 'item_reference') return item;
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

/** The item without what the SDK has made of its text and its arguments. */
function unparsed(item: JsonObject): JsonObject {
  return withEach(withoutFields(item, ['parsed_arguments']), 'content', (part) =>
    withoutFields(part, ['parsed']),
  );
}
