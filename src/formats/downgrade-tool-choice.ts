/** A forced tool call, for models that cannot be forced: the model may choose, and the last turn asks for the call. */

import type { Prompt } from '../conversation/prompt.ts';
import type { Report } from './format.ts';

/**
 * The prompt with the demand for a call in words; the same prompt if it forces none. The earlier turns do not change,
 * so that their cache and the thoughts bound to them stay valid.
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
