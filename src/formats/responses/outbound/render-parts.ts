/** Content parts of messages and tool outputs, to the wire. */

import type {
  ContentPart,
  FormatSpecific,
  MediaPart,
  OpaquePart,
  RefusalPart,
  TextPart,
} from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { storedId } from '../../foreign-file.ts';
import { audioFormat, dataUrl, FILE_STORES, fileNameFor } from '../../openai/media.ts';
import { reportForeign } from '../../own-fields.ts';
import { renderAnnotation } from '../wire/citations.ts';
import { originOf } from '../wire/format-specific.ts';
import type { Scope } from './render-context.ts';

/**
 * Content a caller or a tool wrote (`input`) or the model did (`output`): a string where one plain text is all of it.
 * @throws GatewayError `invalid-request` for sound, films and files in another vendor's store.
 */
export function renderContent(
  parts: readonly ContentPart[],
  side: 'input' | 'output',
  scope: Scope,
): string | readonly JsonObject[] {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1 && isPlain(first)) return first.text;
  const rendered = parts.flatMap((part) => renderPart(part, side, scope));
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

function renderPart(part: ContentPart, side: 'input' | 'output', scope: Scope): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      if (side === 'output') return [renderAnswerText(part, scope)];
      if (part.citations) scope.report('turns[].citations', 'dropped', 'on no text of the model');
      return [{ ...around(part, scope), type: 'input_text', text: part.text }];
    case 'refusal':
      if (side === 'input') return [{ ...around(part, scope), type: 'input_text', text: part.text }];
      return [{ ...aroundAnswer(part, scope), type: 'refusal', refusal: part.text }];
    case 'media':
      return [renderMedia(part, scope)];
    case 'opaque':
      if (part.format === 'responses') return [part.value];
      scope.report('turns[].content', 'dropped', `a block that only ${part.format} can read`);
      return [];
  }
}

function renderAnswerText(part: TextPart, scope: Scope): JsonObject {
  const cited = part.citations ?? [];
  const annotations = cited
    .map((citation) => renderAnnotation(citation, 0, part.text.length))
    .filter(isObject);
  if (annotations.length < cited.length) scope.report('turns[].citations', 'dropped', 'those without a URL');
  return { ...aroundAnswer(part, scope), type: 'output_text', text: part.text, annotations };
}

/** A picture, or a document as a file. */
function renderMedia(part: MediaPart, scope: Scope): JsonObject {
  const { media, source, detail, name } = part;
  const common = { ...around(part, scope), ...(detail !== undefined && { detail }) };
  if (media === 'video') throw invalid('This model does not accept video input.', 'turns');
  if (source.kind === 'text') {
    scope.report('turns[].content', 'approximated', 'a document sent as text, with its name before it');
    return { type: 'input_text', text: name === undefined ? source.text : `${name}\n\n${source.text}` };
  }
  if (media === 'audio') return renderAudio(part, scope);
  if (media === 'image') {
    // OpenAI's default, which other services that speak this format insist on hearing (vLLM: 'detail: Field required').
    const image = { type: 'input_image', ...(!scope.keepsAll && { detail: 'auto' }), ...common };
    if (source.kind === 'file') return { ...image, file_id: storedId(source, FILE_STORES) };
    const url = source.kind === 'url' ? source.url : dataUrl(part.mediaType ?? 'image/png', source.data);
    return { ...image, image_url: url };
  }
  const named = { ...(name !== undefined && { filename: name }), ...common };
  if (source.kind === 'file') return { type: 'input_file', file_id: storedId(source, FILE_STORES), ...named };
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url, ...named };
  const mediaType = part.mediaType ?? 'application/pdf';
  return {
    ...(!scope.keepsAll && { filename: fileNameFor(mediaType) }),
    type: 'input_file',
    file_data: dataUrl(mediaType, source.data),
    ...named,
  };
}

function renderAudio(part: MediaPart, scope: Scope): JsonObject {
  const { source, mediaType } = part;
  if (source.kind !== 'base64' || !scope.keepsAll)
    throw invalid('This model does not accept audio input.', 'turns');
  const input_audio = { data: source.data, format: audioFormat(mediaType) };
  return { type: 'input_audio', input_audio, ...around(part, scope) };
}

/** What a part has beside its content, as far as this format can say it. */
function around(part: Exclude<ContentPart, OpaquePart>, scope: Scope): JsonObject {
  return {
    ...part.unknownFields,
    ...originOf(part.formatSpecific).part,
    ...openAIs(part.formatSpecific, scope),
  };
}

/** The same of what the model has said, where chat-completions takes a breakpoint and this format has none (`ResponseOutputText`). */
function aroundAnswer(part: TextPart | RefusalPart, scope: Scope): JsonObject {
  const { prompt_cache_breakpoint: breakpoint, ...rest } = around(part, scope);
  if (part.formatSpecific?.format === 'responses' || breakpoint === undefined) return around(part, scope);
  scope.report('turns[].prompt_cache_breakpoint', 'dropped', 'an answer of the assistant has none');
  return rest;
}

/** Of another format's own fields, the one that chat-completions spells the same; the rest is reported. */
function openAIs(own: FormatSpecific | undefined, scope: Scope): JsonObject {
  if (own === undefined || own.format === 'responses') return {};
  const { prompt_cache_breakpoint: breakpoint, ...rest } = own.fields;
  const isShared = own.format === 'chat-completions' && breakpoint !== undefined;
  reportForeign({ ...own, fields: isShared ? rest : own.fields }, 'responses', 'turns[]', scope.report);
  return isShared ? { prompt_cache_breakpoint: breakpoint } : {};
}
