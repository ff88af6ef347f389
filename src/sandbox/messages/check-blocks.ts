/**
 * What messages demands of a conversation beyond its schema: who may say what, and that each use of a tool is answered.
 */

import type { JsonObject } from '../../lib/json.ts';
import { asList, asObject, asObjects, asText, isEmpty } from '../../lib/json.ts';
import { badRequest } from '../anthropic/words.ts';
import { about } from '../refusal-subject.ts';

/** Blocks that only one side may send. */
const SENDERS: Readonly<Record<string, string>> = {
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_result: 'user',
};

const MAX_CACHE_MARKS = 4;

/**
 * Checks the messages of a request.
 * @throws Refused with Anthropic's own error
 */
export function checkBlocks(body: JsonObject): void {
  const messages = asObjects(body['messages']);
  if (messages.length === 0) throw badRequest('messages: at least one message is required');
  if (messages.find(({ role }) => role !== 'system')?.['role'] === 'assistant') {
    throw badRequest('messages: first message must use the "user" role', about('order', 'messages', 0));
  }
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    checkFields(message, index);
    checkFilled(message, index, index === messages.length - 1);
    checkSaid(message);
    checkSenders(message, index);
    checkIds(message, index, ids);
  }
  checkResults(mergedTurns(messages));
  checkInnerMarks(messages);
  checkMarks(body);
}

/** Some fields belong to system messages only, and only system messages may leave out others. */
function checkFields(message: JsonObject, index: number): void {
  const isSystem = message['role'] === 'system';
  if (message['content'] === undefined && !isSetting(message)) {
    throw badRequest(`messages.${index}.content: Field required`);
  }
  const stray = isSystem ? undefined : ['clear_at', 'output_config'].find((field) => field in message);
  if (stray !== undefined) {
    throw badRequest(`messages.${index}.${stray}: Extra inputs are not permitted`);
  }
}

function checkFilled(message: JsonObject, index: number, last: boolean): void {
  const { role, content } = message;
  const empty = content === '' || (Array.isArray(content) && content.length === 0);
  if (!empty || (last && role === 'assistant') || isSetting(message)) return;
  throw badRequest(
    `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    about('empty text', 'messages', index),
  );
}

function checkSaid({ content }: JsonObject): void {
  const texts = typeof content === 'string' ? [content] : asObjects(content).map(({ text }) => asText(text));
  if (!texts.some((text) => text !== undefined && /^\s+$/.test(text))) return;
  const message = 'messages: text content blocks must contain non-whitespace text';
  throw badRequest(message, about('empty text', 'messages'));
}

/** Whether a system message only changes settings from here on. Such a message may have no content. */
function isSetting({ role, output_config }: JsonObject): boolean {
  const set = asObject(output_config);
  return role === 'system' && set !== undefined && !isEmpty(set);
}

function checkSenders({ role, content }: JsonObject, index: number): void {
  for (const { type } of asObjects(content)) {
    const sender = SENDERS[String(type)];
    if (sender === undefined || sender === role) continue;
    throw badRequest(`messages.${index}: \`${type}\` blocks can only be in \`${sender}\` messages`);
  }
}

function checkIds({ content }: JsonObject, index: number, ids: Set<string>): void {
  for (const [at, block] of asObjects(content).entries()) {
    const id = asText(block['id']);
    if (block['type'] !== 'tool_use' || id === undefined) continue;
    const path = ['messages', index, 'content', at];
    if (ids.has(id))
      throw badRequest(`${path.join('.')}: \`tool_use\` ids must be unique`, {
        thing: 'repeated ids',
        path,
        id,
      });
    ids.add(id);
  }
}

interface Turn {
  readonly role: string;
  /** The index of its first message. */
  readonly index: number;
  readonly blocks: JsonObject[];
}

/** Successive messages of the same side are read as one turn. */
function mergedTurns(messages: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);
    const last = turns.at(-1);
    if (last === undefined || last.role !== role)
      turns.push({ role: String(role), index, blocks: [...blocks] });
    else for (const block of blocks) last.blocks.push(block);
  }
  return turns.filter(({ role }) => role !== 'system');
}

function checkResults(turns: readonly Turn[]): void {
  for (const [at, { index, blocks }] of turns.entries()) {
    const uses = idsIn(turns[at - 1]?.blocks ?? [], 'tool_use', 'id');
    const results = idsIn(blocks, 'tool_result', 'tool_use_id');
    const stray = results.findIndex((id) => !uses.includes(id));
    if (stray >= 0) {
      throw badRequest(
        `messages.${index}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${results[stray]}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
        about('unpaired call', 'messages', index),
      );
    }
    const twice = results.find((id, place) => results.indexOf(id) !== place);
    if (twice !== undefined) {
      throw badRequest(
        `messages.${index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
        about('unpaired call', 'messages', index),
      );
    }
    checkAnswered(turns[at - 1], uses, blocks);
    if (at === turns.length - 1) checkAnswered(turns[at], idsIn(blocks, 'tool_use', 'id'), []);
  }
}

/** The results must come first in the next message: they are not found behind other blocks. */
function checkAnswered(turn: Turn | undefined, uses: readonly string[], next: readonly JsonObject[]): void {
  const other = next.findIndex(({ type }) => type !== 'tool_result');
  const answered = idsIn(other < 0 ? next : next.slice(0, other), 'tool_result', 'tool_use_id');
  const open = uses.filter((id) => !answered.includes(id));
  if (open.length === 0 || turn === undefined) return;
  throw badRequest(
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    about('unpaired call', 'messages', turn.index),
  );
}

function idsIn(blocks: readonly JsonObject[], type: string, field: string): readonly string[] {
  return blocks.flatMap((block) => (block['type'] === type ? [asText(block[field]) ?? ''] : []));
}

/** A result is marked as a whole: Anthropic refuses marks on what it holds (BerriAI/litellm#41954). */
function checkInnerMarks(messages: readonly JsonObject[]): void {
  for (const [index, { content }] of messages.entries()) {
    for (const [place, block] of asObjects(content).entries()) {
      if (block['type'] !== 'tool_result') continue;
      const inner = asObjects(asList(block['content'])).findIndex(
        ({ cache_control }) => asObject(cache_control) !== undefined,
      );
      if (inner < 0) continue;
      throw badRequest(
        `messages.${index}.content.${place}.tool_result.content.${inner}.cache_control: cache_control may not be specified within \`tool_result.content\`. Instead, place it directly on \`tool_result\``,
      );
    }
  }
}

function checkMarks(body: JsonObject): void {
  const blocks = [
    ...asObjects(body['tools']),
    ...asObjects(body['system']),
    ...asObjects(body['messages']).flatMap(({ content }) =>
      asObjects(content).flatMap((block) => [block, ...asObjects(asList(block['content']))]),
    ),
  ];
  const marks = blocks.filter((block) => asObject(block['cache_control']) !== undefined).length;
  if (marks <= MAX_CACHE_MARKS) return;
  throw badRequest(
    `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
  );
}
