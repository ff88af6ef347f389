/** A call that must be made, where nobody can be made to: the model may choose, and is asked for the call last of all. */

import type { Prompt } from '../conversation/prompt.ts';
import type { Report } from './format.ts';

/**
 * The prompt with the wish for a call in words; itself where none is forced. What was said before stays as it was, for
 * its cache and the thoughts that are bound to it.
 * @param nameOf what a tool is called there.
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
  const whom = name === undefined || others.length > 0 ? 'one of the tools' : `the tool "${nameOf(name)}"`;
  const text = `Answer with a call of ${whom}, not with text.`;
  return {
    ...prompt,
    toolChoice: { ...toolChoice, mode: 'auto' },
    turns: [...turns, { role: 'user', parts: [{ kind: 'text', text }] }],
  };
}
