/** The content of messages: a string where that says all, else a list of parts. */

import type { ContentPart, Part, RefusalPart } from '../../../conversation/prompt.ts';
import { isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { reportForeign } from '../../own-fields.ts';
import { renderBreakpoint } from './render-cache-breakpoints.ts';
import type { RenderContext } from './render-context.ts';
import { renderMedia } from './render-media.ts';

/** The parts that are content; calls, results and thoughts go elsewhere. */
export function findContent(parts: readonly Part[]): readonly ContentPart[] {
  return parts.filter(
    (part) =>
      part.kind === 'text' || part.kind === 'refusal' || part.kind === 'media' || part.kind === 'opaque',
  );
}

/**
 * Content for a message; '' where there is none.
 * @param glue between texts, where the service takes a list of them only as one string.
 */
export function renderContent(parts: readonly ContentPart[], glue: string, context: RenderContext): Json {
  const items = parts.flatMap((part) => renderPart(part, context));
  if (items.length === 0) return '';
  const texts = items.map(plainText);
  if (texts.length > 1 && context.dialect.textParts) return items;
  return texts.every((text) => text !== undefined) ? texts.join(glue) : items;
}

/** One part; none where it can only be read by another format. */
export function renderPart(part: ContentPart, context: RenderContext): JsonObject[] {
  const { report } = context;
  if (part.kind === 'opaque') {
    if (part.format === 'chat-completions') return [part.value];
    const type = part.value['type'];
    const name = typeof type === 'string' ? type.slice(0, 60) : 'a block';
    report('turns[].content', 'dropped', `${name}: only ${part.format} can read it`);
    return [];
  }
  reportForeign(part.formatSpecific, 'chat-completions', 'turns[]', report);
  const beside = { ...part.unknownFields, ...renderBreakpoint(part, context) };
  switch (part.kind) {
    case 'text':
      return [{ ...beside, type: 'text', text: part.text }];
    case 'refusal':
      return [{ ...beside, ...refusal(part, context) }];
    case 'media':
      return [{ ...beside, ...renderMedia(part, context) }];
  }
}

function refusal({ text }: RefusalPart, { dialect }: RenderContext): JsonObject {
  return dialect.openaiFields ? { type: 'refusal', refusal: text } : { type: 'text', text };
}

/** The text of a part that is nothing but text. */
function plainText(item: JsonObject): string | undefined {
  const { type, text, ...rest } = item;
  if (type !== 'text' || typeof text !== 'string') return undefined;
  return isEmpty(rest) ? text : undefined;
}
