/**
 * Makes Anthropic accept a conversation that other vendors' models continued (API reference, messages; extended thinking
 * guide). Anthropic accepts neither thinking that it has not signed, nor searches that it has not made, nor texts of white
 * space only, which many models write before a call, nor anything behind a call, nor empty turns, nor what a client adds for
 * itself, nor a call of its own tools without the result. With a budget, its models cannot begin to think during a round
 * of calls. That would happen if the calls are another model's, or if a client has left out the thinking before them.
 */

import { isForeignSignature } from '../../../conversation/signature.ts';
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
  withEach,
  withoutFields,
} from '../../../lib/json.ts';
import { OF_CLIENTS } from '../../client-fields.ts';
import { moveCallsLast } from './calls-last.ts';
import { withoutUnpairedBlocks } from './unpaired-blocks.ts';

/**
 * Removes from a request what Anthropic does not accept.
 * @param request the body of a native request that was refused.
 * @returns undefined if there is nothing to remove.
 * @see ForeignContentStripper
 */
export function stripForeignContent(
  request: JsonObject,
  _dialect?: string,
  refusal?: GatewayError,
): JsonObject | undefined {
  const original = asList(request['messages']);
  const messages = withoutUnpairedBlocks(original.flatMap(stripTurn), refusal);
  const stopsThinking = asObject(request['thinking'])?.['type'] === 'enabled' && lacksThinking(messages);
  if (!stopsThinking) return hasSameItems(messages, original) ? undefined : { ...request, messages };
  return { ...disableThinking(request), messages };
}

/** Disables thinking, and its clearing: Anthropic refuses to clear the thinking of a request that has none. */
function disableThinking({ thinking: _, ...request }: JsonObject): JsonObject {
  const management = asObject(request['context_management']);
  if (management === undefined) return request;
  const edits = asObjects(management['edits']).filter(
    (edit) => !asText(edit['type'])?.startsWith('clear_thinking'),
  );
  return { ...request, context_management: { ...management, edits } };
}

/** Removes from a turn what Anthropic does not accept. @returns an empty list if nothing is left. */
function stripTurn(turn: Json): readonly Json[] {
  if (!isObject(turn)) return [turn];
  if (turn['role'] !== 'assistant') return [withEach(turn, 'content', dropClientFields)];
  const original = turn['content'];
  if (!isList(original)) return isBlank(original) ? [] : [turn];
  const searches = findForeignSearches(original);
  const kept = original
    .filter((block) => !isForeignThought(block) && !isBlankText(block) && !belongsTo(searches, block))
    .map(dropForeignCitations)
    .map(restoreThoughtText);
  if (kept.length === 0) return [];
  const content = moveCallsLast(kept, isCall);
  return [
    withEach(hasSameItems(content, original) ? turn : { ...turn, content }, 'content', dropClientFields),
  ];
}

/**
 * Removes from a block, and from those in a result, what LangChain adds for itself: the position in a stream, and the id of
 * a text (langchain-ai/langchain#31208, #40483).
 */
function dropClientFields(block: JsonObject): JsonObject {
  const plain = withoutFields(block, block['type'] === 'text' ? OF_CLIENTS : ['index']);
  return block['type'] === 'tool_result' ? withEach(plain, 'content', dropClientFields) : plain;
}

/**
 * Finds the ids of searches that were rendered for another vendor's model. Their results lack the value that only Anthropic
 * can make.
 */
function findForeignSearches(blocks: readonly Json[]): ReadonlySet<string> {
  return new Set(
    blocks.flatMap((block) => {
      if (!isObject(block) || block['type'] !== 'web_search_tool_result') return [];
      const isForeign = asObjects(block['content']).some((result) => result['encrypted_content'] === '');
      return isForeign ? (asText(block['tool_use_id']) ?? []) : [];
    }),
  );
}

function belongsTo(searches: ReadonlySet<string>, block: Json): boolean {
  if (searches.size === 0 || !isObject(block)) return false;
  return searches.has(asText(block['type'] === 'server_tool_use' ? block['id'] : block['tool_use_id']) ?? '');
}

function dropForeignCitations(block: Json): Json {
  if (!isObject(block) || block['type'] !== 'text' || !isList(block['citations'])) return block;
  const original = block['citations'];
  const citations = original.filter((citation) => asObject(citation)?.['encrypted_index'] !== '');
  if (citations.length === original.length) return block;
  const { citations: _, ...text } = block;
  return citations.length > 0 ? { ...text, citations } : text;
}

/** Gives a thought its text again, if it was empty and a client has dropped it: "thinking: Field required". */
function restoreThoughtText(block: Json): Json {
  if (!isObject(block) || block['type'] !== 'thinking' || block['thinking'] != null) return block;
  return { ...block, thinking: '' };
}

function isBlankText(block: Json): boolean {
  return isObject(block) && block['type'] === 'text' && isBlank(block['text']);
}

/** Tells whether a text is refused: "messages: text content blocks must contain non-whitespace text". */
function isBlank(text: Json | undefined): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/** Tells whether Anthropic did not sign a thought, or another format sealed its signature. */
function isForeignThought(block: Json): boolean {
  if (!isThought(block)) return false;
  return isForeignSignature(block[block['type'] === 'thinking' ? 'signature' : 'data'], 'anthropic');
}

function lacksThinking(messages: readonly Json[]): boolean {
  const round = findOpenRound(messages);
  return round.some(isCall) && !isThought(round[0]);
}

/** Finds the blocks that the model has written since the user last spoke. */
function findOpenRound(messages: readonly Json[]): readonly Json[] {
  const start = messages.findLastIndex(
    (turn) => isObject(turn) && turn['role'] === 'user' && !getBlocks(turn).some(isResult),
  );
  return messages
    .slice(start + 1)
    .flatMap((turn) => (isObject(turn) && turn['role'] === 'assistant' ? getBlocks(turn) : []));
}

function getBlocks({ content }: JsonObject): readonly Json[] {
  return asList(content);
}

function isThought(block: Json | undefined): block is JsonObject {
  return isObject(block) && (block['type'] === 'thinking' || block['type'] === 'redacted_thinking');
}

function isCall(block: Json): block is JsonObject {
  return isObject(block) && block['type'] === 'tool_use';
}

function isResult(block: Json): boolean {
  return isObject(block) && block['type'] === 'tool_result';
}
