/** `tools` and `tool_choice`. */

import type {
  FunctionTool,
  HostedTool,
  Prompt,
  Tool,
  ToolChoice,
  Turn,
} from '../../../conversation/prompt.ts';
import { isAllowed } from '../../../conversation/rules/allowed-tools.ts';
import { asFunctionTool } from '../../../conversation/rules/custom-tools.ts';
import { newestSchema, objectRoot } from '../../../conversation/rules/function-schema.ts';
import { withoutRootUnion } from '../../../conversation/rules/root-union.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asList, asObject, compact } from '../../../lib/json.ts';
import { type ModelTraits, type Report, unreported } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { safeName } from '../wire/tool-names.ts';
import { FORMAT, renderMark, speaksMessages } from '../wire/wire.ts';
import { fitsGrammar } from './grammar-limits.ts';
import type { OutputPlan } from './output-format.ts';
import { withSafeKeys } from './property-keys.ts';
import { closedSchema } from './schema.ts';

interface Writing {
  /** Whether the caller speaks this format: then what it wrote goes out as it is. */
  readonly isNative: boolean;
  /** Whether the schemas of strict tools are enforced. */
  readonly enforces: boolean;
  /** How many searches of the web the caller allows. */
  readonly maxSearches: number | undefined;
  readonly report: Report;
}

/** `{ tools, tool_choice }`, each only where there is something to say: to be spread. */
export function renderTools(
  prompt: Prompt,
  turns: readonly Turn[],
  output: OutputPlan,
  target: ModelTraits,
  report: Report,
): JsonObject {
  const isNative = speaksMessages(prompt);
  const declared = prompt.tools ?? [];
  const borrowed = declared.length > 0 || isNative ? [] : undeclared(turns, report);
  const offered = [...allowed(declared, prompt.toolChoice, report), ...borrowed];
  const { maxSearches } = prompt;
  const writing = { isNative, enforces: canEnforce(offered, output, target), maxSearches, report };
  const tools = offered.map((tool) => renderTool(tool, writing)).filter((tool) => tool !== undefined);
  if (output.kind === 'tool') tools.push(renderFunction(output.tool, writing));
  if (tools.length === 0 && !isNative) {
    if (prompt.toolChoice) report('toolChoice', 'dropped', 'there are no tools');
    return {};
  }
  const isWritten = isNative && prompt.formatSpecific?.fields['tool_choice'] !== undefined;
  const choice = borrowed.length > 0 && output.kind !== 'tool' ? NONE : choiceOf(prompt, output);
  return {
    ...((tools.length > 0 || prompt.tools) && { tools }),
    ...(choice && !isWritten && { tool_choice: choice }),
  };
}

const NONE = { type: 'none' };

/** What a search of the web is called here. */
const SEARCH = 'web_search';

/** Whether the vendor enforces the schemas of the strict tools: it refuses a request that wants more than it can. */
function canEnforce(tools: readonly Tool[], output: OutputPlan, target: ModelTraits): boolean {
  if (!target.structuredOutput) return false;
  const strict = tools.flatMap((tool): JsonObject[] => {
    if (tool.kind !== 'function' || tool.strict !== true) return [];
    const closed = closedSchema(objectSchema(tool, false, unreported));
    return closed === undefined ? [] : [closed];
  });
  return strict.length === 0 || fitsGrammar(strict, output.kind === 'enforced' ? output.schema : undefined);
}

function renderTool(tool: Tool, writing: Writing): JsonObject | undefined {
  switch (tool.kind) {
    case 'hosted':
      return renderHosted(tool, writing);
    case 'custom':
      writing.report(`tools[${tool.name}].type`, 'approximated', 'sent as a function with one field, input');
      return renderFunction(asFunctionTool(tool), writing);
    case 'function':
      return renderFunction(tool, writing);
  }
}

function renderFunction(tool: FunctionTool, { isNative, enforces, report }: Writing): JsonObject {
  const {
    name,
    description,
    cacheBreakpoint: mark,
    formatSpecific: own,
    unknownFields: extra,
    shorthand,
  } = tool;
  if (shorthand?.format === FORMAT) {
    const { strict } = tool;
    const fields = { ...extra, ...ownFields(own, FORMAT, 'tools[]', report), ...shorthand.fields };
    return { ...fields, name, ...(strict !== undefined && { strict }), ...renderMark(mark) };
  }
  const { schema, strict } = isNative
    ? { schema: objectSchema(tool, true, report), strict: tool.strict }
    : adaptedSchema(tool, enforces, report);
  return {
    ...extra,
    ...ownFields(own, FORMAT, 'tools[]', report),
    name: safeName(name),
    ...(description !== undefined && { description }),
    input_schema: schema,
    ...(strict !== undefined && { strict }),
    ...renderMark(mark),
  };
}

/** The schema of a tool that came in another format, as Anthropic takes it, and `strict` where it is enforced. */
function adaptedSchema(
  tool: FunctionTool,
  enforces: boolean,
  report: Report,
): { readonly schema: JsonObject; readonly strict?: boolean } {
  const field = `tools[${tool.name}].parameters` as const;
  const given = objectSchema(tool, false, report);
  const schema = withSafeKeys(given);
  if (schema !== given) {
    const detail = 'parameters renamed to what Anthropic accepts, and back in calls';
    report(field, 'approximated', detail);
  }
  if (tool.strict !== true) return { schema };
  const closed = enforces ? closedSchema(schema) : undefined;
  if (closed === undefined) {
    const detail = 'this model cannot enforce this schema, or not so many of them';
    report(`tools[${tool.name}].strict`, 'dropped', detail);
    return { schema };
  }
  if (closed !== schema) report(field, 'approximated', 'objects closed, so that the schema can be enforced');
  return { schema: closed, strict: true };
}

/** The tool's schema as one of an object, which the vendor insists on, and without a union, which it refuses there. */
function objectSchema(
  { name, parameters = {} }: FunctionTool,
  isNative: boolean,
  report: Report,
): JsonObject {
  const { type } = parameters;
  if (type !== undefined && type !== 'object') {
    report(`tools[${name}].parameters`, 'approximated', 'of type object');
  }
  const schema = objectRoot(isNative ? parameters : newestSchema(parameters));
  const plain = isNative ? schema : withoutRootUnion(schema);
  if (plain !== schema) {
    const detail = 'alternatives at the root of the schema merged into one object';
    report(`tools[${name}].parameters`, 'approximated', detail);
  }
  return Object.keys(plain).length === 1 ? { ...plain, properties: {} } : plain;
}

function renderHosted(tool: HostedTool, { maxSearches, report }: Writing): JsonObject | undefined {
  if (tool.format === FORMAT) return tool.value;
  if (tool.webSearch) {
    report('tools[].type', 'approximated', 'web search is sent as web_search_20250305');
    return { ...webSearch(tool.value), ...compact({ max_uses: maxSearches }) };
  }
  report('tools[].type', 'dropped', `a hosted tool of ${tool.format}`);
  return undefined;
}

/**
 * OpenAI's two ways to write a web search (chat-completions nests the options and the place, responses does not), and
 * Gemini's. Of domains Anthropic takes one list, OpenAI both.
 */
function webSearch(value: JsonObject): JsonObject {
  const options = asObject(value['web_search_options']) ?? value;
  const given = asObject(options['user_location']);
  const place = asObject(given?.['approximate']) ?? given;
  const filters = asObject(options['filters']);
  const google = asObject(value['googleSearch']);
  const blocked = new Set(asList(filters?.['blocked_domains'] ?? google?.['excludeDomains']));
  const allowed = asList(filters?.['allowed_domains']);
  return compact({
    type: 'web_search_20250305',
    name: SEARCH,
    ...(allowed.length > 0
      ? { allowed_domains: allowed.filter((domain) => !blocked.has(domain)) }
      : { blocked_domains: blocked.size > 0 ? [...blocked] : undefined }),
    user_location: place && compact({ ...place, type: 'approximate' }),
  });
}

/** A narrowed choice of several tools can only be had by offering no others. */
function allowed(tools: readonly Tool[], choice: ToolChoice | undefined, report: Report): readonly Tool[] {
  const names = choice?.allowed;
  if (names === undefined || choice?.mode === 'none' || theOne(choice) !== undefined) return tools;
  report('toolChoice', 'approximated', 'only the allowed tools are offered');
  const only = new Set(names);
  return tools.filter((tool) => isAllowed(tool, only, choice));
}

/** The name of the one tool that must be called, if it is one. */
function theOne(choice: ToolChoice | undefined): string | undefined {
  if (choice?.mode !== 'required' || choice.allowed === undefined) return undefined;
  const names = [...choice.allowed, ...(choice.search ? [SEARCH] : [])];
  return names.length === 1 ? names[0] : undefined;
}

function choiceOf({ toolChoice, parallelToolCalls }: Prompt, output: OutputPlan): JsonObject | undefined {
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (output.kind === 'tool') {
    return output.alone
      ? { type: 'tool', name: output.tool.name, disable_parallel_tool_use: true }
      : { type: 'any', ...parallel };
  }
  switch (toolChoice?.mode) {
    case undefined:
      return parallelToolCalls === false ? { type: 'auto', ...parallel } : undefined;
    case 'none':
      return NONE;
    case 'auto':
      return { type: 'auto', ...parallel };
    case 'required': {
      const name = theOne(toolChoice);
      return name === undefined
        ? { type: 'any', ...parallel }
        : { type: 'tool', name: safeName(name), ...parallel };
    }
  }
}

/**
 * Tools for the calls of a history whose caller declares none any more, as chat-completions allows: Anthropic refuses
 * calls and results in a request without tools.
 */
function undeclared(turns: readonly Turn[], report: Report): readonly Tool[] {
  const names = new Set<string>();
  for (const { parts } of turns)
    for (const part of parts) if (part.kind === 'tool-call') names.add(part.name);
  if (names.size > 0) {
    report('tools', 'approximated', 'declared by name only, for calls in the history');
  }
  return Array.from(names, (name) => ({ kind: 'function', name }));
}
