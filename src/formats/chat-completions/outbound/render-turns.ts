/** Turns to messages. */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ownFields } from '../../own-fields.ts';
import { isSilent, renderAssistant } from './render-assistant.ts';
import { withoutMessageBreakpoint } from './render-cache-breakpoints.ts';
import { findContent, renderContent } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { appendToLastResult, findResults, renderResults } from './render-results.ts';

/** All messages. The turns are in the order the service wants already. */
export function renderTurns(turns: readonly Turn[], context: RenderContext): JsonObject[] {
  return turns.flatMap((turn, at) => {
    if (turn.role === 'system') return [renderSpoken(turn, systemRole(turn, context), turn.parts, context)];
    if (turn.role === 'user') return renderUser(turn, context);
    const message = renderAssistant(turn, context);
    const { prefillField } = context.dialect;
    const isLast =
      prefillField !== undefined && at === turns.length - 1 && message['tool_calls'] === undefined;
    if (isSilent(message) && !context.exact) return [];
    return [isLast ? { ...message, [prefillField]: true } : message];
  });
}

function systemRole(turn: Turn, { dialect, target }: RenderContext): 'system' | 'developer' {
  if (dialect.developerRole === 'never') return 'system';
  const always = dialect.developerRole === 'thinking' && target.thinking !== undefined;
  return turn.developer || always ? 'developer' : 'system';
}

/** Results first, then what the user says. */
function renderUser(turn: Turn, context: RenderContext): JsonObject[] {
  const said = findContent(turn.parts);
  const results = findResults(turn.parts);
  reportMisplaced(turn.parts, context);
  if (results.length === 0) return [renderSpoken(turn, 'user', said, context)];
  const { userAfterTool } = context.dialect;
  const told = userAfterTool ? results : appendToLastResult(results, said, context);
  const { messages, moved } = renderResults(told, context);
  const after = userAfterTool ? [...moved, ...said] : moved;
  return after.length === 0 ? messages : [...messages, renderSpoken(turn, 'user', after, context)];
}

function renderSpoken(
  turn: Turn,
  role: 'system' | 'developer' | 'user',
  parts: readonly Part[],
  context: RenderContext,
): JsonObject {
  const own = ownFields(turn.formatSpecific, 'chat-completions', 'turns[]', context.report);
  const { cache_control: control } = own;
  // A mark on the message was read as one on its last part.
  const spoken = control === undefined ? findContent(parts) : withoutMessageBreakpoint(findContent(parts));
  return {
    ...turn.unknownFields,
    ...(control !== undefined && { cache_control: control }),
    role,
    content: renderContent(spoken, '\n', context),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

function reportMisplaced(parts: readonly Part[], { report }: RenderContext): void {
  for (const { kind } of parts) {
    if (kind === 'thinking' || kind === 'tool-call')
      report('turns[].content', 'dropped', `${kind} in a user message`);
  }
}
