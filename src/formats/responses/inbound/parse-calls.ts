/** Parses calls of functions and custom tools, and their results, in a caller's history. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { ContentPart, ToolCallPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { isEmpty, type JsonObject, otherFields, splitFields, withoutNulls } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { missing, requiredText } from '../../openai/fields.ts';
import { parseNamespacedName, parseNeutralName } from '../wire/namespaces.ts';
import { keepOrigin } from '../wire/origin.ts';
import { OPENAI_ITEM_FIELDS } from './item-types.ts';
import { splitBreakpoint } from './parse-cache-breakpoint.ts';
import { parseContent } from './parse-parts.ts';

const CALL_FIELDS: ReadonlySet<string> = new Set(['type', 'call_id', 'name', 'arguments', 'input']);
const RESULT_FIELDS: ReadonlySet<string> = new Set(['type', 'call_id', 'output']);

/**
 * Parses a call of a function or of a custom tool.
 * @throws GatewayError `invalid-request` for a call without an id, a name or its arguments.
 */
export function parseCall(item: JsonObject, path: Place): ToolCallPart {
  const { type, call_id, name, arguments: json, input } = item;
  const custom = type === 'custom_tool_call';
  const text = custom ? input : json;
  const rest = otherFields(item, CALL_FIELDS);
  const namespaced = parseNamespacedName(item);
  const kept = withoutNulls(namespaced === undefined ? rest : { ...rest, ...namespaced });
  return {
    kind: 'tool-call',
    id: requiredText(call_id, fieldPlace(path, 'call_id')),
    name: parseNeutralName(item) ?? requiredText(name, fieldPlace(path, 'name')),
    arguments: requiredText(text, `${path}.${custom ? 'input' : 'arguments'}`),
    ...(custom && { custom: true }),
    ...(!isEmpty(kept) && { formatSpecific: keepOrigin({ item: kept }) }),
  };
}

/**
 * Parses the result of a call.
 * @param names the names of the tools called so far, by the ids of the calls.
 * @throws GatewayError `invalid-request` for a result without the id of its call, or without an output.
 */
export function parseResult(
  item: JsonObject,
  path: Place,
  names: ReadonlyMap<string, string>,
): ToolResultPart {
  const { type, call_id, output } = item;
  const callId = requiredText(call_id, fieldPlace(path, 'call_id'));
  if (output === undefined || output === null) throw missing(fieldPlace(path, 'output'));
  const name = names.get(callId);
  const { cacheBreakpoint, rest: others } = splitBreakpoint(otherFields(item, RESULT_FIELDS));
  const [own, unknown] = splitFields(others, OPENAI_ITEM_FIELDS);
  const kept = withoutNulls(own);
  return {
    kind: 'tool-result',
    id: callId,
    ...(name !== undefined && { name }),
    content: parseContent(output, fieldPlace(path, 'output')).map(asResultPart),
    ...(type === 'custom_tool_call_output' && { custom: true }),
    ...(cacheBreakpoint && { cacheBreakpoint }),
    ...(!isEmpty(kept) && { formatSpecific: keepOrigin({ item: kept }) }),
    ...withUnknownFields(unknown),
  };
}

/** A content part as part of a result, where a refusal is an ordinary text. */
export function asResultPart(part: ContentPart): ToolResultPart['content'][number] {
  return part.kind === 'refusal' ? { ...part, kind: 'text' } : part;
}
