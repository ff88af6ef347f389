/**
 * What the system says in the midst of a conversation, for models that take it as the system's ("Mid-conversation system
 * messages", Limitations): text, behind what a user says or tools have answered, and before an answer or at the end.
 * Anywhere else it is a 400 ("role 'system' must precede an 'assistant' message or end the array").
 */

import type { Turn } from '../../../conversation/prompt.ts';
import { strictTurns } from '../../../conversation/rules/strict-turns.ts';
import type { Report } from '../../format.ts';
import { laterSystemAsUser } from '../../later-system.ts';

/**
 * The turns with the system's where such a model takes them, without what is beta; as a user's where no user has spoken
 * since the last answer, and where it is more than text.
 * @param turns strict turns.
 */
export function systemBehindUsers(turns: readonly Turn[], report: Report): readonly Turn[] {
  if (!turns.some(isSystem)) return turns;
  const placed: Turn[] = [];
  let waiting: Turn[] = [];
  const place = (): void => {
    placed.push(
      ...laterSystemAsUser(
        waiting.filter((turn) => !isText(turn)),
        0,
        report,
      ),
    );
    const texts = waiting.filter(isText);
    const isBehindUser = placed.at(-1)?.role === 'user';
    placed.push(...(isBehindUser ? texts.map(bare) : laterSystemAsUser(texts, 0, report)));
    waiting = [];
  };
  for (const turn of turns) {
    if (isSystem(turn)) {
      waiting.push(turn);
      continue;
    }
    if (turn.role === 'assistant') place();
    else if (waiting.length > 0) report('turns', 'approximated', "a later system message follows the user's");
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

function bare({ formatSpecific: _own, developer: _developer, ...said }: Turn): Turn {
  return said;
}
