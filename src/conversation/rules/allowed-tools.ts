/** The tools that a choice leaves, for vendors that are offered only those that may be called. */

import type { Tool, ToolChoice } from '../prompt.ts';

/**
 * Whether a choice allows a tool. Of the hosted tools, it can leave out only the search.
 * @param names those it allows.
 */
export function isAllowed(tool: Tool, names: ReadonlySet<string>, choice: ToolChoice | undefined): boolean {
  if (tool.kind !== 'hosted') return names.has(tool.name);
  return choice?.search === true || !tool.webSearch;
}
