/** Turns as Anthropic takes them: the system's apart, the user's first, and none that ends where a model cannot go on. */

import type { Part, Prompt, Turn } from '../../../conversation/prompt.ts';
import { strictTurns } from '../../../conversation/rules/strict-turns.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { beforeAnswers, laterSystemAsUser } from '../../later-system.ts';
import { FORMAT, keepsAll, speaksMessages } from '../wire/wire.ts';
import { callsLast } from './calls-last.ts';
import { sendableTurns } from './filter-sendable.ts';
import { systemBehindUsers } from './later-system.ts';
import { withoutLastThoughts } from './thinking-signatures.ts';

/**
 * The system's parts up to the first answer, hoisted in their order, and the turns in the order the vendor wants. What
 * the system says later stays there, as a user's where the model takes no such message. A prompt of nothing but
 * instructions is one a user gives.
 */
export function arrangeTurns(
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
): { system: readonly Part[]; turns: readonly Turn[] } {
  const takesAll = keepsAll(prompt, target);
  const all = sendableTurns(prompt.turns, report);
  const sendable = takesAll ? all : all.map(inWords);
  const later = beforeAnswers(sendable);
  const takesLater = takesAll || target.laterSystem === true;
  const given = takesLater ? sendable : laterSystemAsUser(sendable, later, report);
  const isHoisted = ({ role, formatSpecific: own }: Turn, at: number): boolean =>
    role === 'system' && (takesAll ? own?.format !== FORMAT : at < later);
  const system = given.filter(isHoisted).flatMap((turn) => turn.parts);
  const rest = given.filter((turn, at) => !isHoisted(turn, at));
  const ordered = orderedTurns(prompt, rest, report);
  const turns = trimPrefill(takesAll ? ordered : systemBehindUsers(ordered, report));
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
  if (takesPrefill(prompt, target) || !endsSaid(turns)) return { system, turns };
  report('turns', 'approximated', 'a user turn added at the end, so that the model goes on');
  return { system, turns: [...turns, GO_ON] };
}

/** A turn without what only a system message in the midst may have: blocks of tools that come and go, offered with all others. */
function inWords(turn: Turn): Turn {
  const { role, parts } = turn;
  if (role !== 'system' || !parts.some(({ kind }) => kind === 'opaque')) return turn;
  return { ...turn, parts: parts.filter(({ kind }) => kind !== 'opaque') };
}

/** The turns as the vendor orders them, each with something said at its end, and calls behind all else. */
function orderedTurns(prompt: Prompt, turns: readonly Turn[], report: Report): readonly Turn[] {
  const ordered = strictTurns(turns);
  if (speaksMessages(prompt)) return ordered;
  const said = withoutLastThoughts(ordered, report);
  const left = said.every((turn, at) => turn === ordered[at]) ? ordered : strictTurns(said);
  return left.map((turn) => {
    const parts = turn.role === 'assistant' ? callsLast(turn.parts, isCall) : turn.parts;
    return parts === turn.parts ? turn : { ...turn, parts };
  });
}

function isCall({ kind }: Part): boolean {
  return kind === 'tool-call';
}

/** For a conversation that ends with the assistant, where the model wants the last word to be the user's. */
const GO_ON: Turn = { role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] };

/**
 * Models from 4.6 on, which are those with efforts, go on with no answer that is begun for them (migration guide), and none
 * does whose answer is to follow a schema (Structured outputs: "Message Prefilling: Incompatible with JSON outputs").
 */
function takesPrefill(prompt: Prompt, target: ModelTraits): boolean {
  if (keepsAll(prompt, target)) return true;
  return prompt.output?.kind !== 'json-schema' && !target.thinking?.kinds.includes('effort');
}

/** Whether the assistant has the last word: calls, its own or those of Anthropic's tools, are still to be answered. */
function endsSaid(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return (
    last?.role === 'assistant' && !last.parts.some(({ kind }) => kind === 'tool-call' || kind === 'opaque')
  );
}

/** The vendor refuses an answer begun for the model that ends in white space. */
function trimPrefill(turns: readonly Turn[]): readonly Turn[] {
  const turn = turns.at(-1);
  const part = turn?.parts.at(-1);
  if (turn?.role !== 'assistant' || (part?.kind !== 'text' && part?.kind !== 'refusal')) return turns;
  const parts = [...turn.parts.slice(0, -1), { ...part, text: part.text.trimEnd() }];
  return [...turns.slice(0, -1), { ...turn, parts }];
}
