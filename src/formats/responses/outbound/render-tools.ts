/** `tools`, `tool_choice` and `parallel_tool_calls`. */

import { formatFields, roundTripOf } from '../../../conversation/format-specific.ts';
import type {
  CustomTool,
  FunctionTool,
  HostedTool,
  Prompt,
  Tool,
  ToolChoice,
} from '../../../conversation/prompt.ts';
import { customNames, grammarOf } from '../../../conversation/rules/custom-tools.ts';
import { withoutClosedProperties } from '../../../conversation/rules/function-schema.ts';
import { asList, asObject, asText, compact, isEmpty, isObject, type JsonObject } from '../../../lib/json.ts';
import { canEnforce, parametersOf } from '../../openai/functions.ts';
import { reportForeign } from '../../own-fields.ts';
import { isClientTool } from '../wire/client-tools.ts';
import { callersNames, choiceName } from '../wire/namespaces.ts';
import type { Scope } from './render-context.ts';
import { safeName } from './tool-names.ts';

/** The three fields, each only where there is something to say: to be spread. */
export function renderTools(prompt: Prompt, scope: Scope): JsonObject {
  const given = prompt.tools ?? [];
  const tools = given.flatMap((tool) => renderTool(tool, scope));
  const parallel = prompt.parallelToolCalls;
  if (tools.length === 0 && given.some(({ kind }) => kind === 'hosted')) {
    if (prompt.toolChoice) scope.report('toolChoice', 'dropped', 'no tools are left to choose from');
    return {};
  }
  const choice =
    formatFields(prompt.formatSpecific, 'responses')['tool_choice'] ??
    renderChoice(prompt.toolChoice, given, scope);
  return {
    ...(tools.length > 0 && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  };
}

function renderTool(tool: Tool, scope: Scope): readonly JsonObject[] {
  const { namespace, group, brought } =
    tool.kind === 'hosted' ? {} : roundTripOf(tool.formatSpecific, 'responses');
  if (brought === true) return [];
  // The first tool of a namespace keeps all of it.
  if (namespace !== undefined) return isObject(group) ? [group] : [];
  switch (tool.kind) {
    case 'function':
      return [isClientTool(tool) ? tool.shorthand.fields : renderFunction(tool, scope)];
    case 'custom':
      return [renderCustom(tool, scope)];
    case 'hosted':
      return renderHosted(tool, scope);
  }
}

/**
 * `strict` is always said: left out it would be true here and false elsewhere. Only a tool that came in this format
 * without it goes on without it.
 */
function renderFunction(tool: FunctionTool, scope: Scope): JsonObject {
  const { name, description, parameters, unknownFields: extra, formatSpecific: own } = tool;
  const isNative = own?.format === 'responses';
  reportForeign(own, 'responses', 'tools[]', scope.report);
  const strict =
    tool.strict === true &&
    (isNative || scope.keepsAll || canEnforce(parameters, `tools[${name}].strict`, scope.report));
  const isUnsaid = isNative && tool.strict === undefined;
  return {
    ...extra,
    ...formatFields(own, 'responses'),
    type: 'function',
    name: safeName(name),
    ...(description !== undefined && { description }),
    parameters: (isNative ? parameters : schemaOf(tool, scope)) ?? null,
    ...(!isUnsaid && { strict }),
  };
}

function schemaOf(tool: FunctionTool, { takesUnions, isXai, report }: Scope): JsonObject | undefined {
  const schema = parametersOf(tool, takesUnions, report);
  return isXai && schema ? withoutClosedProperties(schema) : schema;
}

function renderCustom(tool: CustomTool, scope: Scope): JsonObject {
  const { name, description, unknownFields: extra, formatSpecific: own } = tool;
  reportForeign(own, 'responses', 'tools[]', scope.report);
  const format = renderGrammar(tool);
  return {
    ...extra,
    ...formatFields(own, 'responses'),
    type: 'custom',
    name: safeName(name),
    ...(description !== undefined && { description }),
    ...(format && { format }),
  };
}

/** Chat-completions nests a grammar, this format writes it flat. */
function renderGrammar(tool: CustomTool): JsonObject | undefined {
  const grammar = tool.format && asObject(tool.format['grammar']) ? grammarOf(tool) : undefined;
  return grammar ? { type: 'grammar', ...grammar } : tool.format;
}

function renderHosted(tool: HostedTool, { isXai, report }: Scope): readonly JsonObject[] {
  if (tool.format === 'responses') return [tool.value];
  if (tool.webSearch) {
    report('tools[].type', 'approximated', 'web search is sent as web_search');
    const search = webSearch(tool.value);
    return [isXai ? domainsOf(search) : search];
  }
  report('tools[].type', 'dropped', `a hosted tool of ${tool.format}`);
  return [];
}

/** Chat-completions nests the options and the place, Anthropic has the domains outside `filters`, Google those to leave out. */
function webSearch(value: JsonObject): JsonObject {
  const options = asObject(value['web_search_options']) ?? value;
  const given = asObject(options['user_location']);
  const place = asObject(given?.['approximate']) ?? given;
  const allowed = asList(options['allowed_domains']);
  const google = asObject(options['googleSearch']);
  const blocked = asList(options['blocked_domains'] ?? google?.['excludeDomains']);
  const filters = compact({
    allowed_domains: allowed.length > 0 ? allowed : undefined,
    blocked_domains: blocked.length > 0 ? blocked : undefined,
  });
  return compact({
    type: 'web_search',
    search_context_size: asText(options['search_context_size']),
    filters: isEmpty(filters) ? undefined : filters,
    user_location: place && compact({ ...place, type: 'approximate' }),
  });
}

/** The search with nothing but the domains it is about, as xAI has it. */
function domainsOf({ type, filters }: JsonObject): JsonObject {
  const { blocked_domains, ...told } = asObject(filters) ?? {};
  const known = compact({ ...told, excluded_domains: blocked_domains });
  return compact({ type, filters: isEmpty(known) ? undefined : known });
}

function renderChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
  { isXai, report }: Scope,
): JsonObject | string | undefined {
  if (choice === undefined) return undefined;
  const { mode, allowed, search } = choice;
  if (allowed === undefined || mode === 'none') return mode;
  const custom = customNames(tools);
  const clients = new Set(tools.flatMap((tool) => (isClientTool(tool) ? [tool.name] : [])));
  const grouped = callersNames(tools);
  const named: JsonObject[] = allowed.map((name) => {
    if (clients.has(name)) return { type: name };
    const told = grouped.get(name);
    return { type: custom.has(name) ? 'custom' : 'function', name: told ? choiceName(told) : safeName(name) };
  });
  if (search && tools.every(({ kind }) => kind === 'hosted')) return mode;
  if (search && isXai) {
    report('toolChoice', 'dropped', 'xAI takes no choice of a search');
    return undefined;
  }
  if (search) named.push({ type: 'web_search' });
  const [only] = named;
  if (mode === 'required' && named.length === 1 && only) return only;
  return { type: 'allowed_tools', mode, tools: named };
}
