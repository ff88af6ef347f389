/** Images, audio, video and files as parts of a message's content. */

import { findFormatFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import type { MediaPart, MediaSource } from '../../../conversation/prompt.ts';
import { type GatewayError, invalid } from '../../../lib/errors.ts';
import { flat } from '../../../lib/flat-text.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { getStoredId } from '../../foreign-file.ts';
import { dataUrl, FILE_STORES, fileNameFor, findSentType, renderAudioFormat } from '../../openai/media.ts';
import type { Dialect } from '../dialect.ts';
import type { RenderContext } from './render-context.ts';

/** The type of media that name none. */
const DEFAULT_TYPES = { image: 'image/png', video: 'video/mp4', document: 'application/pdf' } as const;

/**
 * A media part in the service's dialect.
 * @throws GatewayError `invalid-request` for media that the service does not take.
 */
export function renderMedia(part: MediaPart, context: RenderContext): JsonObject {
  const { dialect } = context;
  const { source, name, media } = part;
  if (source.kind === 'text')
    return { type: 'text', text: name ? flat(`${name}\n\n${source.text}`) : source.text };
  if (source.kind === 'file') return renderFile(part, { file_id: getStoredId(source, FILE_STORES) });
  const { link, format } = findRoundTrip(part.formatSpecific, 'chat-completions');
  // The caller has written it for the service that gets it.
  if (link === 'file_id' && source.kind === 'url') {
    return renderFile(part, { file_id: source.url, ...(format !== undefined && { format }) });
  }
  if (media === 'audio') return renderAudio(part, source, link);
  const usual = DEFAULT_TYPES[media];
  const mediaType = source.kind === 'url' ? usual : findSentType(part, source.data, usual);
  const url = source.kind === 'url' ? source.url : dataUrl(mediaType, source.data);
  if (link === 'image_url') return renderLink(link, part, url);
  if (media === 'image') return renderLink('image_url', { ...part, ...renderDetail(part, context) }, url);
  if (media === 'document') return renderDocument(part, url, mediaType, dialect);
  if (!dialect.video) throw cannotTake('Video');
  return renderLink('video_url', part, url);
}

function renderAudio(
  part: MediaPart,
  source: Extract<MediaSource, { kind: 'url' | 'base64' }>,
  link: Json | undefined,
): JsonObject {
  const isUrl = source.kind === 'url';
  if (link === 'audio_url')
    return renderLink(link, part, isUrl ? source.url : dataUrl(part.mediaType ?? '', source.data));
  if (isUrl) throw cannotTake('Audio given as a URL');
  return {
    type: 'input_audio',
    input_audio: { data: source.data, format: renderAudioFormat(part.mediaType) },
  };
}

function renderDocument(part: MediaPart, url: string, mediaType: string, dialect: Dialect): JsonObject {
  const { link } = findRoundTrip(part.formatSpecific, 'chat-completions');
  if (dialect.lossless && typeof link === 'string') return renderLink(link, part, url);
  if (dialect.documentsField === 'document_url') {
    return { type: 'document_url', document_url: url, ...(part.name && { document_name: part.name }) };
  }
  if (dialect.documentsField === 'inline' && part.source.kind === 'url') {
    throw cannotTake('A document given as a URL');
  }
  // OpenAI refuses `file_data` without a name.
  const needsName = part.name === undefined && dialect.documentsField === 'inline';
  return renderFile(part, { file_data: url, ...(needsName && { filename: fileNameFor(mediaType) }) });
}

function renderLink(type: string, part: MediaPart, url: string): JsonObject {
  const { detail } = part;
  const { format } = findRoundTrip(part.formatSpecific, 'chat-completions');
  return {
    type,
    [type]: {
      ...asObject(findFormatFields(part.formatSpecific, 'chat-completions')[type]),
      url,
      ...(format !== undefined && { format }),
      ...(detail !== undefined && { detail }),
    },
  };
}

/** Only OpenAI takes the detail `original`, which mostly Codex sends. Others answer 400, and get `high` instead. */
function renderDetail({ detail }: MediaPart, { dialect, report }: RenderContext): Pick<MediaPart, 'detail'> {
  if (detail !== 'original' || dialect.openaiFields) return {};
  report('turns[].detail', 'approximated', 'an image in its original detail, sent as high');
  return { detail: 'high' };
}

function renderFile(part: MediaPart, fields: JsonObject): JsonObject {
  const { name, formatSpecific } = part;
  const { video_metadata } = findRoundTrip(formatSpecific, 'chat-completions');
  const file = {
    ...asObject(findFormatFields(formatSpecific, 'chat-completions')['file']),
    ...(video_metadata !== undefined && { video_metadata }),
    ...fields,
    ...(name !== undefined && { filename: name }),
  };
  return { type: 'file', file };
}

function cannotTake(what: string): GatewayError {
  return invalid(`${what} cannot be sent to this model.`, 'turns');
}
