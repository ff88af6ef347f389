/**
 * What Cursor writes into a body of chat-completions that is another format's: tools that are flat, as responses has
 * them, or have an `input_schema`, as messages; calls and results as blocks of the content, as messages too.
 */

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
} from '../../json.ts';

/** The body in shapes of chat-completions; itself where it has no others. */
export function chatShaped(body: JsonObject): JsonObject {
  const { tools, tool_choice: choice, messages } = body;
  const changed = compact({
    tools: changedList(tools, (tool) => [chatTool(tool)]),
    tool_choice: chatChoice(choice),
    messages: changedList(messages, chatMessages),
  });
  return Object.keys(changed).length === 0 ? body : { ...body, ...changed };
}

/** A list of which some become others; undefined where none does. */
function changedList(
  value: Json | undefined,
  change: (item: JsonObject) => readonly Json[],
): Json | undefined {
  if (!isList(value)) return undefined;
  const items = value.flatMap((item) => (isObject(item) ? change(item) : [item]));
  return items.length === value.length && items.every((item, at) => item === value[at]) ? undefined : items;
}

function chatTool(tool: JsonObject): JsonObject {
  const { type, name, description, parameters, input_schema: schema, strict, format, ...rest } = tool;
  if (typeof name !== 'string' || isObject(tool['function']) || isObject(tool['custom'])) return tool;
  const described = compact({ name, description });
  if (isObject(schema)) return { type: 'function', function: { ...described, parameters: schema }, ...rest };
  if (type === 'function') {
    return { type, function: { ...described, ...compact({ parameters, strict }) }, ...rest };
  }
  return type === 'custom' ? { type, custom: { ...described, ...compact({ format }) }, ...rest } : tool;
}

/** The modes of messages, which are objects; a tool that is named is understood in every shape. */
function chatChoice(choice: Json | undefined): Json | undefined {
  const type = asObject(choice)?.['type'];
  if (type === 'any') return 'required';
  return type === 'auto' || type === 'none' ? type : undefined;
}

function chatMessages(message: JsonObject): readonly JsonObject[] {
  const { role, content } = message;
  if (!isList(content)) return [message];
  if (role === 'assistant') return [withCalls(message, content)];
  const results = asObjects(content).filter(({ type }) => type === 'tool_result');
  const said = content.filter((block) => !isBlock(block, 'tool_result')).map(chatPart);
  if (results.length === 0 && said.every((part, at) => part === content[at])) return [message];
  const spoken = said.length === 0 ? [] : [{ ...message, content: said }];
  return [...results.map(chatResult), ...spoken];
}

/** A message of the assistant with its `tool_use` blocks as calls. */
function withCalls(message: JsonObject, content: readonly Json[]): JsonObject {
  const calls = asObjects(content).filter(({ type }) => type === 'tool_use');
  if (calls.length === 0) return message;
  const said = content.filter((block) => !isBlock(block, 'tool_use'));
  return {
    ...message,
    content: said.length === 0 ? null : said,
    tool_calls: [
      ...asList(message['tool_calls']),
      ...calls.map(({ id, name, input }) => ({
        ...compact({ id }),
        type: 'function',
        function: compact({ name, arguments: JSON.stringify(input ?? {}) }),
      })),
    ],
  };
}

function chatResult({ tool_use_id: id, content, is_error: failed }: JsonObject): JsonObject {
  const parts = isList(content) ? content.map(chatPart) : (asText(content) ?? '');
  const failure: readonly Json[] = [{ type: 'text', text: 'Error' }];
  return {
    role: 'tool',
    ...compact({ tool_call_id: id }),
    content:
      failed === true ? [...failure, ...(isList(parts) ? parts : [{ type: 'text', text: parts }])] : parts,
  };
}

/** An image as messages has it, as a link. */
function chatPart(block: Json): Json {
  const source = isObject(block) && block['type'] === 'image' ? asObject(block['source']) : undefined;
  if (source === undefined) return block;
  const url =
    source['type'] === 'base64'
      ? `data:${asText(source['media_type']) ?? 'image/png'};base64,${asText(source['data']) ?? ''}`
      : asText(source['url']);
  return url === undefined ? block : { type: 'image_url', image_url: { url } };
}

function isBlock(value: Json, type: string): boolean {
  return isObject(value) && value['type'] === type;
}
