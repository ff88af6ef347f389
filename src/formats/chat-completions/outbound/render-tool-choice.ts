/** The choice among the tools. */

import type { Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { getCustomNames } from '../../../conversation/rules/custom-tools.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json } from '../../../lib/json.ts';
import type { RenderContext } from './render-context.ts';
import { toolNameFor } from './tool-names.ts';

export interface RenderedToolChoice {
  /** The value of `tool_choice`. */
  readonly value: Json;
  /** The choice by which to filter the tools, if the service cannot be told which ones are allowed. */
  readonly only?: ToolChoice;
}

/**
 * The choice as the dialect spells it.
 * @throws GatewayError `invalid-request` if it allows no tool at all.
 */
export function renderToolChoice(
  choice: ToolChoice,
  tools: readonly Tool[],
  { dialect, exact, thinks }: RenderContext,
): RenderedToolChoice {
  const { mode, allowed } = choice;
  const word = mode === 'required' ? dialect.requiredWord : mode;
  if (allowed === undefined || mode === 'none') return { value: word };
  const custom = getCustomNames(tools);
  const named = allowed.map((name) => {
    const type = dialect.customTools && custom.has(name) ? 'custom' : 'function';
    return { type, [type]: { name: toolNameFor(name, dialect) } };
  });
  const [only] = named;
  // A thinking model that refuses a forced tool takes the word instead of the name, with only that tool.
  const isNamed = dialect.namedToolChoice && (exact || !thinks || !dialect.thinkingBlocksForcedTools);
  if (mode === 'required' && named.length === 1 && only !== undefined && isNamed) return { value: only };
  if (dialect.allowedTools && named.length > 0)
    return { value: { type: 'allowed_tools', allowed_tools: { mode, tools: named } } };
  // The search alone may be allowed.
  if (named.length === 0 && tools.every(({ kind }) => kind !== 'hosted'))
    throw invalid('The choice of tools allows none of them.', 'toolChoice');
  return { value: word, only: choice };
}
