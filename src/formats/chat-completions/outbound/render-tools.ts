/** Tools, in the dialect of the service. */

import type { CustomTool, FunctionTool, HostedTool, Prompt, Tool } from '../../../conversation/prompt.ts';
import { filterAllowed } from '../../../conversation/rules/allowed-tools.ts';
import { asFunctionTool } from '../../../conversation/rules/custom-tools.ts';
import {
  asObject,
  asText,
  compact,
  isEmpty,
  type Json,
  type JsonObject,
  withoutFields,
  withoutNulls,
} from '../../../lib/json.ts';
import type { Report } from '../../format.ts';
import { canEnforce, renderFunctionParameters } from '../../openai/functions.ts';
import { reportForeign } from '../../own-fields.ts';
import { readWebSearch, reportWebSearch, WEB_SEARCH_OPTIONS } from '../../web-search.ts';
import type { Dialect } from '../dialect.ts';
import { adaptSchema } from './adapt-schema.ts';
import { renderBreakpoint } from './render-cache-breakpoints.ts';
import type { RenderContext } from './render-context.ts';
import { renderToolChoice } from './render-tool-choice.ts';
import { toolNameFor } from './tool-names.ts';

/**
 * All fields of a body about tools: `tools`, `tool_choice`, `parallel_tool_calls` and `web_search_options`.
 * @throws GatewayError `invalid-request` if no tool is allowed, and for a schema that the service cannot take.
 */
export function renderToolFields(prompt: Prompt, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  if (prompt.toolChoice?.mode === 'none' && !dialect.toolChoice) {
    report('tools', 'dropped', 'none may be called, and the service cannot be told so');
    return {};
  }
  const given = prompt.tools ?? [];
  const choice = prompt.toolChoice && renderToolChoice(prompt.toolChoice, given, context);
  const { tools, search } = renderTools(choice?.only ? filterAllowed(given, choice.only) : given, context);
  if (choice?.only) report('toolChoice', 'approximated', 'only the allowed tools are sent');
  // A choice without tools is a 400 here. Callers of responses may send one (Codex does, to compact a dialogue). A forced
  // call without any tool is the caller's mistake, which the service reports.
  const isForced = prompt.toolChoice?.mode === 'required';
  if (tools.length === 0 && (given.length > 0 || !(context.exact || isForced))) return { ...search };
  return {
    ...(tools.length > 0 && { tools }),
    ...(choice && { tool_choice: choice.value }),
    ...(prompt.parallelToolCalls !== undefined && { parallel_tool_calls: prompt.parallelToolCalls }),
    ...search,
  };
}

/** The list of tools, and the web search, which is at the top of the body. */
function renderTools(
  given: readonly Tool[],
  context: RenderContext,
): { tools: JsonObject[]; search?: JsonObject } {
  const { dialect, report } = context;
  const tools: JsonObject[] = [];
  let options: Json | undefined;
  for (const tool of given) {
    if (tool.kind === 'function') tools.push(renderFunction(tool, context));
    else if (tool.kind === 'custom') tools.push(renderCustom(tool, context));
    else if (isSearch(tool, dialect)) options = renderSearch(tool, report);
    else if (tool.format === 'chat-completions') tools.push(tool.value);
    else {
      const type = asText(tool.value['type'])?.slice(0, 60) ?? 'a hosted tool';
      report('tools[].type', 'dropped', `${type} is run by another vendor`);
    }
  }
  const sent = dialect.mixedStrict ? tools : withSameStrict(tools, report);
  return { tools: sent, ...(options !== undefined && { search: { [WEB_SEARCH_OPTIONS]: options } }) };
}

/** Whether a tool is a web search that goes to the top of the body: that of this format, or another format's. */
function isSearch({ format, value, webSearch }: HostedTool, dialect: Dialect): boolean {
  if (format === 'chat-completions') return value['type'] === WEB_SEARCH_OPTIONS;
  return webSearch === true && dialect.webSearch;
}

function renderSearch({ format, value }: HostedTool, report: Report): Json | undefined {
  if (format === 'chat-completions') return value[WEB_SEARCH_OPTIONS];
  reportWebSearch(value, WEB_SEARCH_OPTIONS, ['search_context_size', 'user_location'], report);
  const { size, place: { type: _, ...approximate } = {} } = readWebSearch(value);
  const place = withoutNulls(approximate);
  return {
    ...(size !== undefined && { search_context_size: size }),
    ...(!isEmpty(place) && { user_location: { type: 'approximate', approximate: place } }),
  };
}

/** The tools without `strict`, unless all of them are strict. */
function withSameStrict(tools: readonly JsonObject[], report: Report): JsonObject[] {
  const functions = tools.map((tool) => asObject(tool['function']));
  if (functions.every((fn) => fn?.['strict'] === true)) return [...tools];
  if (functions.every((fn) => fn?.['strict'] === undefined)) return [...tools];
  report('tools[].strict', 'dropped', 'the service takes either all tools strict or none');
  return tools.map((tool, at) => {
    const fn = functions[at];
    return fn === undefined ? tool : { ...tool, function: withoutFields(fn, ['strict']) };
  });
}

function renderFunction(tool: FunctionTool, context: RenderContext): JsonObject {
  const { name, description, parameters } = tool;
  const { dialect, exact, report } = context;
  reportForeign(tool.formatSpecific, 'chat-completions', 'tools[]', report);
  const strict = renderStrict(tool, context);
  const needed = dialect.needsParameters ? { type: 'object', properties: {} } : undefined;
  const schema = (exact ? parameters : renderSchema(tool, context)) ?? needed;
  return {
    ...tool.unknownFields,
    ...renderBreakpoint(tool, context, 'tools[].mark'),
    type: 'function',
    function: {
      name: toolNameFor(name, dialect),
      ...compact({ description, parameters: schema, strict }),
    },
  };
}

/**
 * The value of `strict`: whether the service enforces the schema. `false` is the default and is left out, because Codex
 * sends it with every tool and some services refuse the field ("strict: Extra inputs are not permitted").
 */
function renderStrict(
  { name, strict, parameters }: FunctionTool,
  { dialect, exact, report }: RenderContext,
): boolean | undefined {
  if (exact) return strict;
  if (strict) return canEnforce(parameters, `tools[${name}].strict`, report) || undefined;
  return dialect.openaiFields ? strict : undefined;
}

function renderSchema(tool: FunctionTool, context: RenderContext): JsonObject | undefined {
  const schema = renderFunctionParameters(tool, context.dialect, context.report);
  return schema && adaptSchema(schema, `tools[${tool.name}].parameters`, context);
}

function renderCustom(tool: CustomTool, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  if (!dialect.customTools) {
    report(`tools[${tool.name}].type`, 'approximated', 'a custom tool is sent as a function with one string');
    return renderFunction(asFunctionTool(tool), context);
  }
  const { name, description, format } = tool;
  reportForeign(tool.formatSpecific, 'chat-completions', 'tools[]', report);
  return {
    ...tool.unknownFields,
    type: 'custom',
    custom: {
      name: toolNameFor(name, dialect),
      ...compact({ description, format: format && nestedGrammar(format) }),
    },
  };
}

/** A custom tool's format. A grammar is flat in responses and nested here. */
function nestedGrammar(format: JsonObject): JsonObject {
  const { type, syntax, definition, ...rest } = format;
  if (type !== 'grammar' || definition === undefined) return format;
  return { ...rest, type, grammar: { syntax: syntax ?? 'lark', definition } };
}
