/**
 * Turns in the order that services of this format require: the results of all calls follow the message with the calls. A
 * caller of this format keeps its own order.
 */

import type { Turn } from '../../../conversation/prompt.ts';
import { leadingSystem } from '../../../conversation/rules/later-system.ts';
import { OPENING, strictTurns } from '../../../conversation/rules/strict-turns.ts';
import { withParts } from '../../../conversation/turn-parts.ts';
import { joinLists, keepItems, mapItems } from '../../../lib/lists.ts';
import { unreported } from '../../format.ts';
import { laterSystemAsUser } from '../../later-system.ts';
import { moveModelMedia, showForeignImages } from '../../model-media.ts';
import type { ReasoningHistory } from '../dialect.ts';
import { renderPart } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { renderMedia } from './render-media.ts';

/**
 * The turns to send, in their order.
 * @param instruction an instruction of the gateway, which is placed after those of the caller.
 */
export function arrangeTurns(
  turns: readonly Turn[],
  instruction: string | undefined,
  context: RenderContext,
): readonly Turn[] {
  const shown = context.dialect.lossless
    ? turns
    : moveModelMedia(
        showForeignImages(turns, 'chat-completions', context.report),
        { model: context.target, render: (part) => renderMedia(part, { ...context, report: unreported }) },
        context.report,
      );
  const filled = context.exact
    ? shown
    : keepItems(readable(shown, context), (turn) => hasContent(turn, context));
  const instructed = instruction === undefined ? filled : withInstruction(filled, instruction);
  if (context.exact && context.dialect.lossless) return instructed;
  const placed = context.dialect.systemFirst ? systemFirst(instructed, context) : instructed;
  if (context.exact) return context.dialect.userAfterTool ? placed : joinAfterResults(placed);
  const strict = inStrictOrder(placed);
  const answered = strict.filter((turn) => !isThoughtAlone(turn, context));
  return answered.length === strict.length ? strict : inStrictOrder(answered);
}

/** Joins what the user says after results to their turn, where the user may not speak after a tool. */
function joinAfterResults(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last !== undefined && hasResults(last) && turn.role === 'user' && !hasResults(turn))
      joined[joined.length - 1] = { ...last, parts: joinLists([last.parts, turn.parts]) };
    else joined.push(turn);
  }
  return joined;
}

function hasResults({ parts }: Turn): boolean {
  return parts.some(({ kind }) => kind === 'tool-result');
}

/** The strict order, without the user turn that it adds at the start: in this format the assistant may speak first. */
function inStrictOrder(turns: readonly Turn[]): readonly Turn[] {
  return keepItems(strictTurns(turns), (turn) => turn !== OPENING);
}

/** Forms of reasoning that do not count as an answer. */
const UNANSWERING: readonly ReasoningHistory[] = [
  'content',
  'reasoning',
  'reasoning_content',
  'reasoning_content-with-calls',
  'reasoning_details-text',
  'tags',
];

/**
 * Whether an answer consists of thoughts only. Services refuse a message without content (Moonshot: "the message at
 * position 1 with role 'assistant' must not be empty"), and Mistral one with nothing but thoughts in it ("Assistant message
 * must have either content or tool_calls"). A text that is empty is there for its signature.
 */
function isThoughtAlone({ role, parts }: Turn, { dialect, report }: RenderContext): boolean {
  if (role !== 'assistant' || dialect.signatures === 'all' || !UNANSWERING.includes(dialect.reasoningHistory))
    return false;
  if (!parts.every((part) => part.kind === 'thinking' || (part.kind === 'text' && part.text === '')))
    return false;
  report('turns[].thinking', 'dropped', 'thinking without an answer after it');
  return true;
}

/**
 * The user's turns without the blocks that only another format can read. A turn of such blocks alone is then left out,
 * instead of a message without content: the model would answer that nothing has been said.
 */
function readable(turns: readonly Turn[], context: RenderContext): readonly Turn[] {
  return mapItems(turns, (turn) =>
    turn.role === 'user'
      ? withParts(
          turn,
          keepItems(turn.parts, (part) => part.kind !== 'opaque' || renderPart(part, context).length > 0),
        )
      : turn,
  );
}

/** Whether a turn has content. A system turn whose blocks only another format can read has none. */
function hasContent({ role, parts }: Turn, { report }: RenderContext): boolean {
  if (role !== 'system' || parts.some(({ kind }) => kind !== 'opaque')) return true;
  report('turns[].content', 'dropped', 'an empty system message');
  return false;
}

function withInstruction(turns: readonly Turn[], text: string): readonly Turn[] {
  const system: Turn = { role: 'system', parts: [{ kind: 'text', text }] };
  return turns.toSpliced(leadingSystem(turns), 0, system);
}

/** The system turns at the start as one turn. Each later one becomes a user turn that names the system as its author. */
function systemFirst(turns: readonly Turn[], { report }: RenderContext): readonly Turn[] {
  const moved = laterSystemAsUser(turns, leadingSystem(turns), report);
  const count = leadingSystem(moved);
  const [head, ...more] = moved.slice(0, count);
  if (head === undefined || more.length === 0) return moved;
  const parts = joinLists([head, ...more].map((turn) => turn.parts));
  return [{ ...head, parts }, ...moved.slice(count)];
}
