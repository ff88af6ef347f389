/** Renders `tools`, `tool_choice` and `parallel_tool_calls`. */

import { findFormatFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import type { CustomTool, FunctionTool, HostedTool, Prompt, Tool } from '../../../conversation/prompt.ts';
import { findGrammar } from '../../../conversation/rules/custom-tools.ts';
import { asObject, compact, isEmpty, isObject, type JsonObject } from '../../../lib/json.ts';
import { canEnforce, renderFunctionParameters } from '../../openai/functions.ts';
import { reportForeign } from '../../own-fields.ts';
import { readWebSearch, reportWebSearch } from '../../web-search.ts';
import type { Dialect } from '../dialects.ts';
import { isClientTool } from '../wire/client-tools.ts';
import type { RenderContext } from './render-context.ts';
import { renderToolChoice } from './render-tool-choice.ts';
import { safeName } from './tool-names.ts';

/** Renders those of the three fields that have something to say: to be spread. */
export function renderTools(prompt: Prompt, context: RenderContext): JsonObject {
  const given = prompt.tools ?? [];
  const tools = given.flatMap((tool) => renderTool(tool, context));
  const parallel = prompt.parallelToolCalls;
  const own = findFormatFields(prompt.formatSpecific, 'responses');
  if (tools.length === 0 && given.some(({ kind }) => kind === 'hosted')) {
    if (prompt.toolChoice) context.report('toolChoice', 'dropped', 'no tools are left to choose from');
    return {};
  }
  // A choice without tools is a 400 at xAI ("A tool_choice was set on the request but no tools were specified"). A forced
  // call without any is the caller's mistake, and a stored prompt may bring tools.
  const mayHaveTools = given.length > 0 || own['prompt'] !== undefined || context.keepsAll;
  if (!mayHaveTools && prompt.toolChoice?.mode !== 'required') return {};
  const choice =
    own['tool_choice'] ??
    findRoundTrip(prompt.formatSpecific, 'responses')['tool_choice'] ??
    renderToolChoice(prompt.toolChoice, given, context);
  return {
    ...(tools.length > 0 && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  };
}

function renderTool(tool: Tool, context: RenderContext): readonly JsonObject[] {
  const { namespace, group, brought } =
    tool.kind === 'hosted' ? {} : findRoundTrip(tool.formatSpecific, 'responses');
  if (brought === true) return [];
  // The first tool of a namespace keeps the whole namespace.
  if (namespace !== undefined) return isObject(group) ? [group] : [];
  switch (tool.kind) {
    case 'function':
      return [isClientTool(tool) ? tool.shorthand.fields : renderFunction(tool, context)];
    case 'custom':
      return [renderCustom(tool, context)];
    case 'hosted':
      return renderHosted(tool, context);
  }
}

/**
 * Renders a function. `strict` is always written: without it, it would be true here and false in the other formats. Only
 * a tool that came in this format without `strict` goes on without it.
 */
function renderFunction(tool: FunctionTool, context: RenderContext): JsonObject {
  const { name, description, parameters, unknownFields, formatSpecific } = tool;
  const { keepsAll, takesUnions, dialect, report } = context;
  const taken = { ...dialect, rootUnions: takesUnions };
  const isNative = formatSpecific?.format === 'responses';
  reportForeign(formatSpecific, 'responses', 'tools[]', report);
  const strict =
    tool.strict === true && (isNative || keepsAll || canEnforce(parameters, `tools[${name}].strict`, report));
  const isUnset = isNative && tool.strict === undefined;
  return {
    ...unknownFields,
    ...findFormatFields(formatSpecific, 'responses'),
    type: 'function',
    name: safeName(name),
    ...(description !== undefined && { description }),
    parameters: (isNative ? parameters : renderFunctionParameters(tool, taken, report)) ?? null,
    ...(!isUnset && { strict }),
  };
}

function renderCustom(tool: CustomTool, { report }: RenderContext): JsonObject {
  const { name, description, unknownFields, formatSpecific } = tool;
  reportForeign(formatSpecific, 'responses', 'tools[]', report);
  const format = renderGrammar(tool);
  return {
    ...unknownFields,
    ...findFormatFields(formatSpecific, 'responses'),
    type: 'custom',
    name: safeName(name),
    ...(description !== undefined && { description }),
    ...(format && { format }),
  };
}

/** Chat-completions nests a grammar, and this format writes it flat. */
function renderGrammar(tool: CustomTool): JsonObject | undefined {
  const grammar = tool.format && asObject(tool.format['grammar']) ? findGrammar(tool) : undefined;
  return grammar ? { type: 'grammar', ...grammar } : tool.format;
}

function renderHosted(tool: HostedTool, { dialect, report }: RenderContext): readonly JsonObject[] {
  if (tool.format === 'responses') return [tool.value];
  if (tool.webSearch) {
    reportWebSearch(tool.value, 'web_search', SEARCH_SETTINGS[dialect.searchOptions], report);
    return [renderWebSearch(tool.value, dialect)];
  }
  report('tools[].type', 'dropped', `a hosted tool of ${tool.format}`);
  return [];
}

/** Settings of other formats' searches that are sent on. How often to search is a field of the whole request. */
const DOMAINS = ['allowed_domains', 'blocked_domains', 'excludeDomains', 'max_uses'];
const SEARCH_SETTINGS = { domains: DOMAINS, all: [...DOMAINS, 'search_context_size', 'user_location'] };

/** Another format's web search as OpenAI's tool. */
function renderWebSearch(tool: JsonObject, { searchOptions }: Dialect): JsonObject {
  const { size, place, allowedDomains: allowed, blockedDomains: blocked } = readWebSearch(tool);
  const blockedField = searchOptions === 'domains' ? 'excluded_domains' : 'blocked_domains';
  const filters = compact({
    allowed_domains: allowed.length > 0 ? allowed : undefined,
    [blockedField]: blocked.length > 0 ? blocked : undefined,
  });
  return compact({
    type: 'web_search',
    search_context_size: searchOptions === 'all' ? size : undefined,
    filters: isEmpty(filters) ? undefined : filters,
    user_location: searchOptions === 'all' ? place && compact({ ...place, type: 'approximate' }) : undefined,
  });
}
