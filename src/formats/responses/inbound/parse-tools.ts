/** Tools and tool_choice of a caller's request. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { fitsStrict } from '../../../conversation/rules/strict-schema.ts';
import {
  asList,
  asText,
  compact,
  isObject,
  type Json,
  type JsonObject,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import {
  flagAt,
  missing,
  objectAt,
  objectsAt,
  requiredText,
  textAt,
  wrongType,
  wrongValue,
} from '../../openai/fields.ts';
import { isClientTool, spelledOut } from '../wire/client-tools.ts';
import { keeping } from '../wire/format-specific.ts';
import { callersNames, choiceName, joinedName, nameElsewhere } from '../wire/namespaces.ts';

/** Fields of a function or custom tool that only OpenAI understands. */
const OWN: ReadonlySet<string> = new Set(['allowed_callers', 'async', 'defer_loading', 'output_schema']);

const HOSTED: readonly string[] = [
  'file_search',
  'computer',
  'computer_use_preview',
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'mcp',
  'code_interpreter',
  'programmatic_tool_calling',
  'image_generation',
  'local_shell',
  'shell',
  'tool_search',
  'apply_patch',
  'x_search',
];

const TYPES: readonly string[] = ['function', 'custom', 'namespace', ...HOSTED];

/** @throws GatewayError for a tool that is none of OpenAI's kinds or has no name. */
export function parseTools(value: Json | undefined, report: ParseReport, path = 'tools'): Tool[] {
  return objectsAt(value, path).flatMap(([tool, here]) => parseTool(tool, here, report));
}

/** Items of the input that bring tools along, beside those of the request. */
const BRINGING: readonly (Json | undefined)[] = ['additional_tools', 'tool_search_output'];

/**
 * Tools that items of the input bring along: elsewhere like others, here written by the item. A search finds those too
 * that the request has declared to be loaded later.
 */
export function parseBroughtTools(
  input: Json | undefined,
  declared: readonly Tool[],
  report: ParseReport,
): readonly Tool[] {
  const names = new Set(declared.flatMap((tool) => (tool.kind === 'hosted' ? [] : [tool.name])));
  return asList(input).flatMap((item, at) => {
    if (!isObject(item) || !BRINGING.includes(item['type'])) return [];
    return parseTools(item['tools'], report, `input[${at}].tools`).flatMap((tool) => {
      if (tool.kind === 'hosted' || names.has(tool.name)) return [];
      names.add(tool.name);
      return [{ ...tool, formatSpecific: keeping({ brought: true }, tool.formatSpecific) }];
    });
  });
}

function parseTool(tool: JsonObject, path: string, report: ParseReport): readonly Tool[] {
  const type = textAt(tool['type'], `${path}.type`);
  if (type === undefined) throw missing(`${path}.type`);
  if (type === 'function') return [parseFunction(tool, path, report)];
  if (type === 'custom') return [parseCustom(tool, path)];
  if (type === 'namespace') return parseNamespace(tool, path, report);
  if (!HOSTED.includes(type)) throw wrongValue(`${path}.type`, type, TYPES);
  return [
    spelledOut(tool) ?? {
      kind: 'hosted',
      format: 'responses',
      value: tool,
      ...(isSearch(tool) && { webSearch: true }),
    },
  ];
}

/** Whether a tool, or what is said of one, is of the web search by any of its names. */
function isSearch({ type }: JsonObject): boolean {
  return asText(type)?.startsWith('web_search') ?? false;
}

/** The tools in a namespace. The first says what is said of all of them, and keeps them as the caller wrote them. */
function parseNamespace(group: JsonObject, path: string, report: ParseReport): readonly Tool[] {
  const namespace = requiredText(group['name'], `${path}.name`);
  const about = textAt(group['description'], `${path}.description`);
  const prefix = joinedName({ namespace, name: '' });
  if (prefix !== '') report(path, 'approximated', `its tools have names that begin with ${prefix}`);
  return objectsAt(group['tools'], `${path}.tools`).map(([inner, here], at) => {
    const tool = parseMember(inner, here, report);
    const { name, formatSpecific: own } = tool;
    const said = [...(at === 0 && about ? [`${prefix}*: ${about}`] : []), tool.description ?? []].flat();
    return {
      ...tool,
      name: joinedName({ namespace, name }),
      ...(said.length > 0 && { description: said.join('\n\n') }),
      formatSpecific: keeping({ namespace: { namespace, name }, ...(at === 0 && { group }) }, own),
    };
  });
}

function parseMember(tool: JsonObject, path: string, report: ParseReport): FunctionTool | CustomTool {
  if (tool['type'] === 'function') return parseFunction(tool, path, report);
  if (tool['type'] === 'custom') return parseCustom(tool, path);
  throw wrongValue(`${path}.type`, tool['type'], ['function', 'custom']);
}

function parseFunction(tool: JsonObject, path: string, report: ParseReport): FunctionTool {
  const { type: _, name, description, parameters, strict, ...rest } = tool;
  const about = textAt(description, `${path}.description`);
  const schema = objectAt(parameters, `${path}.parameters`);
  // OpenAI tries it where it is left out.
  const told = flagAt(strict, `${path}.strict`) ?? (fitsStrict(schema) || undefined);
  if (told === undefined) {
    const detail = 'strict by default, but the schema is not a strict one: sent without strict';
    report(`${path}.strict`, 'approximated', detail);
  }
  const [kept, extra] = splitFields(rest, OWN);
  return {
    kind: 'function',
    name: requiredText(name, `${path}.name`),
    ...compact({ description: about, parameters: schema, strict: told }),
    // Even without a field: by it this format knows that it is to leave an absent `strict` to OpenAI.
    formatSpecific: { format: 'responses', fields: withoutNulls(kept) },
    ...unknownFieldsOf(extra),
  };
}

function parseCustom(tool: JsonObject, path: string): CustomTool {
  const { type: _, name, description, format, ...rest } = tool;
  const about = textAt(description, `${path}.description`);
  const grammar = objectAt(format, `${path}.format`);
  const [own, extra] = splitFields(rest, OWN);
  return {
    kind: 'custom',
    name: requiredText(name, `${path}.name`),
    ...compact({ description: about, format: grammar }),
    ...formatSpecificOf('responses', withoutNulls(own)),
    ...unknownFieldsOf(extra),
  };
}

interface AskedChoice {
  /** As far as it is of tools that the caller runs. */
  readonly toolChoice?: ToolChoice;
  /** As it came, where it says something of hosted tools, which a neutral one cannot. */
  readonly own?: JsonObject;
}

/**
 * `tool_choice`. One that forces a hosted tool is left to the model elsewhere (reported).
 * @param given the tools to choose from.
 */
export function parseToolChoice(
  value: Json | undefined,
  given: readonly Tool[],
  report: ParseReport,
): AskedChoice {
  if (value === undefined || value === null) return {};
  if (value === 'auto' || value === 'none' || value === 'required') return { toolChoice: { mode: value } };
  if (typeof value === 'string') throw wrongValue('tool_choice', value, ['none', 'auto', 'required']);
  if (!isObject(value)) throw wrongType('tool_choice', 'a string or an object', value);
  const { type } = value;
  if (type === undefined || type === null) throw missing('tool_choice.type');
  if (type === 'function' || type === 'custom') requiredText(value['name'], 'tool_choice.name');
  const isSeveral = type === 'allowed_tools';
  const chosen = isSeveral ? objectsAt(value['tools'], 'tool_choice.tools').map(([tool]) => tool) : [value];
  const allowed = namesOf(chosen, given);
  const mode = !isSeveral || value['mode'] === 'required' ? 'required' : 'auto';
  const search = given.some((tool) => tool.kind === 'hosted' && tool.webSearch) && chosen.some(isSearch);
  const isNone = !isSeveral && allowed.length === 0 && !search;
  if (isNone) report('tool_choice', 'dropped', 'forces a tool that only OpenAI runs');
  return {
    ...(!isNone && { toolChoice: { mode, allowed, ...(search && { search }) } }),
    ...(allowed.length < chosen.length && { own: value }),
  };
}

/** The names elsewhere of those tools that the caller runs; of hosted ones none, even where they have a name (`mcp`). */
function namesOf(chosen: readonly JsonObject[], given: readonly Tool[]): readonly string[] {
  const clients = new Map<Json | undefined, string>(
    given.filter(isClientTool).map(({ name }) => [name, name]),
  );
  const joined = new Map([...callersNames(given)].map(([name, told]) => [choiceName(told), name]));
  return chosen.flatMap((tool) => {
    const { type } = tool;
    if (type !== 'function' && type !== 'custom') return clients.get(type) ?? [];
    const name = nameElsewhere(tool);
    return name === undefined ? [] : (joined.get(name) ?? name);
  });
}
