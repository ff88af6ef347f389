/**
 * Tools that come and go during a conversation: by the `tool_addition` and `tool_removal` blocks of system messages, by
 * those blocks that a compaction keeps of the messages it replaces, and by `defer_loading`, which withholds a tool until
 * something names it (types of `@anthropic-ai/sdk` 1.11, beta; tool search guide).
 */

import type { Tool } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asObject, asObjects, asText, isObject } from '../../../lib/json.ts';
import { parseTool } from './parse-tools.ts';

/**
 * Finds the tools that are offered at the end of the conversation, because other vendors have one list for all of it.
 * Changes to an MCP server's tools are left out, as those tools are. If Claude would have to search for tools by
 * Anthropic's tool search, other models are offered all of them.
 * @param tools those that the request declares.
 * @param messages the request's `messages`.
 * @param choice the request's `tool_choice`. A tool that it forces is not withheld.
 * @throws GatewayError `invalid-request` if a tool that is added has no name or no schema.
 */
export function findOfferedTools(
  tools: readonly Tool[] | undefined,
  messages: Json | undefined,
  choice: Json | undefined,
): readonly Tool[] | undefined {
  const changes: JsonObject[] = [];
  eachBlock(messages, (block) => {
    for (const change of findChanges(block)) changes.push(change);
  });
  const offered = applyChanges(tools, changes);
  if (!offered?.some(isDeferred) || offered.some(isToolSearch)) return offered;
  const named = new Set([asText(asObject(choice)?.['name'])]);
  eachBlock(messages, (block) => {
    for (const name of findToolNames(block)) named.add(name);
  });
  return offered.filter((tool) => !isDeferred(tool) || named.has(getName(tool)));
}

function eachBlock(messages: Json | undefined, visit: (block: JsonObject) => void): void {
  for (const message of asList(messages)) {
    if (!isObject(message)) continue;
    for (const block of asList(message['content'])) if (isObject(block)) visit(block);
  }
}

function isDeferred(tool: Tool): boolean {
  return (
    tool.kind === 'function' &&
    tool.formatSpecific?.format === 'messages' &&
    tool.formatSpecific.fields['defer_loading'] === true
  );
}

function isToolSearch(tool: Tool): boolean {
  return tool.kind === 'hosted' && asText(tool.value['type'])?.startsWith('tool_search') === true;
}

/** Finds the names of the tools that a block calls, has found, or adds. */
function findToolNames(block: JsonObject): readonly (string | undefined)[] {
  if (block['type'] === 'tool_use') return [asText(block['name'])];
  if (block['type'] === 'tool_result') {
    return asObjects(block['content']).map(({ tool_name }) => asText(tool_name));
  }
  return findChanges(block).map(({ tool }) => asText(asObject(tool)?.['name']));
}

function applyChanges(
  tools: readonly Tool[] | undefined,
  changes: readonly JsonObject[],
): readonly Tool[] | undefined {
  if (changes.length === 0) return tools;
  const known = new Map((tools ?? []).map((tool) => [getName(tool), tool]));
  const offered = new Map(known);
  for (const { type, tool } of changes) {
    const name = findChangedName(asObject(tool) ?? {}, known);
    if (name === undefined) continue;
    const added = known.get(name);
    if (type === 'tool_removal') offered.delete(name);
    else if (added) offered.set(name, added);
  }
  return [...offered.values()];
}

/** The name of the tool that a change is about. A tool that it defines is added to the known ones. */
function findChangedName(
  { type, definition, name }: JsonObject,
  known: Map<string, Tool>,
): string | undefined {
  if (type === 'tool_reference') return asText(name);
  const defined = type === 'tool_definition' ? parseTool(definition, 'messages.tool_addition') : undefined;
  if (defined === undefined) return undefined;
  known.set(getName(defined), defined);
  return getName(defined);
}

function findChanges(block: JsonObject): readonly JsonObject[] {
  if (block['type'] === 'compaction') return asObjects(block['tool_changes']);
  return block['type'] === 'tool_addition' || block['type'] === 'tool_removal' ? [block] : NO_CHANGES;
}

const NO_CHANGES: readonly JsonObject[] = [];

function getName(tool: Tool): string {
  return tool.kind === 'hosted' ? (asText(tool.value['name']) ?? JSON.stringify(tool.value)) : tool.name;
}
