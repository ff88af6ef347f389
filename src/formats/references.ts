/**
 * References in the schemas of tools and answers: vendors want an object at the root of a schema, and refuse references
 * that lead nowhere.
 */

import type { FormatName, Prompt, Tool } from '../conversation/prompt.ts';
import { withoutDanglingReferences } from '../conversation/rules/dangling-references.ts';
import { withoutRootReference } from '../conversation/rules/root-reference.ts';
import type { JsonObject } from '../lib/json.ts';
import type { PromptPath, Report } from './format.ts';

/**
 * The prompt with no reference at the root of a schema, and none that leads nowhere. Tools that came in `own`, the
 * vendor's format, stay as they are.
 * @returns the prompt itself if it has no such reference.
 */
export function resolveReferences(prompt: Prompt, own: FormatName, report: Report): Prompt {
  const { tools, output } = prompt;
  const resolved = tools?.map((tool) => resolveTool(tool, own, report));
  const isChanged = resolved?.some((tool, at) => tool !== tools?.[at]) ?? false;
  const schema = output?.kind === 'json-schema' ? resolveSchema(output.schema, 'output', report) : undefined;
  const isOutputChanged = output?.kind === 'json-schema' && schema !== output.schema;
  if (!isChanged && !isOutputChanged) return prompt;
  return {
    ...prompt,
    ...(resolved && { tools: resolved }),
    ...(isOutputChanged && schema && { output: { ...output, schema } }),
  };
}

function resolveTool(tool: Tool, own: FormatName, report: Report): Tool {
  if (tool.kind !== 'function' || tool.parameters === undefined) return tool;
  if (tool.formatSpecific?.format === own) return tool;
  const parameters = resolveSchema(tool.parameters, `tools[${tool.name}].parameters`, report);
  return parameters === tool.parameters ? tool : { ...tool, parameters };
}

function resolveSchema(given: JsonObject, field: PromptPath, report: Report): JsonObject {
  const direct = withoutRootReference(given);
  if (direct !== given) {
    report(field, 'approximated', 'what the root of the schema refers to is written at the root');
  }
  const schema = withoutDanglingReferences(direct);
  if (schema !== direct) report(field, 'approximated', 'references that lead nowhere are left out');
  return schema;
}
