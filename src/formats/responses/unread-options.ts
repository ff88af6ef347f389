/**
 * Options of a tool that a service has by the same name and without them: Codex says with each `web_search` whether it
 * may read live pages, and xAI refuses that ("Argument not supported: external_web_access"; lidge-jun/opencodex, issue
 * 2240).
 */

import type { GatewayError } from '../../errors.ts';
import { hasSameItems, isList, isObject, type JsonObject, withoutFields } from '../../json.ts';

const OPTIONS: readonly string[] = ['external_web_access'];

/** The request without the options of its tools that `refusal` names; itself where there are none. */
export function withoutUnread(request: JsonObject, refusal: GatewayError | undefined): JsonObject {
  const { tools } = request;
  const named = OPTIONS.filter((option) => refusal?.message.includes(option));
  if (named.length === 0 || !isList(tools)) return request;
  const read = tools.map((tool) => (isObject(tool) ? withoutFields(tool, named) : tool));
  return hasSameItems(read, tools) ? request : { ...request, tools: read };
}
