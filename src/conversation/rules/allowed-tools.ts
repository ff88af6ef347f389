/** Which tools a choice among them leaves, where only those are offered that may be called. */

import type { Tool, ToolChoice } from '../prompt.ts';

/** @param names those that the choice allows. Of what a vendor runs itself, only a search can be left out. */
export function isAllowed(tool: Tool, names: ReadonlySet<string>, choice: ToolChoice | undefined): boolean {
  if (tool.kind !== 'hosted') return names.has(tool.name);
  return choice?.search === true || !tool.webSearch;
}
