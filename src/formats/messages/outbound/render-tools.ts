/** `tools` and `tool_choice`. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { Prompt, Tool, Turn } from '../../../conversation/prompt.ts';
import { asFunctionTool } from '../../../conversation/rules/custom-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type ModelTraits, type Report, unreported } from '../../format.ts';
import { fitsGrammar } from './grammar-limits.ts';
import { speaksMessages } from './native-caller.ts';
import type { OutputPlan } from './output-format.ts';
import { type FunctionRules, renderFunction, toObjectSchema } from './render-function.ts';
import { renderHosted } from './render-hosted-tool.ts';
import { NO_TOOL, offerAllowed, renderToolChoice } from './render-tool-choice.ts';
import { closeSchema } from './schema.ts';

/**
 * Renders the tools of a request.
 * @param turns the turns as they are sent.
 * @param output how a JSON answer is obtained, which may add a tool.
 * @returns `{tools, tool_choice}`, to be spread. Each is left out if there is nothing to say.
 */
export function renderTools(
  prompt: Prompt,
  turns: readonly Turn[],
  output: OutputPlan,
  target: ModelTraits,
  report: Report,
): JsonObject {
  const isNative = speaksMessages(prompt);
  const declared = prompt.tools ?? [];
  // A call that is required of no tool at all stays: the caller gets the refusal.
  const isForced = prompt.toolChoice?.mode === 'required' && declared.length === 0;
  const undeclared = declared.length > 0 || isNative || isForced ? [] : declareCalledTools(turns, report);
  const offered = [...offerAllowed(declared, prompt.toolChoice, report), ...undeclared];
  const rules = { isNative, enforces: canEnforce(offered, output, target) };
  const tools = offered
    .map((tool) => renderTool(tool, rules, prompt.maxSearches, report))
    .filter((tool) => tool !== undefined);
  if (output.kind === 'tool') tools.push(renderFunction(output.tool, rules, report));
  if (tools.length === 0 && !isNative && !isForced) {
    if (prompt.toolChoice) report('toolChoice', 'dropped', 'there are no tools');
    return {};
  }
  const choice =
    findRoundTrip(prompt.formatSpecific, 'messages')['tool_choice'] ??
    (undeclared.length > 0 && output.kind !== 'tool' ? NO_TOOL : renderToolChoice(prompt, output));
  return {
    ...((tools.length > 0 || prompt.tools) && { tools }),
    ...(choice && { tool_choice: choice }),
  };
}

/** Tells whether the vendor can enforce the schemas of the strict tools. It refuses a request that exceeds its limits. */
function canEnforce(tools: readonly Tool[], output: OutputPlan, target: ModelTraits): boolean {
  if (!target.structuredOutput) return false;
  const strict = tools.flatMap((tool): JsonObject[] => {
    if (tool.kind !== 'function' || tool.strict !== true) return [];
    const closed = closeSchema(toObjectSchema(tool, false, unreported));
    return closed === undefined ? [] : [closed];
  });
  return strict.length === 0 || fitsGrammar(strict, output.kind === 'enforced' ? output.schema : undefined);
}

function renderTool(
  tool: Tool,
  rules: FunctionRules,
  maxSearches: number | undefined,
  report: Report,
): JsonObject | undefined {
  switch (tool.kind) {
    case 'hosted':
      return renderHosted(tool, maxSearches, report);
    case 'custom':
      report(`tools[${tool.name}].type`, 'approximated', 'sent as a function with one field, input');
      return renderFunction(asFunctionTool(tool), rules, report);
    case 'function':
      return renderFunction(tool, rules, report);
  }
}

/**
 * Declares tools for the calls in a history, if the caller no longer declares any, as chat-completions allows. Anthropic
 * refuses calls and results in a request without tools.
 */
function declareCalledTools(turns: readonly Turn[], report: Report): readonly Tool[] {
  let names: Set<string> | undefined;
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind !== 'tool-call') continue;
      names ??= new Set();
      names.add(part.name);
    }
  }
  if (names === undefined) return [];
  report('tools', 'approximated', 'declared by name only, for calls in the history');
  return Array.from(names, (name) => ({ kind: 'function', name }));
}
