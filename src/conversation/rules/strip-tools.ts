/**
 * Settings of tools in a request without tools. Agents that shorten a dialogue leave out the tools, but not how to call
 * them. OpenAI's responses accepts that; xAI refuses it ("A tool_choice was set on the request but no tools
 * were specified"), and vLLM an empty list ("`tools` must not be an empty array").
 */

import { asList, type JsonObject } from '../../lib/json.ts';

/** The request without its settings of tools, if it has no tools and requires no call; itself otherwise. */
export function withoutIdleToolChoice(request: JsonObject): JsonObject {
  const { tool_choice: choice, parallel_tool_calls: parallel, ...rest } = request;
  if (choice === undefined && parallel === undefined) return request;
  const mayCallNone = choice === undefined || choice === null || choice === 'auto' || choice === 'none';
  return mayCallNone && asList(request['tools']).length === 0 ? rest : request;
}
