/** OpenAI's tools that the caller runs (`shell`, `local_shell`, `apply_patch`), which are functions in a prompt. */

import type { FormatSpecific, FunctionTool, Tool } from '../../../conversation/prompt.ts';

/** A function that stands for one of these tools. Its name is the type of the tool, and `shorthand` the tool itself. */
export type ClientTool = FunctionTool & { readonly shorthand: FormatSpecific };

/** Whether a tool of a prompt stands for one of these tools. */
export function isClientTool(tool: Tool): tool is ClientTool {
  return tool.kind === 'function' && tool.shorthand?.format === 'responses';
}
