/**
 * `tools`: function declarations, and the tools that Google runs itself.
 * https://ai.google.dev/gemini-api/docs/function-calling
 */

import type { FunctionTool, HostedTool, Prompt } from '../../../conversation/prompt.ts';
import { asFunctionTool } from '../../../conversation/rules/custom-tools.ts';
import { newestSchema, objectRoot } from '../../../conversation/rules/function-schema.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { readWebSearch } from '../../web-search.ts';
import { findDialect } from '../dialects.ts';
import { isGemini3 } from './model-generation.ts';
import { inSupportedKeywords } from './supported-keywords.ts';
import { toOpenApi } from './to-openapi.ts';
import { safeName } from './tool-names.ts';
import { hasFunctions, mayNotSearch } from './usable-tools.ts';

/** The `tools` of a request: one entry with all declarations, then one for each tool that Google runs itself. */
export function renderTools(prompt: Prompt, target: ModelTraits, report: Report): readonly JsonObject[] {
  const declarations: JsonObject[] = [];
  const hosted: JsonObject[] = [];
  for (const tool of prompt.tools ?? []) {
    if (tool.kind === 'hosted') hosted.push(...renderHosted(tool, prompt, target, report));
    else if (hasFunctions(prompt)) {
      if (tool.kind === 'custom') {
        report(`tools[${tool.name}].type`, 'approximated', 'sent as a function with one text field');
      }
      declarations.push(
        renderDeclaration(tool.kind === 'custom' ? asFunctionTool(tool) : tool, target, report),
      );
    }
  }
  return declarations.length > 0 ? [{ functionDeclarations: declarations }, ...hosted] : hosted;
}

function renderHosted(
  tool: HostedTool,
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
): readonly JsonObject[] {
  if (tool.format === 'generate-content') return [tool.value];
  const type = asText(tool.value['type']) ?? 'a hosted tool';
  if (!tool.webSearch) {
    report('tools[].type', 'dropped', `${type} is a tool of another vendor`);
    return [];
  }
  if (mayNotSearch(prompt.toolChoice)) {
    report('tools[].type', 'dropped', `${type}: it may not be used`);
    return [];
  }
  if (hasFunctions(prompt) && !isGemini3(target)) {
    report('tools[].type', 'dropped', `${type}: this model takes it without functions only`);
    return [];
  }
  // The Gemini API has no field for them (`GoogleSearch` in `@google/genai`).
  const excludeDomains = findDialect(target).excludesDomains ? readWebSearch(tool.value).blockedDomains : [];
  const settings = excludeDomains.length > 0 ? 'only with the domains it leaves out' : 'without its settings';
  report('tools[].type', 'approximated', `${type} as googleSearch, ${settings}`);
  return [{ googleSearch: excludeDomains.length > 0 ? { excludeDomains } : {} }];
}

function renderDeclaration(tool: FunctionTool, target: ModelTraits, report: Report): JsonObject {
  if (tool.cacheBreakpoint) report('tools[].mark', 'dropped', 'Gemini caches by itself');
  const own = ownFields(tool.formatSpecific, 'generate-content', 'tools[]', report);
  const declaration = {
    name: safeName(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
  };
  return {
    ...tool.unknownFields,
    ...own,
    ...declaration,
    ...(tool.parameters && renderParameters(tool.parameters, tool.name, target, report)),
  };
}

function renderParameters(schema: JsonObject, name: string, target: ModelTraits, report: Report): JsonObject {
  if (!findDialect(target).openApiSchemas) {
    // No keyword may stand beside a reference to another document, not even a type.
    const newest = newestSchema(schema);
    const whole = newest['$ref'] === undefined ? objectRoot(newest) : newest;
    const parametersJsonSchema = inSupportedKeywords(whole, (detail) =>
      report(`tools[${name}].parameters`, 'approximated', detail),
    );
    return { parametersJsonSchema };
  }
  const lost = new Set<string>();
  const parameters = toOpenApi(schema, lost);
  if (lost.size > 0) {
    report(`tools[${name}].parameters`, 'approximated', `schema without ${[...lost].join(', ')}`);
  }
  // A function without arguments gets no parameters at all, since an object without properties is refused.
  return parameters['properties'] === undefined ? {} : { parameters };
}
