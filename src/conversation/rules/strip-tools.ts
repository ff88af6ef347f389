/**
 * What is said of tools where there are none: agents that shorten a dialogue leave the tools out of it, and not how they
 * are to be called. OpenAI takes that by responses; xAI refuses it ("A tool_choice was set on the request but no tools
 * were specified"), and vLLM a list of none ("`tools` must not be an empty array").
 */

import { asList, type JsonObject } from '../../lib/json.ts';

/** The request without how tools are to be called, where it has none and need call none; itself where it says nothing of that. */
export function withoutIdleToolChoice(request: JsonObject): JsonObject {
  const { tool_choice: choice, parallel_tool_calls: parallel, ...rest } = request;
  if (choice === undefined && parallel === undefined) return request;
  const mayCallNone = choice === undefined || choice === null || choice === 'auto' || choice === 'none';
  return mayCallNone && asList(request['tools']).length === 0 ? rest : request;
}
