/**
 * Tools that come and go in the midst of a conversation: the `tool_addition` and `tool_removal` blocks of system
 * messages, those that a compaction keeps of what it stands for, and tools that are kept back until something names
 * them (types of `@anthropic-ai/sdk` 1.11, beta; tool search guide).
 */

import type { Tool } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText } from '../../../lib/json.ts';
import { FORMAT } from '../wire/wire.ts';
import { parseTool } from './parse-tools.ts';

/**
 * The tools that are there at the end, for all others have one list of them. A change of an MCP server's tools is left
 * out, as those are. What Claude would have to look for by a search of Anthropic's is there for all others.
 * @param choice the request's `tool_choice`: what must be called is there.
 * @throws GatewayError `invalid-request` where a tool that comes has no name or no schema.
 */
export function offeredTools(
  tools: readonly Tool[] | undefined,
  messages: Json | undefined,
  choice: Json | undefined,
): readonly Tool[] | undefined {
  const blocks = asObjects(messages).flatMap(({ content }) => asObjects(content));
  const left = changedTools(tools, blocks.flatMap(changesIn));
  if (!left?.some(isKeptBack) || left.some(isSearch)) return left;
  const named = new Set([asText(asObject(choice)?.['name']), ...blocks.flatMap(namedIn)]);
  return left.filter((tool) => !isKeptBack(tool) || named.has(nameOf(tool)));
}

function isKeptBack(tool: Tool): boolean {
  return (
    tool.kind === 'function' &&
    tool.formatSpecific?.format === FORMAT &&
    tool.formatSpecific.fields['defer_loading'] === true
  );
}

function isSearch(tool: Tool): boolean {
  return tool.kind === 'hosted' && asText(tool.value['type'])?.startsWith('tool_search') === true;
}

/** The tools that a block calls, has found, or adds. */
function namedIn(block: JsonObject): readonly (string | undefined)[] {
  if (block['type'] === 'tool_use') return [asText(block['name'])];
  if (block['type'] === 'tool_result') {
    return asObjects(block['content']).map(({ tool_name }) => asText(tool_name));
  }
  return changesIn(block).map(({ tool }) => asText(asObject(tool)?.['name']));
}

function changedTools(
  tools: readonly Tool[] | undefined,
  changes: readonly JsonObject[],
): readonly Tool[] | undefined {
  if (changes.length === 0) return tools;
  const known = new Map((tools ?? []).map((tool) => [nameOf(tool), tool]));
  const offered = new Map(known);
  for (const { type, tool } of changes) {
    const { type: kind, definition, name: word } = asObject(tool) ?? {};
    const defined = kind === 'tool_definition' ? parseTool(definition, 'messages.tool_addition') : undefined;
    const name = defined ? nameOf(defined) : kind === 'tool_reference' ? asText(word) : undefined;
    if (name === undefined) continue;
    if (defined) known.set(name, defined);
    const added = known.get(name);
    if (type === 'tool_removal') offered.delete(name);
    else if (added) offered.set(name, added);
  }
  return [...offered.values()];
}

function changesIn(block: JsonObject): readonly JsonObject[] {
  if (block['type'] === 'compaction') return asObjects(block['tool_changes']);
  return block['type'] === 'tool_addition' || block['type'] === 'tool_removal' ? [block] : [];
}

function nameOf(tool: Tool): string {
  return tool.kind === 'hosted' ? (asText(tool.value['name']) ?? JSON.stringify(tool.value)) : tool.name;
}
