/** Turns as messages. */

import type { Part, Turn } from '../../../conversation/prompt.ts';
import { isEmpty, type JsonObject } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import { reportForeign } from '../../own-fields.ts';
import { isEmptyMessage, renderAssistant } from './render-assistant.ts';
import { withoutMessageBreakpoint, writtenBreakpoint } from './render-cache-breakpoints.ts';
import { findContent, renderContent } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { appendToLastResult, renderResults } from './render-results.ts';

/**
 * All messages of a conversation.
 * @param turns in the order that the service requires.
 */
export function renderTurns(turns: readonly Turn[], context: RenderContext): JsonObject[] {
  const messages: JsonObject[] = [];
  for (let at = 0; at < turns.length; at++) {
    const turn = turns[at];
    if (turn === undefined) continue;
    if (turn.role === 'system') {
      messages.push(renderPlain(turn, systemRole(turn, context), turn.parts, context));
    } else if (turn.role === 'user') {
      for (const message of renderUser(turn, context)) messages.push(message);
    } else {
      const message = renderAnswer(turn, at === turns.length - 1, context);
      if (message !== undefined) messages.push(message);
    }
  }
  return messages;
}

/** The message of the assistant's; undefined for one that says nothing. The last one may be the beginning of an answer. */
function renderAnswer(turn: Turn, isLast: boolean, context: RenderContext): JsonObject | undefined {
  const message = renderAssistant(turn, context);
  if (isEmptyMessage(message) && !context.exact) return undefined;
  const { prefillField } = context.dialect;
  if (!isLast || prefillField === undefined || message['tool_calls'] !== undefined) return message;
  return { ...message, [prefillField]: true };
}

function systemRole(turn: Turn, { dialect, target }: RenderContext): 'system' | 'developer' {
  if (dialect.developerRole === 'never') return 'system';
  const always = dialect.developerRole === 'thinking' && target.thinking !== undefined;
  return turn.developer || always ? 'developer' : 'system';
}

/** The messages of a user turn: first the results, then the content. */
function renderUser(turn: Turn, context: RenderContext): JsonObject[] {
  const content = findContent(turn.parts);
  const results = keepItems(turn.parts, (part) => part.kind === 'tool-result');
  reportMisplaced(turn.parts, context);
  if (results.length === 0) return [renderPlain(turn, 'user', content, context)];
  const { userAfterTool, mediaInToolMessages } = context.dialect;
  // An image that a tool message cannot hold comes after it in any case, and the user's words stay with it.
  const isApart = userAfterTool || (!mediaInToolMessages && content.some(({ kind }) => kind === 'media'));
  const answered = isApart ? results : appendToLastResult(results, content, context);
  const { messages, moved } = renderResults(answered, context);
  const after = isApart ? [...moved, ...content] : moved;
  return after.length === 0 ? messages : [...messages, renderPlain(turn, 'user', after, context)];
}

function renderPlain(
  turn: Turn,
  role: 'system' | 'developer' | 'user',
  parts: readonly Part[],
  context: RenderContext,
): JsonObject {
  if (turn.formatSpecific === undefined && turn.unknownFields === undefined && turn.name === undefined) {
    return { role, content: renderContent(findContent(parts), '\n', context) };
  }
  reportForeign(turn.formatSpecific, 'chat-completions', 'turns[]', context.report);
  const breakpoint = writtenBreakpoint(turn.formatSpecific, context);
  // The breakpoint of a message was parsed as the one of its last part.
  const content = isEmpty(breakpoint) ? findContent(parts) : withoutMessageBreakpoint(findContent(parts));
  return {
    ...turn.unknownFields,
    ...breakpoint,
    role,
    content: renderContent(content, '\n', context),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

function reportMisplaced(parts: readonly Part[], { report }: RenderContext): void {
  for (const { kind } of parts) {
    if (kind === 'thinking' || kind === 'tool-call')
      report('turns[].content', 'dropped', `${kind} in a user message`);
  }
}
