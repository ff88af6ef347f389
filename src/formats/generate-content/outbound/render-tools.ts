/**
 * `tools` and `toolConfig`: function declarations, the tools Google runs itself, and how to choose among them.
 * https://ai.google.dev/gemini-api/docs/function-calling
 */

import type { FunctionDeclaration } from '@google/genai';
import { formatFields } from '../../../conversation/format-specific.ts';
import type { FunctionTool, HostedTool, Prompt, ToolChoice } from '../../../conversation/prompt.ts';
import { asFunctionTool } from '../../../conversation/rules/custom-tools.ts';
import { newestSchema, objectRoot } from '../../../conversation/rules/function-schema.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asObject, asText, isEmpty } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { isGemini3 } from '../wire/model-generation.ts';
import { safeName } from '../wire/tool-names.ts';
import { isAtVertex } from '../wire/vertex.ts';
import { FORMAT } from '../wire/wire.ts';
import { withoutRefSiblings } from './ref-siblings.ts';
import { toOpenApi } from './to-openapi.ts';

/** The `tools` of a request: one entry with all declarations, then one for each of Google's own tools. */
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
  if (tool.format === FORMAT) return [tool.value];
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
  const excludeDomains = isAtVertex(target) ? blockedDomains(tool.value) : [];
  const settings = excludeDomains.length > 0 ? 'only with the domains it leaves out' : 'without its settings';
  report('tools[].type', 'approximated', `${type} as googleSearch, ${settings}`);
  return [{ googleSearch: excludeDomains.length > 0 ? { excludeDomains } : {} }];
}

/** The domains that a search is to leave out, in OpenAI's words and Anthropic's. The Gemini API takes none (`GoogleSearch` in `@google/genai`). */
function blockedDomains(search: JsonObject): readonly Json[] {
  return asList(asObject(search['filters'])?.['blocked_domains'] ?? search['blocked_domains']);
}

function renderDeclaration(tool: FunctionTool, target: ModelTraits, report: Report): JsonObject {
  if (tool.cacheBreakpoint) report('tools[].mark', 'dropped', 'Gemini caches by itself');
  const own = ownFields(tool.formatSpecific, FORMAT, 'tools[]', report);
  const declaration = {
    name: safeName(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
  } satisfies FunctionDeclaration;
  return {
    ...tool.unknownFields,
    ...own,
    ...declaration,
    ...(tool.parameters && renderParameters(tool.parameters, tool.name, target, report)),
  };
}

function renderParameters(schema: JsonObject, name: string, target: ModelTraits, report: Report): JsonObject {
  if (target.dialect !== 'openapi-schema') {
    // Beside a reference nothing may stand, not even a type.
    const newest = newestSchema(schema);
    const whole = newest['$ref'] === undefined ? objectRoot(newest) : newest;
    return { parametersJsonSchema: withoutRefSiblings(whole) };
  }
  const lost = new Set<string>();
  const parameters = toOpenApi(schema, lost);
  if (lost.size > 0) {
    report(`tools[${name}].parameters`, 'approximated', `schema without ${[...lost].join(', ')}`);
  }
  // A function without arguments has no parameters at all: an object that lists no property is refused.
  return parameters['properties'] === undefined ? {} : { parameters };
}

/** The `toolConfig` of a request; undefined where there is nothing to say. */
export function renderToolConfig(
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
): JsonObject | undefined {
  if (prompt.parallelToolCalls === false) {
    report('parallelToolCalls', 'dropped', 'Gemini cannot be limited to one call');
  }
  const own = asObject(formatFields(prompt.formatSpecific, FORMAT)['toolConfig']);
  const calling = { ...asObject(own?.['functionCallingConfig']), ...renderCalling(prompt, report) };
  const config = {
    // Vertex AI takes both as they are, and has no such field.
    ...(mixesSearch(prompt, target) && !isAtVertex(target) && { includeServerSideToolInvocations: true }),
    ...own,
    ...(!isEmpty(calling) && { functionCallingConfig: calling }),
  };
  return isEmpty(config) ? undefined : config;
}

function renderCalling(prompt: Prompt, report: Report): JsonObject | undefined {
  const { toolChoice: choice, tools = [] } = prompt;
  // It is about functions alone, and refused without any. That a call is wanted of none at all is for the caller to hear.
  if (!hasFunctions(prompt) && (tools.length > 0 || choice?.mode !== 'required')) {
    if (choice) report('toolChoice', 'dropped', 'there are no functions to choose from');
    return undefined;
  }
  const strict = tools.some((tool) => tool.kind === 'function' && tool.strict === true);
  const allowed = choice?.allowed?.map(safeName);
  const narrowed = allowed && { allowedFunctionNames: allowed };
  // With no function allowed a search may be.
  if (choice?.mode === 'none' || allowed?.length === 0) return { mode: 'NONE' };
  // Nor does ANY, and it is about functions: where a search may be instead, none of them is forced.
  if (choice?.mode === 'required' && !(allowed && choice.search)) return { mode: 'ANY', ...narrowed };
  // AUTO takes no list of names; VALIDATED does, and is AUTO otherwise.
  if (strict || narrowed) return { mode: 'VALIDATED', ...narrowed };
  return choice && { mode: 'AUTO' };
}

/** From Gemini 3 on, functions and a search go in one request if it may tell of the search; before, only one of them. */
function mixesSearch(prompt: Prompt, target: ModelTraits): boolean {
  const searches = (prompt.tools ?? []).some(
    (tool) => tool.kind === 'hosted' && tool.webSearch && tool.format !== FORMAT,
  );
  return searches && hasFunctions(prompt) && isGemini3(target) && !mayNotSearch(prompt.toolChoice);
}

/** Whether a choice leaves the web search out. */
function mayNotSearch(choice: ToolChoice | undefined): boolean {
  if (choice?.mode === 'auto' && choice.allowed) return choice.search !== true;
  return choice?.mode === 'none';
}

/** Whether there are functions. Where nothing but a search may be used, they are left out: with some, it is not to be had before Gemini 3. */
function hasFunctions({ tools = [], toolChoice }: Prompt): boolean {
  if (toolChoice?.search && toolChoice.allowed?.length === 0) return false;
  return tools.some((tool) => tool.kind !== 'hosted');
}
