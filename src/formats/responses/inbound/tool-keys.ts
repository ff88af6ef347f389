/** What this format tells tools and calls apart by: their kind, their namespace and their name. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type { NamedTool, ToolCallPart } from '../../../conversation/prompt.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { isClientTool } from '../wire/client-tools.ts';
import { parseNamespacedName } from '../wire/namespaces.ts';
import { getOrigin } from '../wire/origin.ts';

/** The key of a tool as the request declares it. */
export function keyOfTool(tool: NamedTool): string {
  if (isClientTool(tool)) return key('client', tool.name);
  const kept = asObject(findRoundTrip(tool.formatSpecific, 'responses')['namespace']);
  return keyOfMember(tool.kind, kept ?? {}, tool.givenName ?? tool.name);
}

/** The key of the tool that a call in the history calls. */
export function keyOfCall({ shorthand, custom, formatSpecific, name }: ToolCallPart): string {
  if (shorthand?.format === 'responses') return key('client', name);
  return keyOfMember(custom ? 'custom' : 'function', getOrigin(formatSpecific).item ?? {}, name);
}

/** The key of the tool that a choice names. */
export function keyOfChoice(tool: JsonObject, name: string): string {
  const kind = tool['type'] === 'custom' ? 'custom' : 'function';
  return keyOfMember(kind, tool, name);
}

/**
 * A dot joins the names of a namespace and its tool, as in a choice that names both (`qualifyName`).
 * @param item what names the namespace, if there is one.
 */
function keyOfMember(kind: 'custom' | 'function', item: JsonObject, name: string): string {
  const member = parseNamespacedName(item);
  return key(kind, member ? `${member.namespace}.${member.name}` : name);
}

function key(kind: string, name: string): string {
  return `${kind} ${name}`;
}
