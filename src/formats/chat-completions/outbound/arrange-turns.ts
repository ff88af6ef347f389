/**
 * Turns in the order services of this format insist on: a message with calls is followed by the results of all of
 * them. A caller of this format keeps the order it wrote.
 */

import type { Turn } from '../../../conversation/prompt.ts';
import { OPENING, strictTurns } from '../../../conversation/rules/strict-turns.ts';
import { laterSystemAsUser, leadingSystem } from '../../later-system.ts';
import type { ReasoningHistory } from '../dialect.ts';
import type { RenderContext } from './render-context.ts';

/** @param instruction of our own, to stand after those of the caller. */
export function arrangeTurns(
  turns: readonly Turn[],
  instruction: string | undefined,
  context: RenderContext,
): readonly Turn[] {
  const given = context.exact ? turns : turns.filter((turn) => saysSomething(turn, context));
  const instructed = instruction === undefined ? given : withInstruction(given, instruction);
  if (context.exact && context.dialect.lossless) return instructed;
  const told = context.dialect.systemFirst ? systemFirst(instructed, context) : instructed;
  if (context.exact) return told;
  const strict = inOrder(told);
  const heard = strict.filter((turn) => !isThoughtAlone(turn, context));
  return heard.length === strict.length ? strict : inOrder(heard);
}

/** There a user speaks first; here the assistant may. */
function inOrder(turns: readonly Turn[]): readonly Turn[] {
  return strictTurns(turns).filter((turn) => turn !== OPENING);
}

const AS_TEXT: readonly ReasoningHistory[] = [
  'reasoning',
  'reasoning_content',
  'reasoning_content-with-calls',
  'reasoning_details-text',
];

/**
 * Whether an answer ended before anything was said. Services to which thoughts are a text beside what is said take no
 * message without any (Moonshot: "the message at position 1 with role 'assistant' must not be empty").
 */
function isThoughtAlone({ role, parts }: Turn, { dialect, report }: RenderContext): boolean {
  if (role !== 'assistant' || dialect.signatures === 'all' || !AS_TEXT.includes(dialect.reasoningHistory))
    return false;
  if (!parts.every(({ kind }) => kind === 'thinking')) return false;
  report('turns[].thinking', 'dropped', 'thinking without an answer after it');
  return true;
}

/** Whether of what the system says in another format there is anything that this one can say. */
function saysSomething({ role, parts }: Turn, { report }: RenderContext): boolean {
  if (role !== 'system' || parts.some(({ kind }) => kind !== 'opaque')) return true;
  report('turns[].content', 'dropped', 'an empty system message');
  return false;
}

function withInstruction(turns: readonly Turn[], text: string): readonly Turn[] {
  const system: Turn = { role: 'system', parts: [{ kind: 'text', text }] };
  return turns.toSpliced(leadingSystem(turns), 0, system);
}

/** The system turns at the start as one; each later one as a user's, said to be the system's. */
function systemFirst(turns: readonly Turn[], { report }: RenderContext): readonly Turn[] {
  const told = laterSystemAsUser(turns, leadingSystem(turns), report);
  const count = leadingSystem(told);
  const [head, ...more] = told.slice(0, count);
  const joined = head && { ...head, parts: [head, ...more].flatMap((turn) => turn.parts) };
  return [...(joined ? [joined] : []), ...told.slice(count)];
}
