/** Turns to messages. */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ownFields } from '../../own-fields.ts';
import { unmarkLast } from '../wire/cache-breakpoints.ts';
import type { Writing } from '../wire/encoded-text.ts';
import { isSilent, renderAssistant } from './render-assistant.ts';
import { renderContent, spokenIn } from './render-content.ts';
import { joinToLast, renderResults, resultsIn } from './render-results.ts';

/** All messages. The turns are in the order the service wants already. */
export function renderTurns(turns: readonly Turn[], writing: Writing): JsonObject[] {
  return turns.flatMap((turn, at) => {
    if (turn.role === 'system') return [renderSpoken(turn, systemRole(turn, writing), turn.parts, writing)];
    if (turn.role === 'user') return renderUser(turn, writing);
    const message = renderAssistant(turn, writing);
    const { prefill } = writing.dialect;
    const isLast = prefill !== undefined && at === turns.length - 1 && message['tool_calls'] === undefined;
    if (isSilent(message) && !writing.exact) return [];
    return [isLast ? { ...message, [prefill]: true } : message];
  });
}

function systemRole(turn: Turn, { dialect, target }: Writing): 'system' | 'developer' {
  if (dialect.developer === 'never') return 'system';
  const always = dialect.developer === 'thinking' && target.thinking !== undefined;
  return turn.developer || always ? 'developer' : 'system';
}

/** Results first, then what the user says. */
function renderUser(turn: Turn, writing: Writing): JsonObject[] {
  const said = spokenIn(turn.parts);
  const results = resultsIn(turn.parts);
  reportMisplaced(turn.parts, writing);
  if (results.length === 0) return [renderSpoken(turn, 'user', said, writing)];
  const { userAfterTool } = writing.dialect;
  const told = userAfterTool ? results : joinToLast(results, said, writing);
  const { messages, moved } = renderResults(told, writing);
  const after = userAfterTool ? [...moved, ...said] : moved;
  return after.length === 0 ? messages : [...messages, renderSpoken(turn, 'user', after, writing)];
}

function renderSpoken(
  turn: Turn,
  role: 'system' | 'developer' | 'user',
  parts: readonly Part[],
  writing: Writing,
): JsonObject {
  const own = ownFields(turn.formatSpecific, 'chat-completions', 'turns[]', writing.report);
  const { cache_control: control } = own;
  // A mark on the message was read as one on its last part.
  const spoken = control === undefined ? spokenIn(parts) : unmarkLast(spokenIn(parts));
  return {
    ...turn.unknownFields,
    ...(control !== undefined && { cache_control: control }),
    role,
    content: renderContent(spoken, '\n', writing),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

function reportMisplaced(parts: readonly Part[], { report }: Writing): void {
  for (const { kind } of parts) {
    if (kind === 'thinking' || kind === 'tool-call')
      report('turns[].content', 'dropped', `${kind} in a user message`);
  }
}
