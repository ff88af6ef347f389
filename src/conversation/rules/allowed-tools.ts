/** The tools that a choice leaves, for vendors that are offered only those that may be called. */

import type { Prompt, Tool, ToolChoice } from '../prompt.ts';

/** The name of a tool that the choice names and the prompt does not have; undefined if there is none. */
export function findMissingChoice({ tools = [], toolChoice }: Prompt): string | undefined {
  const allowed = toolChoice?.mode === 'none' ? [] : (toolChoice?.allowed ?? []);
  if (allowed.length === 0) return undefined;
  const names = new Set(toolNames(tools));
  return allowed.find((name) => !names.has(name));
}

/** The tools that a choice allows. Of the hosted tools, it can leave out only the search. */
export function filterAllowed(tools: readonly Tool[], { allowed = [], search }: ToolChoice): readonly Tool[] {
  const names = new Set(allowed);
  return tools.filter((tool) =>
    tool.kind === 'hosted' ? search === true || !tool.webSearch : names.has(tool.name),
  );
}

/** The names of the tools that the caller runs. */
export function toolNames(tools: readonly Tool[] = []): readonly string[] {
  return tools.flatMap((tool) => (tool.kind === 'hosted' ? [] : tool.name));
}
