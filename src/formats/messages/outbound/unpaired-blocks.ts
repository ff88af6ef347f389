/**
 * Calls of tools that Anthropic runs itself without their results, and such results without their calls. Clients leave
 * them that cut a dialogue or lose a block of it, and each further turn is then refused: "unexpected `tool_use_id` found
 * in `advisor_tool_result` blocks" (anthropics/claude-code#65726), "`code_execution` tool use with id `srvtoolu_…` was
 * found without a corresponding `code_execution_tool_result` block" (vercel/ai#13040). Some also answer such a call
 * themselves (vercel/ai#17390).
 */

import type { GatewayError } from '../../../lib/errors.ts';
import {
  asList,
  asObject,
  asObjects,
  asText,
  hasSameItems,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';

const UNPAIRED =
  /unexpected `tool_use_id` found in `\w+` blocks: (?:srv|mcp)toolu_|tool use with id `(?:srv|mcp)toolu_\w+` was found without/;

/** The turns without blocks whose counterpart is missing, if the refusal is about one; themselves otherwise. */
export function withoutUnpairedBlocks(
  turns: readonly Json[],
  refusal: GatewayError | undefined,
): readonly Json[] {
  if (refusal === undefined || !UNPAIRED.test(refusal.message)) return turns;
  const blocks = turns.flatMap((turn) => asObjects(asObject(turn)?.['content']));
  const calls = idsIn(blocks, (block) => (isCall(block) ? block['id'] : undefined));
  const results = idsIn(blocks, (block) => (isResult(block) ? block['tool_use_id'] : undefined));
  // Code that waits for the results of the functions it has called has none itself yet.
  const callers = idsIn(blocks, (block) => asObject(block['caller'])?.['tool_id']);
  const pair = (block: JsonObject): readonly Json[] => {
    if (isCall(block)) return hasId(block['id'], results) || hasId(block['id'], callers) ? [block] : [];
    const isAnswer = hasId(block['tool_use_id'], calls);
    if (isResult(block)) return isAnswer ? [block] : [];
    return isAnswer && block['type'] === 'tool_result' ? answerIn(block) : [block];
  };
  return turns.flatMap((turn) => {
    const given = asObject(turn)?.['content'];
    if (!isObject(turn) || !isList(given)) return [turn];
    const content = given.flatMap((block) => (isObject(block) ? pair(block) : [block]));
    if (hasSameItems(content, given)) return [turn];
    return content.length === 0 ? [] : [{ ...turn, content }];
  });
}

function idsIn(
  blocks: readonly JsonObject[],
  find: (block: JsonObject) => Json | undefined,
): ReadonlySet<string> {
  return new Set(blocks.flatMap((block) => asText(find(block)) ?? []));
}

function hasId(id: Json | undefined, ids: ReadonlySet<string>): boolean {
  return typeof id === 'string' && ids.has(id);
}

function isCall({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

/** Whether a block is the result of a tool that Anthropic runs: `web_search_tool_result`, `mcp_tool_result` and others. */
function isResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result');
}

/** What a client has answered to a call that was not its own, as the user's words. */
function answerIn({ content }: JsonObject): readonly Json[] {
  if (typeof content !== 'string') return asList(content);
  return content.trim() === '' ? [] : [{ type: 'text', text: content }];
}
