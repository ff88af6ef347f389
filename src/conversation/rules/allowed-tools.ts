/** The tools that a choice leaves, for vendors that are offered only those that may be called. */

import type { Prompt, Tool, ToolChoice } from '../prompt.ts';

/** The name of a tool that the choice names and the prompt does not have; undefined if there is none. */
export function findMissingChoice({ tools = [], toolChoice }: Prompt): string | undefined {
  const allowed = toolChoice?.mode === 'none' ? [] : (toolChoice?.allowed ?? []);
  if (allowed.length === 0) return undefined;
  const names = new Set(tools.flatMap((tool) => (tool.kind === 'hosted' ? [] : tool.name)));
  return allowed.find((name) => !names.has(name));
}

/**
 * Whether a choice allows a tool. Of the hosted tools, it can leave out only the search.
 * @param names those it allows.
 */
export function isAllowed(tool: Tool, names: ReadonlySet<string>, choice: ToolChoice | undefined): boolean {
  if (tool.kind !== 'hosted') return names.has(tool.name);
  return choice?.search === true || !tool.webSearch;
}
