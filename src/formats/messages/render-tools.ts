/** `tools` and `tool_choice`. */

import { asFunctionTool } from '../../conversation/custom-tools.ts';
import type { FunctionTool, HostedTool, Prompt, Tool, ToolChoice, Turn } from '../../conversation/prompt.ts';
import type { JsonObject } from '../../json.ts';
import { asList, asObject, compact } from '../../json.ts';
import type { Report, Target } from '../format.ts';
import { safeName } from './names.ts';
import type { OutputPlan } from './output.ts';
import { closedSchema } from './schema.ts';
import { FORMAT, ownFields, renderMark } from './wire.ts';

/** `{ tools, tool_choice }`, each only where there is something to say: to be spread. */
export function renderTools(
  prompt: Prompt,
  turns: readonly Turn[],
  output: OutputPlan,
  target: Target,
  report: Report,
): JsonObject {
  const isNative = prompt.own?.format === FORMAT;
  const offered = prompt.tools ?? (isNative ? [] : undeclared(turns, report));
  const tools = allowed(offered, prompt.toolChoice, report).flatMap(
    (tool) => renderTool(tool, target, report) ?? [],
  );
  if (output.kind === 'tool') tools.push(output.tool);
  if (tools.length === 0) {
    if (prompt.toolChoice) report({ field: 'tool_choice', outcome: 'dropped', detail: 'there are no tools' });
    return isNative && prompt.tools ? { tools } : {};
  }
  const choice = renderChoice(prompt, output);
  return { tools, ...(choice && { tool_choice: choice }) };
}

function renderTool(tool: Tool, target: Target, report: Report): JsonObject | undefined {
  switch (tool.kind) {
    case 'hosted':
      return renderHosted(tool, report);
    case 'custom':
      report({ field: `tool ${tool.name}`, outcome: 'approximated', detail: 'a function with one field, input' });
      return renderFunction(asFunctionTool(tool), target, report);
    case 'function':
      return renderFunction(tool, target, report);
  }
}

function renderFunction(tool: FunctionTool, target: Target, report: Report): JsonObject {
  const { name, description, mark, own, extra } = tool;
  const schema = tool.parameters ?? { type: 'object', properties: {} };
  const isNative = own?.format === FORMAT;
  const closed = tool.strict === true && target.structuredOutput ? closedSchema(schema) : undefined;
  const strict = isNative ? tool.strict : closed && true;
  if (tool.strict === true && strict !== true) {
    report({ field: `tool ${name}.strict`, outcome: 'dropped', detail: 'this model cannot enforce its schema' });
  } else if (closed !== undefined && closed !== schema) {
    report({ field: `tool ${name}.parameters`, outcome: 'approximated', detail: 'objects closed, to be enforced' });
  }
  return {
    ...extra,
    ...ownFields(own, report),
    name: safeName(name),
    ...(description !== undefined && { description }),
    input_schema: { type: 'object', ...(strict === true && closed ? closed : schema) },
    ...(strict !== undefined && { strict }),
    ...renderMark(mark),
  };
}

function renderHosted(tool: HostedTool, report: Report): JsonObject | undefined {
  if (tool.format === FORMAT) return tool.value;
  if (tool.webSearch) {
    report({ field: 'web search', outcome: 'approximated', detail: 'web_search_20250305' });
    return webSearch(tool.value);
  }
  report({ field: 'tools', outcome: 'dropped', detail: `a hosted tool of ${tool.format}` });
  return undefined;
}

/** OpenAI's two ways to write a web search (chat-completions nests the place, responses does not), and Gemini's. */
function webSearch(value: JsonObject): JsonObject {
  const given = asObject(value['user_location']);
  const place = asObject(given?.['approximate']) ?? given;
  const domains = asList(asObject(value['filters'])?.['allowed_domains']);
  return compact({
    type: 'web_search_20250305',
    name: 'web_search',
    allowed_domains: domains.length > 0 ? domains : undefined,
    user_location: place && compact({ ...place, type: 'approximate' }),
  });
}

/** A narrowed choice of several tools can only be had by offering no others. */
function allowed(tools: readonly Tool[], choice: ToolChoice | undefined, report: Report): readonly Tool[] {
  const names = choice?.allowed;
  if (names === undefined || choice?.mode === 'none' || isOneTool(choice)) return tools;
  report({ field: 'tool_choice.allowed', outcome: 'approximated', detail: 'only the allowed tools are offered' });
  return tools.filter((tool) => tool.kind === 'hosted' || names.includes(tool.name));
}

function isOneTool(choice: ToolChoice | undefined): boolean {
  return choice?.mode === 'required' && choice.allowed?.length === 1;
}

function renderChoice(prompt: Prompt, output: OutputPlan): JsonObject | undefined {
  const { toolChoice, parallelToolCalls } = prompt;
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (output.kind === 'tool') {
    return output.alone
      ? { type: 'tool', name: output.name, disable_parallel_tool_use: true }
      : { type: 'any', ...parallel };
  }
  if (prompt.tools === undefined) return { type: 'none' };
  switch (toolChoice?.mode) {
    case undefined:
      return parallelToolCalls === false ? { type: 'auto', ...parallel } : undefined;
    case 'none':
      return { type: 'none' };
    case 'auto':
      return { type: 'auto', ...parallel };
    case 'required': {
      const name = isOneTool(toolChoice) ? toolChoice?.allowed?.[0] : undefined;
      return name === undefined ? { type: 'any', ...parallel } : { type: 'tool', name: safeName(name), ...parallel };
    }
  }
}

/**
 * Tools for the calls of a history whose caller declares none any more, as chat-completions allows: Anthropic refuses
 * calls and results in a request without tools.
 */
function undeclared(turns: readonly Turn[], report: Report): readonly Tool[] {
  const names = new Set<string>();
  for (const { parts } of turns) for (const part of parts) if (part.kind === 'tool-call') names.add(part.name);
  if (names.size > 0) {
    report({ field: 'tools', outcome: 'approximated', detail: 'declared by name only, for the calls of the history' });
  }
  return Array.from(names, (name) => ({ kind: 'function', name }));
}
