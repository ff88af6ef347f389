/** Renders the content parts of messages and tool outputs. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import type {
  ContentPart,
  FormatSpecific,
  OpaquePart,
  RefusalPart,
  TextPart,
} from '../../../conversation/prompt.ts';
import { isObject, type JsonObject, withoutFields } from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { BREAKPOINT } from '../../openai/cache-breakpoints.ts';
import { reportForeign } from '../../own-fields.ts';
import { renderAnnotation } from '../wire/citations.ts';
import { getOrigin } from '../wire/origin.ts';
import type { RenderContext } from './render-context.ts';
import { renderMedia } from './render-media.ts';

/**
 * Renders what a caller or a tool wrote (`input`), or the model (`output`). One plain text becomes a string.
 * @throws GatewayError `invalid-request` for audio, video, and files in another vendor's store.
 */
export function renderContent(
  parts: readonly ContentPart[],
  side: 'input' | 'output',
  context: RenderContext,
): string | readonly JsonObject[] {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1 && isPlain(first)) return first.text;
  const rendered = joinLists(parts.map((part) => renderPart(part, side, context)));
  return rendered.length > 0 ? rendered : '';
}

function isPlain(part: ContentPart): part is TextPart {
  return (
    part.kind === 'text' &&
    !part.unknownFields &&
    !part.formatSpecific &&
    !part.cacheBreakpoint &&
    !part.citations?.length
  );
}

function renderPart(
  part: ContentPart,
  side: 'input' | 'output',
  context: RenderContext,
): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      if (side === 'output') return [renderOutputText(part, context)];
      if (part.citations)
        context.report('turns[].citations', 'dropped', 'on text that the model did not write');
      return [{ ...renderInputFields(part, context), type: 'input_text', text: part.text }];
    case 'refusal':
      if (side === 'input')
        return [{ ...renderInputFields(part, context), type: 'input_text', text: part.text }];
      return [{ ...renderOutputFields(part, context), type: 'refusal', refusal: part.text }];
    case 'media':
      return [renderMedia(part, renderInputFields(part, context), context)];
    case 'opaque':
      if (part.format === 'responses') return [part.value];
      context.report('turns[].content', 'dropped', `a block that only ${part.format} can read`);
      return [];
  }
}

function renderOutputText(part: TextPart, context: RenderContext): JsonObject {
  const citations = part.citations ?? [];
  const annotations = citations
    .map((citation) => renderAnnotation(citation, 0, part.text.length))
    .filter(isObject);
  if (annotations.length < citations.length) {
    context.report('turns[].citations', 'dropped', 'those without a URL');
  }
  return { ...renderOutputFields(part, context), type: 'output_text', text: part.text, annotations };
}

/** The fields of a part other than its content, as far as this format has them. */
function renderFields(part: Exclude<ContentPart, OpaquePart>, context: RenderContext): JsonObject {
  const fields = {
    ...part.unknownFields,
    ...getOrigin(part.formatSpecific).part,
    ...renderSharedFields(part.formatSpecific, context),
  };
  return context.refusesBreakpoints ? withoutFields(fields, Object.keys(BREAKPOINT)) : fields;
}

/** The same for a part that the model reads: it may have a cache breakpoint, whoever wrote it. */
function renderInputFields(part: Exclude<ContentPart, OpaquePart>, context: RenderContext): JsonObject {
  const isMarked = part.cacheBreakpoint !== undefined && context.takesBreakpoints;
  return { ...(isMarked && BREAKPOINT), ...renderFields(part, context) };
}

/**
 * The same for a part that the model wrote. There chat-completions takes a cache breakpoint, and this format has none
 * (`ResponseOutputText`).
 */
function renderOutputFields(part: TextPart | RefusalPart, context: RenderContext): JsonObject {
  const fields = renderFields(part, context);
  const { prompt_cache_breakpoint: breakpoint, ...rest } = fields;
  if (part.formatSpecific?.format === 'responses' || breakpoint === undefined) return fields;
  context.report('turns[].prompt_cache_breakpoint', 'dropped', 'messages of the assistant have none');
  return rest;
}

/** The one field that chat-completions has by the same name. The other fields of another format are reported. */
function renderSharedFields(specific: FormatSpecific | undefined, { report }: RenderContext): JsonObject {
  if (specific === undefined || specific.format === 'responses') return {};
  reportForeign(specific, 'responses', 'turns[]', report);
  const { prompt_cache_breakpoint: breakpoint } = findRoundTrip(specific, 'chat-completions');
  return breakpoint === undefined ? {} : { prompt_cache_breakpoint: breakpoint };
}
