/**
 * Tools in a namespace (API reference, `namespace` tools; Codex groups the tools of an MCP server like this). The other
 * formats have no namespaces: there, each of these tools gets one name that begins with its namespace. On the way back
 * the name is split again, because no client knows the joined one.
 */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Tool } from '../../../conversation/prompt.ts';
import { toolTable } from '../../../conversation/rules/tool-table.ts';
import { flat } from '../../../lib/flat-text.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';

/** The name by which the caller calls a tool in a namespace. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The namespace that OpenAI names for tools which are in no namespace. */
const NO_NAMESPACE = 'functions';

/**
 * The one name of a tool in other formats, joined as MCP clients have long done: `mcp__docs__search`. A function without
 * a namespace that a tool search has loaded is called in a namespace of its own name (as recorded of GPT-5.4).
 */
export function joinName({ namespace, name }: NamespacedName): string {
  if (namespace === NO_NAMESPACE || namespace === name) return name;
  return flat(namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`);
}

/** The name by which a `tool_choice` selects the tool: `crm.find` (`openai-agents`, `tool_qualified_name`). */
export function qualifyName({ namespace, name }: NamespacedName): string {
  return namespace === NO_NAMESPACE ? name : `${namespace}.${name}`;
}

/** The namespaced name in a call or an output; undefined if it has no namespace. */
export function parseNamespacedName(item: JsonObject): NamespacedName | undefined {
  const namespace = asText(item['namespace']);
  const name = asText(item['name']);
  return !namespace || name === undefined ? undefined : { namespace, name };
}

/** The neutral name of the tool that a call, an output or a choice names; undefined if it names none. */
export function parseNeutralName(item: JsonObject): string | undefined {
  const namespaced = parseNamespacedName(item);
  return namespaced ? joinName(namespaced) : asText(item['name']);
}

/** The namespaced names of a prompt's tools, by their neutral names. */
export function findNamespacedNames(tools: readonly Tool[] | undefined): ReadonlyMap<string, NamespacedName> {
  return toolTable(tools, ({ formatSpecific }) => {
    const kept = asObject(findRoundTrip(formatSpecific, 'responses')['namespace']);
    return kept && parseNamespacedName(kept);
  });
}
