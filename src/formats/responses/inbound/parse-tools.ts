/** Parses the tools of a request, and those that items of its input add. */

import type { CustomTool, FunctionTool, Tool } from '../../../conversation/prompt.ts';
import { asList, asText, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { wordList } from '../../../lib/words.ts';
import { flatTool } from '../../flat-tools.ts';
import type { ParseReport } from '../../format.ts';
import { missing, objectsAt, requiredText, textAt, wrongValue } from '../../openai/fields.ts';
import { joinName } from '../wire/namespaces.ts';
import { keepRoundTrip } from '../wire/origin.ts';
import { defineClientTool } from './client-tool-definitions.ts';
import { parseCustom, parseFunction } from './parse-functions.ts';
import { keyOfTool } from './tool-keys.ts';

const HOSTED = wordList(`
  file_search computer computer_use_preview web_search web_search_2025_08_26 web_search_preview
  web_search_preview_2025_03_11 mcp code_interpreter programmatic_tool_calling image_generation local_shell
  shell tool_search apply_patch x_search
`);

const TOOL_TYPES: readonly string[] = ['function', 'custom', 'namespace', ...HOSTED];

/**
 * Parses a list of tools. A namespace becomes several tools.
 * @param path the field in the caller's body, for error messages.
 * @throws GatewayError `invalid-request` for a tool of an unknown type, or without a name.
 */
export function parseTools(value: Json | undefined, report: ParseReport, path = 'tools'): Tool[] {
  return objectsAt(value, path).flatMap((tool, at) => parseTool(tool, itemPlace(path, at), report));
}

/** Types of items that add tools to those of the request. */
const TOOL_ITEMS: readonly (Json | undefined)[] = ['additional_tools', 'tool_search_output'];

/**
 * Parses the tools that items of the input add. Other formats have them among the others; this one leaves them to the
 * item. A tool search also finds tools that the request has declared with `defer_loading`: those are left out.
 * @param declared the tools of the request.
 */
export function parseAddedTools(
  input: Json | undefined,
  declared: readonly Tool[],
  report: ParseReport,
): readonly Tool[] {
  if (!asList(input).some(addsTools)) return [];
  const known = new Set(declared.flatMap((tool) => (tool.kind === 'hosted' ? [] : [keyOfTool(tool)])));
  return asList(input).flatMap((item, at) => {
    if (!addsTools(item)) return [];
    return parseTools(item['tools'], report, `input[${at}].tools`).flatMap((tool) => {
      if (tool.kind === 'hosted' || known.has(keyOfTool(tool))) return [];
      known.add(keyOfTool(tool));
      return [{ ...tool, formatSpecific: keepRoundTrip({ brought: true }, tool.formatSpecific) }];
    });
  });
}

function addsTools(item: Json): item is JsonObject {
  return isObject(item) && TOOL_ITEMS.includes(item['type']);
}

function parseTool(given: JsonObject, path: Place, report: ParseReport): readonly Tool[] {
  const tool = flatTool(given);
  const type = textAt(tool['type'], fieldPlace(path, 'type'));
  if (type === undefined) throw missing(fieldPlace(path, 'type'));
  if (type === 'function') return [parseFunction(tool, path, report)];
  if (type === 'custom') return [parseCustom(tool, path)];
  if (type === 'namespace') return parseNamespace(tool, path, report);
  if (!HOSTED.includes(type)) throw wrongValue(fieldPlace(path, 'type'), type, TOOL_TYPES);
  return [
    defineClientTool(tool) ?? {
      kind: 'hosted',
      format: 'responses',
      value: tool,
      ...(isWebSearch(tool) && { webSearch: true }),
    },
  ];
}

/** Whether a tool, or the choice of one, is the web search, by any of its names. */
export function isWebSearch({ type }: JsonObject): boolean {
  return asText(type)?.startsWith('web_search') ?? false;
}

/**
 * Parses the tools of a namespace. The first one has the description of the namespace before its own, and keeps the
 * whole namespace as the caller wrote it.
 * @throws GatewayError `invalid-request` for a namespace without a name, or a tool that is neither a function nor custom.
 */
function parseNamespace(group: JsonObject, path: Place, report: ParseReport): readonly Tool[] {
  const namespace = requiredText(group['name'], fieldPlace(path, 'name'));
  const about = textAt(group['description'], fieldPlace(path, 'description'));
  const prefix = joinName({ namespace, name: '' });
  if (prefix !== '') report(String(path), 'approximated', `the names of its tools begin with ${prefix}`);
  const list = fieldPlace(path, 'tools');
  return objectsAt(group['tools'], list).map((member, at) => {
    const tool = parseMember(member, itemPlace(list, at), report);
    const { name, description, formatSpecific } = tool;
    const descriptions = [...(at === 0 && about ? [`${prefix}*: ${about}`] : []), description ?? []].flat();
    const kept = { namespace: { namespace, name }, ...(at === 0 && { group }) };
    return {
      ...tool,
      name: joinName({ namespace, name }),
      ...(descriptions.length > 0 && { description: descriptions.join('\n\n') }),
      formatSpecific: keepRoundTrip(kept, formatSpecific),
    };
  });
}

function parseMember(given: JsonObject, path: Place, report: ParseReport): FunctionTool | CustomTool {
  const tool = flatTool(given);
  if (tool['type'] === 'function') return parseFunction(tool, path, report);
  if (tool['type'] === 'custom') return parseCustom(tool, path);
  throw wrongValue(fieldPlace(path, 'type'), tool['type'], ['function', 'custom']);
}
