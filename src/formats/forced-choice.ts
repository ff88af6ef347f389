/** A forced tool call that cannot be had: its tools are left out, or the model cannot be forced. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import { isSearch } from '../conversation/tools.ts';
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
  const { toolChoice, tools = [] } = prompt;
  if (toolChoice?.mode !== 'required' || tools.length === 0) return prompt;
  const isSearchAlone = toolChoice.search === true && toolChoice.allowed?.length === 0;
  const isLeft = tools.some((tool) => {
    if (isSearchAlone && !isSearch(tool)) return false;
    return tool.kind !== 'hosted' || tool.format === format || (isSearch(tool) && hasSearch);
  });
  if (isLeft) return prompt;
  const detail = isSearchAlone ? 'the service has no web search' : 'no tools are left to choose from';
  report('toolChoice', 'dropped', detail);
  const { toolChoice: _, ...rest } = prompt;
  return rest;
}

/**
 * The prompt with the demand for a call in words, for models that cannot be forced; the same prompt if it forces none.
 * The earlier turns do not change, so that their cache and the thoughts bound to them stay valid.
 * @param nameOf gives the vendor's name of a tool.
 */
export function downgradeToolChoice(
  prompt: Prompt,
  nameOf: (name: string) => string,
  report: Report,
): Prompt {
  const { toolChoice, tools = [], turns } = prompt;
  if (toolChoice?.mode !== 'required' || tools.length === 0) return prompt;
  report('toolChoice', 'approximated', 'a call is asked for in words');
  const [name, ...others] = toolChoice.allowed ?? [];
  const what = name === undefined || others.length > 0 ? 'one of the tools' : `the tool "${nameOf(name)}"`;
  const text = `Answer with a call of ${what}, not with text.`;
  return {
    ...prompt,
    toolChoice: { ...toolChoice, mode: 'auto' },
    turns: [...turns, { role: 'user', parts: [{ kind: 'text', text }] }],
  };
}
