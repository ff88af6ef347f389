/**
 * Shapes of other formats that Cursor writes into a chat-completions body: flat tools as in Responses; and, as in
 * Messages, tools with an `input_schema`, `system`, calls and results as content blocks, and cache marks on them
 * (OhadBaehr/cursor-openrouter-proxy).
 */

import { dataUrl } from '../../formats/openai/media.ts';
import {
  asList,
  asObject,
  asObjects,
  asText,
  compact,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';

/** Blocks that Messages has and chat-completions does not. */
const BLOCKS = new Set<Json | undefined>(['tool_use', 'tool_result', 'image']);

/** Whether a body has anything in another format's shape. */
export function hasForeignShapes(body: JsonObject): boolean {
  const { tools, tool_choice: choice, messages } = body;
  return (
    hasSystem(body) ||
    asList(tools).some((tool) => isObject(tool) && isFlat(tool)) ||
    toChatChoice(choice) !== choice ||
    asList(messages).some((message) => isObject(message) && asList(message['content']).some(isForeignBlock))
  );
}

function isFlat({ name, function: fn, custom, input_schema: schema, type }: JsonObject): boolean {
  if (typeof name !== 'string' || isObject(fn) || isObject(custom)) return false;
  return isObject(schema) || type === 'function' || type === 'custom';
}

function isForeignBlock(block: Json): boolean {
  return isObject(block) && BLOCKS.has(block['type']);
}

/** Whether the body has a `system` next to its messages. */
function hasSystem({ system, messages }: JsonObject): boolean {
  return isList(messages) && (isList(system) || typeof system === 'string');
}

/** Rewrites a body in the shapes of chat-completions. */
export function toChatShapes(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice, messages, system, ...rest } = body;
  const leading = hasSystem(body) ? [{ role: 'system', ...compact({ content: system }) }] : [];
  return {
    ...rest,
    ...compact({
      tools: isList(tools) ? tools.map((tool) => (isObject(tool) ? toChatTool(tool) : tool)) : tools,
      tool_choice: toChatChoice(choice),
      parallel_tool_calls: asObject(choice)?.['disable_parallel_tool_use'] === true ? false : undefined,
      messages: isList(messages) ? [...leading, ...messages.flatMap(toChatMessages)] : messages,
      system: hasSystem(body) ? undefined : system,
    }),
  };
}

function toChatTool(tool: JsonObject): JsonObject {
  if (!isFlat(tool)) return tool;
  const { type, name, description, parameters, input_schema: schema, strict, format, ...rest } = tool;
  const described = compact({ name, description });
  if (isObject(schema)) return { type: 'function', function: { ...described, parameters: schema }, ...rest };
  return type === 'custom'
    ? { type, custom: { ...described, ...compact({ format }) }, ...rest }
    : { type: 'function', function: { ...described, ...compact({ parameters, strict }) }, ...rest };
}

/** The tool choice modes of Messages are objects. Chat-completions understands a named tool in every shape. */
function toChatChoice(choice: Json | undefined): Json | undefined {
  const type = asObject(choice)?.['type'];
  if (type === 'any') return 'required';
  return type === 'auto' || type === 'none' ? type : choice;
}

function toChatMessages(message: Json): readonly Json[] {
  if (!isObject(message) || !isList(message['content'])) return [message];
  const { role, content } = message;
  if (role === 'assistant') return [toToolCalls(message, content)];
  const results = asObjects(content).filter(({ type }) => type === 'tool_result');
  const others = content.filter((block) => !isBlock(block, 'tool_result')).map(toChatPart);
  const rest = results.length > 0 && others.length === 0 ? [] : [{ ...message, content: others }];
  return [...results.map(toChatResult), ...rest];
}

/**
 * Rewrites the `tool_use` blocks of an assistant message as calls. LangChain writes each call into `tool_calls` as well
 * (langchainjs#9972), and only there if it has assembled the message from a stream.
 */
function toToolCalls(message: JsonObject, content: readonly Json[]): JsonObject {
  const blocks = asObjects(content).filter(({ type }) => type === 'tool_use');
  if (blocks.length === 0) return message;
  const known = new Set(asObjects(message['tool_calls']).map(({ id }) => id));
  const calls = blocks.filter(({ id }) => !known.has(id));
  const others = content.filter((block) => !isBlock(block, 'tool_use'));
  const mark = blocks.find(({ cache_control: control }) => isObject(control))?.['cache_control'];
  return {
    ...compact({ cache_control: mark }),
    ...message,
    content: others.length === 0 ? null : others,
    tool_calls: [
      ...asList(message['tool_calls']),
      ...calls.map(({ id, name, input }) => ({
        ...compact({ id }),
        type: 'function',
        function: compact({ name, arguments: asText(input) ?? JSON.stringify(input ?? {}) }),
      })),
    ],
  };
}

function toChatResult({ tool_use_id: id, content, is_error: failed, cache_control }: JsonObject): JsonObject {
  const parts = isList(content) ? content.map(toChatPart) : (asText(content) ?? '');
  const failure: readonly Json[] = [{ type: 'text', text: 'Error' }];
  return {
    role: 'tool',
    ...compact({ tool_call_id: id, cache_control }),
    content:
      failed === true ? [...failure, ...(isList(parts) ? parts : [{ type: 'text', text: parts }])] : parts,
  };
}

/** Rewrites a Messages image as `image_url`. */
function toChatPart(block: Json): Json {
  const source = isObject(block) && block['type'] === 'image' ? asObject(block['source']) : undefined;
  if (source === undefined) return block;
  const url =
    source['type'] === 'base64'
      ? dataUrl(asText(source['media_type']) ?? 'image/png', asText(source['data']) ?? '')
      : asText(source['url']);
  return url === undefined ? block : { type: 'image_url', image_url: { url } };
}

function isBlock(value: Json, type: string): boolean {
  return isObject(value) && value['type'] === type;
}
