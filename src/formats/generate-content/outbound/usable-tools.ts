/** Which kinds of tools a choice leaves. */

import type { Prompt, ToolChoice } from '../../../conversation/prompt.ts';

/** Whether a choice leaves the web search out. */
export function mayNotSearch(choice: ToolChoice | undefined): boolean {
  if (choice?.mode === 'auto' && choice.allowed) return choice.search !== true;
  return choice?.mode === 'none';
}

/**
 * Whether a request has functions. If nothing but a search may be used they are left out, since models before Gemini 3
 * do not search beside functions.
 */
export function hasFunctions({ tools = [], toolChoice }: Prompt): boolean {
  if (toolChoice?.search && toolChoice.allowed?.length === 0) return false;
  return tools.some((tool) => tool.kind !== 'hosted');
}
