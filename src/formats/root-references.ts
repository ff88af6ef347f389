/** Tools and forms of answers whose schema is a reference, for formats whose vendors want an object at its root. */

import type { FormatName, Prompt, Tool } from '../conversation/prompt.ts';
import { withoutRootReference } from '../conversation/rules/root-reference.ts';
import type { Report } from './format.ts';

const DETAIL = 'what the root of the schema refers to is written at the root';

/**
 * The prompt with no reference at the root of a schema. Tools that came in `own`, the vendor's format, stay as they are.
 * @returns the prompt itself if it has no such reference.
 */
export function resolveRootReferences(prompt: Prompt, own: FormatName, report: Report): Prompt {
  const { tools, output } = prompt;
  const resolved = tools?.map((tool) => resolveTool(tool, own, report));
  const isChanged = resolved?.some((tool, at) => tool !== tools?.[at]) ?? false;
  const schema = output?.kind === 'json-schema' ? withoutRootReference(output.schema) : undefined;
  const isOutputChanged = output?.kind === 'json-schema' && schema !== output.schema;
  if (isOutputChanged) report('output', 'approximated', DETAIL);
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
  const parameters = withoutRootReference(tool.parameters);
  if (parameters === tool.parameters) return tool;
  report(`tools[${tool.name}].parameters`, 'approximated', DETAIL);
  return { ...tool, parameters };
}
