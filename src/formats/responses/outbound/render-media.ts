/** Renders images and documents; audio and video only in the plain format. */

import type { MediaPart, MediaSource } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { getStoredId } from '../../foreign-file.ts';
import { dataUrl, FILE_STORES, fileNameFor, findSentType, renderAudioFormat } from '../../openai/media.ts';
import type { RenderContext } from './render-context.ts';

/** Where a medium comes from, if it is not a text. */
type SentSource = Exclude<MediaSource, { kind: 'text' }>;

/**
 * Renders an image as `input_image`, and a document as `input_file`.
 * @param fields the other fields of the part.
 * @throws GatewayError `invalid-request` for audio, video, and files in another vendor's store.
 */
export function renderMedia(part: MediaPart, fields: JsonObject, context: RenderContext): JsonObject {
  const { media, source, name } = part;
  if (media === 'video') return renderVideo(part, fields, context);
  if (source.kind === 'text') {
    context.report('turns[].content', 'approximated', 'a document sent as text, after its name');
    return { type: 'input_text', text: name === undefined ? source.text : flat(`${name}\n\n${source.text}`) };
  }
  switch (media) {
    case 'audio':
      return renderAudio(part, fields, context);
    case 'image':
      return renderImage(source, part, fields, context);
    case 'document':
      return renderDocument(source, part, fields, context);
  }
}

function renderImage(
  source: SentSource,
  part: MediaPart,
  fields: JsonObject,
  { keepsAll }: RenderContext,
): JsonObject {
  const { detail } = part;
  const image = {
    type: 'input_image',
    // OpenAI's default. Other services of this format require the field (vLLM: 'detail: Field required').
    ...(!keepsAll && { detail: 'auto' }),
    ...fields,
    ...(detail !== undefined && { detail }),
  };
  if (source.kind === 'file') return { ...image, file_id: getStoredId(source, FILE_STORES) };
  if (source.kind === 'url') return { ...image, image_url: source.url };
  return { ...image, image_url: dataUrl(findSentType(part, source.data, 'image/png'), source.data) };
}

function renderDocument(
  source: SentSource,
  part: MediaPart,
  fields: JsonObject,
  context: RenderContext,
): JsonObject {
  const { detail, name } = part;
  // "Ensure you are only providing one of: 'file_id' or 'filename'", also for a file by its address.
  const hasName = name !== undefined && (source.kind === 'base64' || context.keepsAll);
  if (name !== undefined && !hasName) {
    context.report('turns[].filename', 'dropped', 'only a file that is sent as data has a name');
  }
  const named = {
    ...(hasName && { filename: name }),
    ...fields,
    ...(detail !== undefined && { detail }),
  };
  if (source.kind === 'file')
    return { type: 'input_file', file_id: getStoredId(source, FILE_STORES), ...named };
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url, ...named };
  const mediaType = findSentType(part, source.data, 'application/pdf');
  return {
    ...(!context.keepsAll && { filename: fileNameFor(mediaType) }),
    type: 'input_file',
    file_data: dataUrl(mediaType, source.data),
    ...named,
  };
}

function renderAudio(part: MediaPart, fields: JsonObject, { keepsAll }: RenderContext): JsonObject {
  const { source, mediaType } = part;
  if (source.kind !== 'base64' || !keepsAll) {
    throw invalid('This model does not accept audio input.', 'turns');
  }
  const input_audio = { data: source.data, format: renderAudioFormat(mediaType) };
  return { type: 'input_audio', input_audio, ...fields };
}

/** Renders a video as Open Responses has it; OpenAI itself takes none. */
function renderVideo(
  { source, mediaType = 'video/mp4' }: MediaPart,
  fields: JsonObject,
  { keepsAll }: RenderContext,
): JsonObject {
  const isSent = source.kind === 'url' || source.kind === 'base64';
  if (!isSent || !keepsAll) throw invalid('This model does not accept video input.', 'turns');
  const video_url = source.kind === 'url' ? source.url : dataUrl(mediaType, source.data);
  return { type: 'input_video', video_url, ...fields };
}
