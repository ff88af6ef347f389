/** A forced call of tools that are all left out. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { Report } from './format.ts';

/**
 * The prompt without its demand for a call if all tools that it may mean are left out; the same prompt otherwise. A call that
 * cannot come must change nothing else: some models do not think while a call is forced, others are asked for it in words.
 * @param format the vendor's format, whose hosted tools are sent. Of other formats' ones, only a search is.
 * @param hasSearch whether the service searches the web.
 */
export function dropLostChoice(
  prompt: Prompt,
  format: FormatName,
  hasSearch: boolean,
  report: Report,
): Prompt {
  const { toolChoice, ...rest } = prompt;
  const { tools = [] } = prompt;
  if (toolChoice?.mode !== 'required' || tools.length === 0) return prompt;
  const isSearchAlone = toolChoice.search === true && toolChoice.allowed?.length === 0;
  const isLeft = tools.some((tool) => {
    const isSearch = tool.kind === 'hosted' && tool.webSearch === true;
    if (isSearchAlone && !isSearch) return false;
    return tool.kind !== 'hosted' || tool.format === format || (isSearch && hasSearch);
  });
  if (isLeft) return prompt;
  const detail = isSearchAlone ? 'the service has no web search' : 'no tools are left to choose from';
  report('toolChoice', 'dropped', detail);
  return rest;
}
