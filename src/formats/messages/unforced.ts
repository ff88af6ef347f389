/**
 * A call that must be made, of a model that refuses to be made to (Claude Fable 5.1, Opus 5.5, Sonnet 5.5 and later:
 * "What's new", forced tool use). It may choose, among the tools that may be called, and is asked for the call last of
 * all: what was said before stays as it was, as its cache and the thoughts that are bound to it want it.
 */

import type { Prompt } from '../../conversation/prompt.ts';
import type { Report, Target } from '../format.ts';
import { safeName } from './names.ts';
import { keepsAll } from './wire.ts';

/** The prompt as the model takes it. */
export function unforced(prompt: Prompt, target: Target, report: Report): Prompt {
  const { toolChoice, tools = [], turns } = prompt;
  const isForced = toolChoice?.mode === 'required' && tools.length > 0;
  if (!isForced || target.forcedTools !== false || keepsAll(prompt, target)) return prompt;
  report('toolChoice', 'approximated', 'a call is asked for in words');
  const [name, ...others] = toolChoice.allowed ?? [];
  const whom = name === undefined || others.length > 0 ? 'one of the tools' : `the tool "${safeName(name)}"`;
  const text = `Answer with a call of ${whom}, not with text.`;
  return {
    ...prompt,
    toolChoice: { ...toolChoice, mode: 'auto' },
    turns: [...turns, { role: 'user', parts: [{ kind: 'text', text }] }],
  };
}
