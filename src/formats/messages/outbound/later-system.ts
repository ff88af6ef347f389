/**
 * System messages during a conversation, for models that accept them ("Mid-conversation system messages", Limitations).
 * Such a message may only contain text. It has to follow a user message or the results of tools, and to precede an answer
 * or end the conversation. Anywhere else the vendor answers 400: "role 'system' must precede an 'assistant' message or end
 * the array".
 */

import type { Turn } from '../../../conversation/prompt.ts';
import { strictTurns } from '../../../conversation/rules/strict-turns.ts';
import type { Report } from '../../format.ts';
import { laterSystemAsUser } from '../../later-system.ts';

/**
 * Moves system turns to where such a model accepts them, and removes their beta fields. A system turn becomes a user turn if
 * no user turn has come since the last answer, or if it contains more than text.
 * @param turns strict turns.
 */
export function placeLaterSystem(turns: readonly Turn[], report: Report): readonly Turn[] {
  if (!turns.some(isSystem)) return turns;
  const placed: Turn[] = [];
  let pending: Turn[] = [];
  const place = (): void => {
    const others = pending.filter((turn) => !isText(turn));
    for (const turn of laterSystemAsUser(others, 0, report)) placed.push(turn);
    const texts = pending.filter(isText);
    const isBehindUser = placed.at(-1)?.role === 'user';
    const moved = isBehindUser ? texts.map(dropFields) : laterSystemAsUser(texts, 0, report);
    for (const turn of moved) placed.push(turn);
    pending = [];
  };
  for (const turn of turns) {
    if (isSystem(turn)) {
      pending.push(turn);
      continue;
    }
    if (turn.role === 'assistant') place();
    else if (pending.length > 0) report('turns', 'approximated', "a later system message follows the user's");
    placed.push(turn);
  }
  place();
  return strictTurns(placed);
}

function isSystem({ role }: Turn): boolean {
  return role === 'system';
}

function isText({ parts }: Turn): boolean {
  return parts.every(({ kind }) => kind === 'text');
}

function dropFields({ formatSpecific: _fields, developer: _developer, ...turn }: Turn): Turn {
  return turn;
}
