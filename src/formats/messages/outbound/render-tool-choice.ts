/** `tool_choice`, and the tools that a choice leaves. */

import type { Prompt, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { filterAllowed } from '../../../conversation/rules/allowed-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Report } from '../../format.ts';
import type { OutputPlan } from './output-format.ts';
import { WEB_SEARCH } from './render-hosted-tool.ts';
import { safeName } from './tool-names.ts';

/** The choice that forbids all calls. */
export const NO_TOOL = { type: 'none' };

/** Filters the tools by the choice. Anthropic can only be limited to several tools by being offered no others. */
export function offerAllowed(
  tools: readonly Tool[],
  choice: ToolChoice | undefined,
  report: Report,
): readonly Tool[] {
  if (choice?.allowed === undefined || choice.mode === 'none' || findOnlyTool(choice) !== undefined)
    return tools;
  report('toolChoice', 'approximated', 'only the allowed tools are offered');
  return filterAllowed(tools, choice);
}

/** Finds the name of the tool that must be called; undefined if there is a choice. */
function findOnlyTool(choice: ToolChoice | undefined): string | undefined {
  if (choice?.mode !== 'required' || choice.allowed === undefined) return undefined;
  const names = [...choice.allowed, ...(choice.search ? [WEB_SEARCH] : [])];
  return names.length === 1 ? names[0] : undefined;
}

/**
 * Renders `tool_choice`.
 * @param output how a JSON answer is obtained, which may require the call of a tool.
 * @returns undefined if nothing needs to be said.
 */
export function renderToolChoice(
  { toolChoice, parallelToolCalls }: Prompt,
  output: OutputPlan,
): JsonObject | undefined {
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (output.kind === 'tool') {
    return output.alone
      ? { type: 'tool', name: output.tool.name, disable_parallel_tool_use: true }
      : { type: 'any', ...parallel };
  }
  switch (toolChoice?.mode) {
    case undefined:
      return parallelToolCalls === false ? { type: 'auto', ...parallel } : undefined;
    case 'none':
      return NO_TOOL;
    case 'auto':
      return { type: 'auto', ...parallel };
    case 'required': {
      const name = findOnlyTool(toolChoice);
      return name === undefined
        ? { type: 'any', ...parallel }
        : { type: 'tool', name: safeName(name), ...parallel };
    }
  }
}
