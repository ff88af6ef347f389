/**
 * A dialogue that went on with models of other vendors, as Anthropic takes it back (API reference, messages; extended
 * thinking guide): it reads no thoughts but those it has signed, no searches but those it has made, no text of white
 * space alone, as many models write it before a call, nothing behind a call, and no turn of nothing; and it cannot begin
 * to think by a budget in the midst of a round of calls, as one is where the calls are another's, or where a client has
 * left their thoughts out. Nor does it read what a client writes there for itself.
 */

import { broughtBack } from '../../../conversation/signature.ts';
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
import { OF_CLIENTS } from '../../of-clients.ts';
import { othersSearches } from '../wire/web-searches.ts';
import { callsLast } from './calls-last.ts';

/** @see Outbound.withoutOthers */
export function withoutOthers(request: JsonObject): JsonObject | undefined {
  const given = asList(request['messages']);
  const messages = given.flatMap(ownTurn);
  const stopsThinking = asObject(request['thinking'])?.['type'] === 'enabled' && lacksThinking(messages);
  if (!stopsThinking) return hasSameItems(messages, given) ? undefined : { ...request, messages };
  return { ...withoutThinking(request), messages };
}

/** A request that asks for no thinking, nor for any to be cleared away, which is refused where there is none. */
function withoutThinking({ thinking: _, ...request }: JsonObject): JsonObject {
  const management = asObject(request['context_management']);
  if (management === undefined) return request;
  const edits = asObjects(management['edits']).filter(
    (edit) => !asText(edit['type'])?.startsWith('clear_thinking'),
  );
  return { ...request, context_management: { ...management, edits } };
}

/** A turn without what Anthropic does not take back; none where nothing is left of it. */
function ownTurn(turn: Json): readonly Json[] {
  if (!isObject(turn)) return [turn];
  if (turn['role'] !== 'assistant') return [withEach(turn, 'content', plainBlock)];
  const said = turn['content'];
  if (!isList(said)) return isBlank(said) ? [] : [turn];
  const searches = othersSearches(said);
  const left = said
    .filter((block) => !isOthersThought(block) && !isBlankText(block) && !isOf(searches, block))
    .map(withoutOthersCitations);
  if (left.length === 0) return [];
  const content = callsLast(left, isCall);
  return [withEach(hasSameItems(content, said) ? turn : { ...turn, content }, 'content', plainBlock)];
}

/**
 * A block, and each in a result, without what LangChain writes there for itself: its place in a stream, and the number of
 * a text (langchain-ai/langchain#31208, #40483).
 */
function plainBlock(block: JsonObject): JsonObject {
  const plain = withoutFields(block, block['type'] === 'text' ? OF_CLIENTS : ['index']);
  return block['type'] === 'tool_result' ? withEach(plain, 'content', plainBlock) : plain;
}

function isOf(searches: ReadonlySet<string>, block: Json): boolean {
  if (searches.size === 0 || !isObject(block)) return false;
  return searches.has(asText(block['type'] === 'server_tool_use' ? block['id'] : block['tool_use_id']) ?? '');
}

/** A text without what another vendor's model has cited for it. */
function withoutOthersCitations(block: Json): Json {
  if (!isObject(block) || block['type'] !== 'text' || !isList(block['citations'])) return block;
  const given = block['citations'];
  const citations = given.filter((citation) => asObject(citation)?.['encrypted_index'] !== '');
  if (citations.length === given.length) return block;
  const { citations: _, ...text } = block;
  return citations.length > 0 ? { ...text, citations } : text;
}

function isBlankText(block: Json): boolean {
  return isObject(block) && block['type'] === 'text' && isBlank(block['text']);
}

/** "messages: text content blocks must contain non-whitespace text". */
function isBlank(text: Json | undefined): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/** Anthropic's own are sealed too where another format brought them. */
function isOthersThought(block: Json): boolean {
  if (!isThought(block)) return false;
  const field = block['type'] === 'thinking' ? block['signature'] : block['data'];
  const proof = broughtBack(field, 'anthropic');
  return proof === undefined || proof.value !== field;
}

/** Whether a round of calls and results is open that began without thoughts. */
function lacksThinking(messages: readonly Json[]): boolean {
  const round = roundOf(messages);
  return round.some(isCall) && !isThought(round[0]);
}

/** What the model has said since somebody last spoke to it. */
function roundOf(messages: readonly Json[]): readonly Json[] {
  const start = messages.findLastIndex(
    (turn) => isObject(turn) && turn['role'] === 'user' && !blocksOf(turn).some(isResult),
  );
  return messages
    .slice(start + 1)
    .flatMap((turn) => (isObject(turn) && turn['role'] === 'assistant' ? blocksOf(turn) : []));
}

function blocksOf({ content }: JsonObject): readonly Json[] {
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
