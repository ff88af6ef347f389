/** The schemas of a prompt's tools and of its answer, and what vendors do not take in them. */

import type { FormatName, Prompt, Tool } from '../conversation/prompt.ts';
import { withoutDanglingReferences } from '../conversation/rules/dangling-references.ts';
import { withoutRootReference } from '../conversation/rules/root-reference.ts';
import type { JsonObject } from '../lib/json.ts';
import { mapItems } from '../lib/lists.ts';
import type { PromptPath, Report } from './format.ts';

/** Changes a schema. @param field where the prompt has it. @returns the schema itself if it is to stay as it is. */
type ChangeSchema = (schema: JsonObject, field: PromptPath) => JsonObject;

/**
 * The prompt with no reference at the root of a schema, since vendors want an object there, and none that leads
 * nowhere, which they refuse. Tools that came in `own`, the vendor's format, stay as they are.
 * @returns the prompt itself if it has no such reference.
 */
export function resolveReferences(prompt: Prompt, own: FormatName, report: Report): Prompt {
  return withSchemas(prompt, (schema, field) => resolveSchema(schema, field, report), own);
}

/**
 * The prompt, in which `change` has changed the schemas; itself if none changed.
 * @param own the format whose tools stay as they are. Absent: none do.
 */
export function withSchemas(prompt: Prompt, change: ChangeSchema, own?: FormatName): Prompt {
  const tools = prompt.tools && mapItems(prompt.tools, (tool) => withSchema(tool, change, own));
  const given = prompt.output?.kind === 'json-schema' ? prompt.output : undefined;
  const schema = given && change(given.schema, 'output');
  if (tools === prompt.tools && schema === given?.schema) return prompt;
  return { ...prompt, ...(tools && { tools }), ...(given && schema && { output: { ...given, schema } }) };
}

function withSchema(tool: Tool, change: ChangeSchema, own: FormatName | undefined): Tool {
  if (tool.kind !== 'function' || tool.parameters === undefined) return tool;
  if (own !== undefined && tool.formatSpecific?.format === own) return tool;
  const parameters = change(tool.parameters, `tools[${tool.name}].parameters`);
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
