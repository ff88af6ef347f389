/** Turns as Anthropic accepts them: system turns are separate, a user turn comes first, and the model can continue the last. */

import type { Part, Prompt, Turn } from '../../../conversation/prompt.ts';
import { strictTurns } from '../../../conversation/rules/strict-turns.ts';
import { withParts } from '../../../conversation/turn-parts.ts';
import { flat } from '../../../lib/flat-text.ts';
import { joinLists, mapItems } from '../../../lib/lists.ts';
import { type ModelTraits, type Report, unreported } from '../../format.ts';
import { beforeAnswers, laterSystemAsUser } from '../../later-system.ts';
import { moveModelMedia, showForeignImages } from '../../model-media.ts';
import { moveCallsLast } from './calls-last.ts';
import { filterSendable } from './filter-sendable.ts';
import { placeLaterSystem } from './later-system.ts';
import { keepsAll, speaksMessages } from './native-caller.ts';
import { dropLastThoughts } from './refused-thinking.ts';
import { renderMedia } from './render-media.ts';

/**
 * Arranges the turns of a prompt.
 * @returns the parts of all system messages up to the first answer, in their order, and the other turns as the vendor
 *   requires them. A later system message stays in its place. It becomes a user turn if the model does not accept such
 *   messages. A prompt that consists of system messages only becomes one user turn.
 */
export function arrangeTurns(
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
): { system: readonly Part[]; turns: readonly Turn[] } {
  const keepsEverything = keepsAll(prompt, target);
  const all = filterSendable(showForeignImages(prompt.turns, 'messages', report), report);
  const sendable = keepsEverything
    ? all
    : moveModelMedia(
        mapItems(all, dropToolChanges),
        { model: target, render: (part) => renderMedia(part, {}, unreported) },
        report,
      );
  const later = beforeAnswers(sendable);
  const takesLater = keepsEverything || target.laterSystem === true;
  const given = takesLater ? sendable : laterSystemAsUser(sendable, later, report);
  const isHoisted = ({ role, formatSpecific }: Turn, at: number): boolean =>
    role === 'system' && (keepsEverything ? formatSpecific?.format !== 'messages' : at < later);
  const system = joinLists(given.filter(isHoisted).map((turn) => turn.parts));
  const rest = given.filter((turn, at) => !isHoisted(turn, at));
  const ordered = orderTurns(prompt, rest, report);
  const turns = trimPrefill(keepsEverything ? ordered : placeLaterSystem(ordered, report));
  if (turns.length === 0) {
    report('turns[].role', 'approximated', 'a system message is sent as the user turn that is required');
    return { system: [], turns: strictTurns([{ role: 'user', parts: system }]) };
  }
  const first = given.findIndex((turn) => turn.role !== 'system');
  if (first >= 0 && given.some((turn, at) => at > first && isHoisted(turn, at))) {
    report('turns', 'approximated', 'system messages moved before the conversation');
  }
  if (rest.find((turn) => turn.role !== 'system' && turn.parts.length > 0)?.role === 'assistant') {
    report('turns', 'approximated', 'a user turn added at the start');
  }
  if (takesPrefill(prompt, target) || !endsWithAnswer(turns)) return { system, turns };
  report('turns', 'approximated', 'a user turn added at the end, so that the model continues');
  return { system, turns: [...turns, CONTINUE] };
}

/**
 * Removes the blocks that only a system message during a conversation may have: changes of the tools, which are offered
 * with all others.
 */
function dropToolChanges(turn: Turn): Turn {
  const { role, parts } = turn;
  if (role !== 'system' || !parts.some(({ kind }) => kind === 'opaque')) return turn;
  return { ...turn, parts: parts.filter(({ kind }) => kind !== 'opaque') };
}

/** Orders the turns and their parts as the vendor requires. No turn ends with thinking, and calls come last. */
function orderTurns(prompt: Prompt, turns: readonly Turn[], report: Report): readonly Turn[] {
  const ordered = strictTurns(turns);
  if (speaksMessages(prompt)) return ordered;
  const trimmed = dropLastThoughts(ordered, report);
  const strict = trimmed === ordered ? ordered : strictTurns(trimmed);
  return mapItems(strict, (turn) =>
    turn.role === 'assistant' ? withParts(turn, moveCallsLast(turn.parts, isCall)) : turn,
  );
}

function isCall({ kind }: Part): boolean {
  return kind === 'tool-call';
}

/** Ends a conversation whose last turn is the assistant's, if the model requires a user turn at the end. */
const CONTINUE: Turn = { role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] };

/**
 * Tells whether the model continues an answer that the caller began. Models from 4.6 on, which are those with efforts, do
 * not (migration guide). No model does if its answer has to follow a schema (Structured outputs: "Message Prefilling:
 * Incompatible with JSON outputs").
 */
function takesPrefill(prompt: Prompt, target: ModelTraits): boolean {
  if (keepsAll(prompt, target)) return true;
  return prompt.output?.kind !== 'json-schema' && !target.thinking?.kinds.includes('effort');
}

/** Tells whether the assistant has the last word, and no call of it, or of a tool of Anthropic's, awaits a result. */
function endsWithAnswer(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return (
    last?.role === 'assistant' && !last.parts.some(({ kind }) => kind === 'tool-call' || kind === 'opaque')
  );
}

/** Trims the answer that the caller began: the vendor refuses one that ends with white space. */
function trimPrefill(turns: readonly Turn[]): readonly Turn[] {
  const turn = turns.at(-1);
  const part = turn?.parts.at(-1);
  if (turn?.role !== 'assistant' || (part?.kind !== 'text' && part?.kind !== 'refusal')) return turns;
  const parts = [...turn.parts.slice(0, -1), { ...part, text: flat(part.text.trimEnd()) }];
  return [...turns.slice(0, -1), { ...turn, parts }];
}
