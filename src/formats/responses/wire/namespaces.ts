/**
 * Tools in a namespace (API reference, `namespace` tools; Codex groups the tools of an MCP server so), for formats that
 * have no such thing: each is a tool whose name begins with the namespace's, and its calls are told apart again on the
 * way back, for a client knows none by the joined name.
 */

import { roundTripOf } from '../../../conversation/format-specific.ts';
import type { Tool } from '../../../conversation/prompt.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';

/** How the caller calls a tool that is in a namespace. */
export interface CallersName {
  readonly namespace: string;
  readonly name: string;
}

/** OpenAI's own word for where the tools are that are in none. */
const NO_NAMESPACE = 'functions';

/**
 * The one name of a tool elsewhere, as MCP clients have long joined them: `mcp__docs__search`. A function in no namespace
 * that a search has loaded is called in one of its own name (as recorded of GPT-5.4).
 */
export function joinedName({ namespace, name }: CallersName): string {
  if (namespace === NO_NAMESPACE || namespace === name) return name;
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
}

/** The name by which a `tool_choice` names it: `crm.find` (`openai-agents`, `tool_qualified_name`). */
export function choiceName({ namespace, name }: CallersName): string {
  return namespace === NO_NAMESPACE ? name : `${namespace}.${name}`;
}

/** How the caller calls what `item` is a call of; undefined where that is in no namespace. */
export function callersName(item: JsonObject): CallersName | undefined {
  const namespace = asText(item['namespace']);
  const name = asText(item['name']);
  return !namespace || name === undefined ? undefined : { namespace, name };
}

/** The one name elsewhere of what `item` is a call of, or speaks for; undefined where it has none. */
export function nameElsewhere(item: JsonObject): string | undefined {
  const called = callersName(item);
  return called ? joinedName(called) : asText(item['name']);
}

/** How the caller calls those of a prompt's tools that are in a namespace, by their names elsewhere. */
export function callersNames(tools: readonly Tool[] = []): ReadonlyMap<string, CallersName> {
  const names = new Map<string, CallersName>();
  for (const tool of tools) {
    const kept =
      tool.kind === 'hosted' ? undefined : roundTripOf(tool.formatSpecific, 'responses')['namespace'];
    const told = callersName(asObject(kept) ?? {});
    if (told) names.set(joinedName(told), told);
  }
  return names;
}
