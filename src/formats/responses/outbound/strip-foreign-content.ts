/**
 * Removes from a native request what OpenAI refuses because models of other vendors, or clients, have left it there (API
 * reference, responses). OpenAI reads only thoughts that it has encrypted itself, and for the same account. A thought
 * with nothing but a text is looked up by its id, and OpenAI does not know the ids of others. It refuses item ids in the
 * style of another service ("Expected an ID that begins with 'msg'"), and needs no ids. OpenAI's own SDK adds `parsed`
 * to an answer, and OpenAI's API refuses that too.
 */

import { withoutIdleToolChoice } from '../../../conversation/rules/strip-tools.ts';
import { isForeignSignature } from '../../../conversation/signature.ts';
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
import { refusesThoughts } from './parse-error.ts';
import { safeCallId } from './tool-names.ts';

/** @see ForeignContentStripper */
export function stripForeignContent(
  request: JsonObject,
  _dialect?: string,
  refusal?: GatewayError,
): JsonObject | undefined {
  const given = asList(request['input']);
  const isForeign = foreignThoughts(given, refusal);
  const left = given.filter((item) => !isForeign(item));
  const chosen = given.some(bringsTools) ? request : withoutIdleToolChoice(request);
  const described = stripRefusedOptions(describeNamespaces(chosen), refusal);
  const own = withEach(
    left.length < given.length ? { ...described, input: left } : described,
    'input',
    stripItem,
  );
  const stripped = refusal !== undefined && STATUS.test(refusal.message) ? withoutStatus(own) : own;
  return stripped === request ? undefined : stripped;
}

/**
 * A refusal of an item's status. ChatGPT's service for Codex takes none (zyycn/codex-proxy-rs#194). OpenAI's API takes
 * none on a thought, where Python clients write null (NVIDIA-NeMo/Gym#54).
 */
const STATUS = /'input\[\d+\]\.status'/;

function withoutStatus(request: JsonObject): JsonObject {
  return withEach(request, 'input', (item) => withoutFields(item, ['status']));
}

function stripItem(item: JsonObject): JsonObject {
  return describeNamespaces(withoutFields(fixIds(withoutParsed(item)), NOTES));
}

function bringsTools(item: Json): boolean {
  return isObject(item) && item['tools'] !== undefined;
}

/**
 * Which thoughts are to go: those that another vendor has encrypted, or else those that the refusal is about. OpenAI's own
 * are refused if they belong to another account; it reads them if the others were at fault.
 */
function foreignThoughts(given: readonly Json[], refusal: GatewayError | undefined): (item: Json) => boolean {
  if (refusal === undefined) return isForeignThought;
  if (refusesThoughts(refusal)) return given.some(isSealedElsewhere) ? isForeignThought : isThought;
  return CONTENT_TOO_LONG.test(refusal.message)
    ? (item) => isForeignThought(item) || isReadableThought(item)
    : isForeignThought;
}

/**
 * OpenAI's refusal of thoughts with text beside the encrypted content. DeepSeek writes such thoughts, and encrypts as
 * OpenAI does.
 */
const CONTENT_TOO_LONG = /content': array too long/;

function isReadableThought(item: Json): boolean {
  return isThought(item) && asList(item['content']).length > 0;
}

function isThought(item: Json): item is JsonObject {
  return isObject(item) && item['type'] === 'reasoning';
}

/** Whether the gateway has sealed a thought for its way through another format. */
function isSealedElsewhere(item: Json): boolean {
  return isThought(item) && asText(item['encrypted_content']) !== undefined && isForeignThought(item);
}

/** Whether another vendor wrote a thought. OpenAI's own are sealed too if they came through another format. */
function isForeignThought(item: Json): boolean {
  return isThought(item) && isForeignSignature(item['encrypted_content'], 'openai');
}

/** How the ids of items begin, for the types where OpenAI checks it. Outputs follow the rule of their calls. */
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

/** Removes an id that OpenAI refuses, and shortens a call id that is too long. */
function fixIds(item: JsonObject): JsonObject {
  if (item['type'] === 'item_reference') return item;
  const { id, ...rest } = item;
  const isAccepted = typeof id !== 'string' || (ID.test(id) && id.startsWith(findPrefix(item)));
  const callId = asText(item['call_id']) ?? '';
  const safe = safeCallId(callId);
  if (isAccepted && safe === callId) return item;
  return { ...(isAccepted ? item : rest), ...(safe !== callId && { call_id: safe }) };
}

/** Notes that Codex adds to items if it takes its service for OpenAI's. Azure's refuses them ("Unknown parameter"). */
const NOTES = ['internal_chat_message_metadata_passthrough', 'metadata'];

function findPrefix({ type, role }: JsonObject): string {
  const name = asText(type) ?? (role === undefined ? '' : 'message');
  return PREFIXES[name.replace(/_output$/, '')] ?? '';
}

/** Removes what OpenAI's SDK has parsed out of the text and the arguments. */
function withoutParsed(item: JsonObject): JsonObject {
  return withEach(withoutFields(item, ['parsed_arguments']), 'content', (part) =>
    withoutFields(part, ['parsed']),
  );
}

/**
 * Gives each namespace with an empty description its own name as the description. Codex describes the namespace of its
 * own tools with an empty text, and Azure's API refuses that ("Invalid 'input[0].tools[0].description': empty string";
 * openai/codex, issue 37432).
 * @param holder what has the `tools`: a request or an item.
 * @returns `holder` itself if nothing changes.
 */
function describeNamespaces(holder: JsonObject): JsonObject {
  return withEach(holder, 'tools', (tool) =>
    tool['type'] === 'namespace' && tool['description'] === ''
      ? { ...tool, description: tool['name'] ?? 'tools' }
      : tool,
  );
}

/**
 * Options that a service may refuse although it has the tool. Codex says with each `web_search` whether it may read live
 * pages, and xAI refuses that ("Argument not supported: external_web_access"; lidge-jun/opencodex, issue 2240).
 */
const REFUSED_OPTIONS: readonly string[] = ['external_web_access'];

/** Removes the options that `refusal` names from the request's tools. @returns the request itself if it has none */
function stripRefusedOptions(request: JsonObject, refusal: GatewayError | undefined): JsonObject {
  const named = REFUSED_OPTIONS.filter((option) => refusal?.message.includes(option));
  return withEach(request, 'tools', (tool) => withoutFields(tool, named));
}
