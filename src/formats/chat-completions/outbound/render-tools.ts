/** Tools and the choice among them, in the dialect of the service. */

import type { CustomTool, FunctionTool, Prompt, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { isAllowed } from '../../../conversation/rules/allowed-tools.ts';
import { asFunctionTool, customNames } from '../../../conversation/rules/custom-tools.ts';
import { withoutClosedProperties } from '../../../conversation/rules/function-schema.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, asText, isEmpty, type Json, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { canEnforce, parametersOf } from '../../openai/functions.ts';
import { reportForeign } from '../../own-fields.ts';
import { WEB_SEARCH_OPTIONS } from '../wire/web-search.ts';
import { adaptSchema } from './adapt-schema.ts';
import { renderBreakpoint } from './render-cache-breakpoints.ts';
import type { RenderContext } from './render-context.ts';
import { toolNameFor } from './tool-names.ts';

/** All fields of a body that are about tools. */
export function renderToolFields(prompt: Prompt, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  if (prompt.toolChoice?.mode === 'none' && !dialect.toolChoice) {
    report('tools', 'dropped', 'none may be called, and the service can only be given none');
    return {};
  }
  const given = prompt.tools ?? [];
  const asked = isForcedSearch(prompt.toolChoice) && !dialect.webSearch ? undefined : prompt.toolChoice;
  if (asked !== prompt.toolChoice) report('toolChoice', 'dropped', 'the service searches nothing');
  const choice = asked && renderToolChoice(asked, given, context);
  const only = choice?.only;
  const { tools, search } = renderTools(
    only ? given.filter((tool) => isAllowed(tool, only, prompt.toolChoice)) : given,
    context,
  );
  if (only) report('toolChoice', 'approximated', 'only the allowed tools are sent');
  // Without tools a choice among them is a 400, but responses callers may make one (Codex does, to compact a dialogue).
  if (tools.length === 0 && (given.length > 0 || !(context.exact || mustCall(prompt)))) return { ...search };
  return {
    ...(tools.length > 0 && { tools }),
    ...(choice && { tool_choice: choice.value }),
    ...(prompt.parallelToolCalls !== undefined && { parallel_tool_calls: prompt.parallelToolCalls }),
    ...search,
  };
}

/** Whether a search of the web is wanted, and nothing else. */
function isForcedSearch(choice: ToolChoice | undefined): boolean {
  return choice?.mode === 'required' && choice.search === true && choice.allowed?.length === 0;
}

/** Whether a call is wanted where there is nothing to call: that is a mistake for the service to tell. */
function mustCall({ toolChoice }: Prompt): boolean {
  return toolChoice?.mode === 'required';
}

/** Web search stands at the top of the body; all other tools are in the list. */
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
    else if (tool.format === 'chat-completions') {
      if (tool.value['type'] === WEB_SEARCH_OPTIONS) options = tool.value[WEB_SEARCH_OPTIONS];
      else tools.push(tool.value);
    } else if (tool.webSearch && dialect.webSearch) {
      options = searchOptions(tool.value);
      report('tools[].type', 'approximated', 'web search is sent as web_search_options');
    } else {
      const type = asText(tool.value['type'])?.slice(0, 60) ?? 'a hosted tool';
      report('tools[].type', 'dropped', `${type} is run by another vendor`);
    }
  }
  return { tools, ...(options !== undefined && { search: { [WEB_SEARCH_OPTIONS]: options } }) };
}

function renderFunction(tool: FunctionTool, context: RenderContext): JsonObject {
  const { name, description, parameters } = tool;
  const { dialect, exact, report } = context;
  reportForeign(tool.formatSpecific, 'chat-completions', 'tools[]', report);
  const strict = strictOf(tool, context);
  const needed = dialect.needsParameters ? { type: 'object', properties: {} } : undefined;
  const schema = (exact ? parameters : schemaOf(tool, context)) ?? needed;
  return {
    ...tool.unknownFields,
    ...renderBreakpoint(tool, context),
    type: 'function',
    function: {
      name: toolNameFor(name, dialect),
      ...(description !== undefined && { description }),
      ...(schema !== undefined && { parameters: schema }),
      ...(strict !== undefined && { strict }),
    },
  };
}

/**
 * Whether a call is to be made to fit. That it is not goes without saying, and some services refuse the word ("strict:
 * Extra inputs are not permitted"), which Codex says of every tool.
 */
function strictOf(
  { name, strict, parameters }: FunctionTool,
  { dialect, exact, report }: RenderContext,
): boolean | undefined {
  if (exact) return strict;
  if (strict) return canEnforce(parameters, `tools[${name}].strict`, report) || undefined;
  return dialect.openaiFields ? strict : undefined;
}

function schemaOf(tool: FunctionTool, context: RenderContext): JsonObject | undefined {
  const { dialect, report } = context;
  const whole = parametersOf(tool, dialect.rootUnions, report);
  const schema = dialect.closedProperties ? whole : whole && withoutClosedProperties(whole);
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
      ...(description !== undefined && { description }),
      ...(format !== undefined && { format: nestedGrammar(format) }),
    },
  };
}

/** Responses writes a grammar flat, chat-completions nests it. */
function nestedGrammar(format: JsonObject): JsonObject {
  const { type, syntax, definition, ...rest } = format;
  if (type !== 'grammar' || definition === undefined) return format;
  return { ...rest, type, grammar: { syntax: syntax ?? 'lark', definition } };
}

/** The choice in the dialect's words, and the names it leaves where the service can only be given fewer tools. */
function renderToolChoice(
  { mode, allowed }: ToolChoice,
  tools: readonly Tool[],
  { dialect, exact, thinks }: RenderContext,
): { readonly value: Json; readonly only?: ReadonlySet<string> } {
  const word = mode === 'required' ? dialect.requiredWord : mode;
  if (allowed === undefined || mode === 'none') return { value: word };
  const custom = customNames(tools);
  const named = allowed.map((name) => {
    const type = dialect.customTools && custom.has(name) ? 'custom' : 'function';
    return { type, [type]: { name: toolNameFor(name, dialect) } };
  });
  const [only] = named;
  // A model that cannot but think takes no name there, but the word, and then one tool.
  const isNamed = dialect.namedToolChoice && (exact || !thinks || !dialect.thinkingBlocksForcedTools);
  if (mode === 'required' && named.length === 1 && only !== undefined && isNamed) return { value: only };
  if (dialect.allowedTools && named.length > 0)
    return { value: { type: 'allowed_tools', allowed_tools: { mode, tools: named } } };
  // A search alone may be what is allowed.
  if (named.length === 0 && tools.every(({ kind }) => kind !== 'hosted'))
    throw invalid('The choice of tools allows none of them.', 'toolChoice');
  return { value: word, only: new Set(allowed) };
}

/** Search options out of another format's web search tool: responses' own shape, and Anthropic's flat location. */
function searchOptions(tool: JsonObject): JsonObject {
  const size = asText(tool['search_context_size']);
  const { type: _, ...approximate } = asObject(tool['user_location']) ?? {};
  const place = withoutNulls(approximate);
  return {
    ...(size !== undefined && { search_context_size: size }),
    ...(!isEmpty(place) && { user_location: { type: 'approximate', approximate: place } }),
  };
}
