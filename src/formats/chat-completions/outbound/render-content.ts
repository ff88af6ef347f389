/** The content of messages: a string if that can hold everything, otherwise a list of parts. */

import type { ContentPart, Part } from '../../../conversation/prompt.ts';
import { isPlain } from '../../../conversation/turn-parts.ts';
import { isEmpty, type Json, type JsonObject, otherFields } from '../../../lib/json.ts';
import { joinLists, keepItems } from '../../../lib/lists.ts';
import { reportForeign } from '../../own-fields.ts';
import { renderPartBreakpoint } from './render-cache-breakpoints.ts';
import type { RenderContext } from './render-context.ts';
import { renderMedia } from './render-media.ts';

/** The parts that are content. Calls, results and thoughts have other places. */
export function findContent(parts: readonly Part[]): readonly ContentPart[] {
  return keepItems(parts, isContent);
}

function isContent(part: Part): part is ContentPart {
  return part.kind === 'text' || part.kind === 'refusal' || part.kind === 'media' || part.kind === 'opaque';
}

/**
 * The content of a message; '' for no parts.
 * @param separator stands between texts that are joined because the service takes no list of them.
 */
export function renderContent(
  parts: readonly ContentPart[],
  separator: string,
  context: RenderContext,
): Json {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1 && first.kind === 'text' && isPlain(first)) return first.text;
  const items = joinLists(parts.map((part) => renderPart(part, context)));
  if (items.length === 0) return '';
  const texts = items.map(plainText);
  if (texts.length > 1 && context.dialect.textParts) return items;
  return texts.every((text) => text !== undefined) ? texts.join(separator) : items;
}

/** One part; none, and a report, for a part that only another format can read. */
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
  const common = { ...part.unknownFields, ...renderPartBreakpoint(part, context) };
  switch (part.kind) {
    case 'text':
      return [{ ...common, type: 'text', text: part.text }];
    case 'refusal':
      return [
        context.dialect.openaiFields
          ? { ...common, type: 'refusal', refusal: part.text }
          : { ...common, type: 'text', text: part.text },
      ];
    case 'media':
      return [{ ...common, ...renderMedia(part, context) }];
  }
}

/** The text of a part without any other fields; undefined for other parts. */
function plainText(item: JsonObject): string | undefined {
  const { type, text } = item;
  if (type !== 'text' || typeof text !== 'string') return undefined;
  return isEmpty(otherFields(item, TEXT_FIELDS)) ? text : undefined;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text']);
