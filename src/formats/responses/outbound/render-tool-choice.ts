/** Renders `tool_choice`. */

import type { Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { getCustomNames } from '../../../conversation/rules/custom-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isClientTool } from '../wire/client-tools.ts';
import { findNamespacedNames, qualifyName } from '../wire/namespaces.ts';
import type { RenderContext } from './render-context.ts';
import { safeName } from './tool-names.ts';

/**
 * Renders the choice: a mode, the one tool that must be called, or a list of the allowed tools.
 * @param tools the prompt's tools.
 * @returns undefined if there is no choice to make, or the service cannot make it.
 */
export function renderToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
  { dialect, report }: RenderContext,
): JsonObject | string | undefined {
  if (choice === undefined) return undefined;
  const { mode, allowed, search } = choice;
  if (allowed === undefined || mode === 'none') return mode;
  const custom = getCustomNames(tools);
  const clientTools = new Map(
    tools.filter(isClientTool).map(({ name, shorthand }) => [name, shorthand.fields]),
  );
  const namespaced = findNamespacedNames(tools);
  const chosen: JsonObject[] = allowed.map((name) => {
    const clientTool = clientTools.get(name);
    if (clientTool) return { type: clientTool['type'] };
    const inNamespace = namespaced.get(name);
    return {
      type: custom.has(name) ? 'custom' : 'function',
      name: inNamespace ? qualifyName(inNamespace) : safeName(name),
    };
  });
  if (search && tools.every(({ kind }) => kind === 'hosted')) return mode;
  if (search && !dialect.searchChoices) {
    report('toolChoice', 'dropped', 'the service takes no choice of a search');
    return undefined;
  }
  if (search) chosen.push({ type: 'web_search' });
  const [only] = chosen;
  if (mode === 'required' && chosen.length === 1 && only) return only;
  return { type: 'allowed_tools', mode, tools: chosen };
}
