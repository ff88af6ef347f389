/** Images, audio, video and files as parts of a message's content. */

import { fieldsOf } from '../../conversation/own.ts';
import type { MediaPart } from '../../conversation/prompt.ts';
import { GatewayError } from '../../errors.ts';
import { asObject, type JsonObject } from '../../json.ts';
import type { Dialect } from './dialects.ts';
import type { Writing } from './writing.ts';

/** The names a format may write file ids under: chat-completions and responses share OpenAI's file store. */
const FILE_STORES: readonly string[] = ['chat-completions', 'responses'];

/**
 * A media part as the service's dialect writes it.
 * @throws GatewayError where it has no way to.
 */
export function renderMedia(part: MediaPart, writing: Writing): JsonObject {
  const { dialect } = writing;
  const { source, name, media } = part;
  if (source.kind === 'text') {
    return { type: 'text', text: name ? `${name}\n\n${source.text}` : source.text };
  }
  if (source.kind === 'file') {
    if (!FILE_STORES.includes(source.format)) throw cannotTake("A file id of another vendor's file store");
    return fileOf(part, { file_id: source.id });
  }
  if (media === 'audio') {
    if (source.kind === 'url') throw cannotTake('Audio given by its address');
    return { type: 'input_audio', input_audio: { data: source.data, format: audioFormat(part.mediaType) } };
  }
  const url =
    source.kind === 'url'
      ? source.url
      : `data:${part.mediaType ?? fallbackType(media)};base64,${source.data}`;
  if (media === 'image') return linkOf('image_url', { ...part, ...detailFor(part, writing) }, url);
  if (media === 'document') return renderDocument(part, url, dialect);
  if (!dialect.video) throw cannotTake('Video');
  return linkOf('video_url', part, url);
}

function renderDocument(part: MediaPart, url: string, dialect: Dialect): JsonObject {
  const own = fieldsOf(part.own, 'chat-completions');
  if (dialect.complete && own['file_url'] !== undefined) return linkOf('file_url', part, url);
  if (dialect.complete && own['document_url'] !== undefined) return linkOf('document_url', part, url);
  if (dialect.documents === 'document_url') {
    return { type: 'document_url', document_url: url, ...(part.name && { document_name: part.name }) };
  }
  if (dialect.documents === 'inline' && part.source.kind === 'url') {
    throw cannotTake('A document given by its address');
  }
  // OpenAI refuses `file_data` without a name, so one is made.
  const named = part.name === undefined && dialect.documents === 'inline';
  return fileOf(part, {
    file_data: url,
    ...(named && { filename: `document.${extension(part.mediaType)}` }),
  });
}

function linkOf(type: string, part: MediaPart, url: string): JsonObject {
  const { detail } = part;
  return {
    type,
    [type]: {
      ...asObject(fieldsOf(part.own, 'chat-completions')[type]),
      url,
      ...(detail !== undefined && { detail }),
    },
  };
}

/** `original` is OpenAI's own, from Codex above all: elsewhere it is a 400, and `high` comes nearest. */
function detailFor({ detail }: MediaPart, { dialect, report }: Writing): Pick<MediaPart, 'detail'> {
  if (detail !== 'original' || dialect.newFields) return {};
  report('media', 'approximated', 'an image in its original detail, as high');
  return { detail: 'high' };
}

function fileOf(part: MediaPart, fields: JsonObject): JsonObject {
  const { name } = part;
  const file = {
    ...asObject(fieldsOf(part.own, 'chat-completions')['file']),
    ...fields,
    ...(name !== undefined && { filename: name }),
  };
  return { type: 'file', file };
}

/** OpenAI's word for an audio type: `mp3` or `wav`; any other type's own subtype, for the vendor to judge. */
function audioFormat(mediaType: string | undefined): string {
  const [, subtype = 'wav'] = (mediaType ?? 'audio/wav').split(';', 1).join('').split('/');
  if (subtype === 'mpeg') return 'mp3';
  return subtype === 'x-wav' || subtype === 'wave' ? 'wav' : subtype;
}

function fallbackType(media: MediaPart['media']): string {
  if (media === 'image') return 'image/png';
  return media === 'video' ? 'video/mp4' : 'application/pdf';
}

function extension(mediaType: string | undefined): string {
  const subtype = mediaType?.split('/')[1]?.replaceAll(/[^a-z0-9]/g, '');
  return subtype && subtype.length <= 5 ? subtype : 'bin';
}

function cannotTake(what: string): GatewayError {
  return new GatewayError('invalid-request', `${what} cannot be sent to this model.`, { param: 'messages' });
}
