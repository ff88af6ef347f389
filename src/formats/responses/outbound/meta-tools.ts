/**
 * Muse at Meta, whose responses are OpenAI's but for what it refuses: any choice among tools ("only `"auto"` is
 * supported for `tool_choice`"), and a schema that holds itself ("Recursive JSON schemas are not currently supported").
 */

import type { Prompt, Tool } from '../../../conversation/prompt.ts';
import { isAllowed } from '../../../conversation/rules/allowed-tools.ts';
import { withoutCycles } from '../../../conversation/rules/without-cycles.ts';
import { asObject, asObjects, type Json, type JsonObject } from '../../../lib/json.ts';
import { downgradeToolChoice } from '../../downgrade-tool-choice.ts';
import type { Report } from '../../format.ts';
import { safeName } from './tool-names.ts';

export const META = 'meta';

/** The prompt as Meta takes it: a call is asked for in words, and only tools are offered that may be called. */
export function asMetaTakes(prompt: Prompt, report: Report): Prompt {
  return withoutChoice(downgradeToolChoice(uncycled(prompt, report), safeName, report), report);
}

/** Whether a request of this format has nothing in it that Meta refuses. */
export function isMetas({ tools, tool_choice: choice, text }: JsonObject): boolean {
  const schemas = [
    ...asObjects(tools).map(({ parameters }) => parameters),
    asObject(asObject(text)?.['format'])?.['schema'],
  ];
  return isFree(choice) && !schemas.some(isCyclic);
}

function isFree(choice: Json | undefined): boolean {
  return choice === undefined || choice === null || choice === 'auto';
}

function isCyclic(given: Json | undefined): boolean {
  const schema = asObject(given);
  return schema !== undefined && withoutCycles(schema) !== schema;
}

function uncycled(prompt: Prompt, report: Report): Prompt {
  const { tools, output } = prompt;
  return {
    ...prompt,
    ...(tools && { tools: tools.map((tool) => uncycledTool(tool, report)) }),
    ...(output?.kind === 'json-schema' && {
      output: { ...output, schema: withoutCycles(output.schema) },
    }),
  };
}

function uncycledTool(tool: Tool, report: Report): Tool {
  if (tool.kind !== 'function' || tool.parameters === undefined) return tool;
  const parameters = withoutCycles(tool.parameters);
  if (parameters === tool.parameters) return tool;
  report(`tools[${tool.name}].parameters`, 'approximated', 'where it holds itself, its type is told alone');
  return { ...tool, parameters };
}

function withoutChoice(prompt: Prompt, report: Report): Prompt {
  const { toolChoice, tools = [], ...rest } = prompt;
  if (toolChoice === undefined) return prompt;
  if (toolChoice.mode === 'none') {
    report('tools', 'dropped', 'none may be called, and the service can only be given none');
    return rest;
  }
  const { allowed } = toolChoice;
  if (allowed === undefined) return prompt;
  report('toolChoice', 'approximated', 'only the allowed tools are sent');
  const names = new Set(allowed);
  const offered = tools.filter((tool) => isAllowed(tool, names, toolChoice));
  return { ...rest, tools: offered, toolChoice: { mode: 'auto' } };
}
