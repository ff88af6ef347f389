/** Renders contents of a turn as message items. */

import type { ContentPart, Turn } from '../../../conversation/prompt.ts';
import { isEmpty, type JsonObject } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import { getOrigin } from '../wire/origin.ts';
import type { RenderContext } from './render-context.ts';
import { renderContent } from './render-parts.ts';

/** Whether a message of the assistant's was said before more, or was the answer. */
export type Phase = 'commentary' | 'final_answer';

/**
 * Renders one message. Media of the assistant's goes after it, as a message of the user's.
 * @param phase undefined for all but messages of the assistant's to a model that takes it.
 */
export function renderMessage(
  parts: readonly ContentPart[],
  turn: Turn,
  phase: Phase | undefined,
  context: RenderContext,
): readonly JsonObject[] {
  if (turn.role !== 'assistant') return [renderGiven(parts, turn, context)];
  const media = keepItems(parts, (part) => part.kind === 'media');
  const words = media.length === 0 ? parts : parts.filter((part) => part.kind !== 'media');
  const isBare = turn.unknownFields === undefined && parts[0]?.formatSpecific === undefined;
  if (isBare && phase === undefined && media.length === 0 && words.length > 0) {
    return [{ type: 'message', role: 'assistant', content: renderContent(words, 'output', context) }];
  }
  const itemFields = getOrigin(parts[0]?.formatSpecific).item ?? {};
  const items: JsonObject[] = [];
  if (words.length > 0) {
    const content = renderContent(words, 'output', context);
    items.push({
      ...turn.unknownFields,
      ...(phase !== undefined && { phase }),
      ...itemFields,
      type: 'message',
      role: 'assistant',
      content: isEmpty(itemFields) ? content : asContentList(content),
    });
  }
  if (media.length > 0) {
    const detail = "sent as the user's: messages of the model can hold only text";
    context.report('turns[].content', 'approximated', detail);
    items.push({ type: 'message', role: 'user', content: renderContent(media, 'input', context) });
  }
  return items;
}

function renderGiven(parts: readonly ContentPart[], turn: Turn, context: RenderContext): JsonObject {
  const role = turn.role === 'user' ? 'user' : turn.developer ? 'developer' : 'system';
  const content = renderContent(parts, 'input', context);
  if (turn.unknownFields === undefined && turn.formatSpecific === undefined) {
    return { type: 'message', role, content };
  }
  return { ...turn.unknownFields, ...getOrigin(turn.formatSpecific).item, type: 'message', role, content };
}

/** A message with an id is one that OpenAI wrote. The content of such a message is a list. */
function asContentList(content: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'output_text', text: content, annotations: [] }];
}
