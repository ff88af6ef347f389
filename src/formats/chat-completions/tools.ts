/** Tools and the choice among them, both ways. */

import { asFunctionTool } from '../../conversation/custom-tools.ts';
import type { CustomTool, FunctionTool, HostedTool, Tool, ToolChoice } from '../../conversation/prompt.ts';
import { GatewayError } from '../../errors.ts';
import { asFlag, asObject, asObjects, asText, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Report } from '../format.ts';
import { isEmpty, missing, said } from './body.ts';
import type { Dialect } from './dialects.ts';
import { markAndRest } from './media.ts';

/** `web_search_options` as a tool: the one hosted tool of the format, which stands at the top of the body. */
export const WEB_SEARCH_OPTIONS = 'web_search_options';

/** One tool. What is neither function nor custom is the vendor's own. */
export function parseTool(tool: JsonObject, param: string): Tool {
  const { type, function: fn, custom, ...rest } = tool;
  if (type === 'custom' && isObject(custom)) return parseCustom(custom, rest, param);
  // Mistral's clients leave out the type.
  if (isObject(fn) && (type === 'function' || type === undefined || type === null)) return parseFunction(fn, rest, `${param}.function`);
  if (type === 'function') throw missing(`${param}.function`);
  if (typeof type !== 'string') throw missing(`${param}.type`);
  return { kind: 'hosted', format: 'chat-completions', value: tool, webSearch: type.includes('web_search') };
}

/** A function as the old `functions` list writes it, and as a tool holds it. */
export function parseFunction(fn: JsonObject, around: JsonObject, param: string): FunctionTool {
  const { name, description, parameters, strict, ...rest } = fn;
  if (typeof name !== 'string') throw missing(`${param}.name`);
  const told = asText(description);
  const schema = asObject(parameters);
  const exact = asFlag(strict);
  return {
    kind: 'function',
    name,
    ...(told !== undefined && { description: told }),
    ...(schema !== undefined && { parameters: schema }),
    ...(exact !== undefined && { strict: exact }),
    ...markAndRest({ ...around, ...rest }),
  };
}

function parseCustom(custom: JsonObject, around: JsonObject, param: string): CustomTool {
  const { name, description, format, ...rest } = custom;
  if (typeof name !== 'string') throw missing(`${param}.custom.name`);
  const told = asText(description);
  const grammar = asObject(format);
  const extra = said({ ...around, ...rest });
  return {
    kind: 'custom',
    name,
    ...(told !== undefined && { description: told }),
    ...(grammar !== undefined && { format: grammar }),
    ...(!isEmpty(extra) && { extra }),
  };
}

/** The search a caller asks for by `web_search_options`. */
export function searchTool(options: JsonObject): HostedTool {
  return {
    kind: 'hosted',
    format: 'chat-completions',
    value: { type: WEB_SEARCH_OPTIONS, [WEB_SEARCH_OPTIONS]: options },
    webSearch: true,
  };
}

/** A `tool_choice`, or the old `function_call`; undefined where it says nothing known. */
export function parseToolChoice(choice: Json | undefined): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  if (choice === 'any') return { mode: 'required' };
  if (!isObject(choice)) return undefined;
  const allowed = asObject(choice['allowed_tools']);
  if (allowed !== undefined) {
    const names = asObjects(allowed['tools']).flatMap((tool) => nameIn(tool) ?? []);
    return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', allowed: names };
  }
  const name = nameIn(choice);
  return name === undefined ? undefined : { mode: 'required', allowed: [name] };
}

function nameIn(choice: JsonObject): string | undefined {
  const fields = asObject(choice['function']) ?? asObject(choice['custom']) ?? choice;
  return asText(fields['name']);
}

/** The tools as the vendor takes them; web search goes to the top of the body instead. */
export interface RenderedTools {
  readonly tools: JsonObject[];
  readonly search?: JsonObject;
}

/** Tools for a dialect; `nameOf` gives the name a tool has there. */
export function renderTools(
  tools: readonly Tool[],
  dialect: Dialect,
  nameOf: (name: string) => string,
  report: Report,
): RenderedTools {
  const rendered: JsonObject[] = [];
  let search: JsonObject | undefined;
  for (const tool of tools) {
    if (tool.kind === 'function') rendered.push(renderFunction(tool, dialect, nameOf));
    else if (tool.kind === 'custom') rendered.push(renderCustom(tool, dialect, nameOf, report));
    else if (tool.format === 'chat-completions') {
      const options = asObject(tool.value[WEB_SEARCH_OPTIONS]);
      if (options !== undefined && tool.value['type'] === WEB_SEARCH_OPTIONS) search = options;
      else rendered.push(tool.value);
    } else if (tool.webSearch && dialect.webSearch) {
      search = searchOptions(tool.value);
      report({ field: 'tools', outcome: 'approximated', detail: 'web search goes as web_search_options' });
    } else {
      const type = asText(tool.value['type']) ?? 'hosted tool';
      report({ field: 'tools', outcome: 'dropped', detail: `${type} is run by another vendor` });
    }
  }
  return { tools: rendered, ...(search && { search }) };
}

function renderFunction(tool: FunctionTool, dialect: Dialect, nameOf: (name: string) => string): JsonObject {
  const { name, description, parameters, strict } = tool;
  return {
    ...tool.extra,
    ...markFields(tool, dialect),
    type: 'function',
    function: {
      name: nameOf(name),
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
      ...(strict !== undefined && { strict }),
    },
  };
}

function renderCustom(
  tool: CustomTool,
  dialect: Dialect,
  nameOf: (name: string) => string,
  report: Report,
): JsonObject {
  if (!dialect.customTools) {
    report({ field: 'tools', outcome: 'approximated', detail: `${tool.name} is sent as a function with one string` });
    return renderFunction(asFunctionTool(tool), dialect, nameOf);
  }
  const { name, description, format } = tool;
  return {
    ...tool.extra,
    type: 'custom',
    custom: {
      name: nameOf(name),
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

/** Cache marks in the dialect's spelling; one that came in this format goes as it came. */
export function markFields(
  marked: Pick<FunctionTool, 'mark' | 'own'>,
  dialect: Dialect,
): JsonObject {
  if (marked.own?.format === 'chat-completions') {
    const { prompt_cache_breakpoint: breakpoint, cache_control: control } = marked.own.fields;
    if (breakpoint !== undefined || control !== undefined) {
      return said({ prompt_cache_breakpoint: breakpoint, cache_control: control });
    }
  }
  if (marked.mark === undefined || !dialect.cacheControl) return {};
  return { cache_control: { type: 'ephemeral', ...marked.mark } };
}

/** The choice in the dialect's words, and the names it leaves where the dialect can only be given fewer tools. */
export function renderToolChoice(
  choice: ToolChoice,
  tools: readonly Tool[],
  dialect: Dialect,
  nameOf: (name: string) => string,
): { readonly value: Json; readonly only?: ReadonlySet<string> } {
  const { mode, allowed } = choice;
  const word = mode === 'required' ? dialect.required : mode;
  if (allowed === undefined || mode === 'none') return { value: word };
  const named = allowed.map((name) => {
    const custom = dialect.customTools && tools.some((tool) => tool.kind === 'custom' && tool.name === name);
    const type = custom ? 'custom' : 'function';
    return { type, [type]: { name: nameOf(name) } };
  });
  const [only] = named;
  if (mode === 'required' && named.length === 1 && only !== undefined) return { value: only };
  if (named.length === 0) throw new GatewayError('invalid-request', 'No tool is allowed.', { param: 'tool_choice' });
  if (dialect.allowedTools) return { value: { type: 'allowed_tools', allowed_tools: { mode, tools: named } } };
  return { value: word, only: new Set(allowed) };
}

/** Search options out of another format's web search tool: responses' own shape, and Anthropic's flat location. */
function searchOptions(tool: JsonObject): JsonObject {
  const size = asText(tool['search_context_size']);
  const { type: _, ...approximate } = asObject(tool['user_location']) ?? {};
  const place = said(approximate);
  return {
    ...(size !== undefined && { search_context_size: size }),
    ...(!isEmpty(place) && { user_location: { type: 'approximate', approximate: place } }),
  };
}
