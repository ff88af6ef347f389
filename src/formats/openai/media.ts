/** Files, images and audio, as both of OpenAI's formats write them. */

import { parseDataUrl } from '../../conversation/data-url.ts';
import {
  findDataType,
  findEnding,
  isTextual,
  normalizeType,
  sniffMediaType,
} from '../../conversation/media-types.ts';
import type { MediaPart, MediaSource } from '../../conversation/prompt.ts';
import { flat } from '../../lib/flat-text.ts';

/** The formats that share OpenAI's file store, and so its file ids. */
export const FILE_STORES: readonly string[] = ['chat-completions', 'responses'];

/** A `data:` URL of base64 data. */
export function dataUrl(mediaType: string, data: string): string {
  return flat(`data:${mediaType};base64,${data}`);
}

/**
 * The MIME type under which data is sent. OpenAI goes by the type alone ("Expected a base64-encoded data URL with an
 * application/pdf MIME type", vercel/ai#7266), so one that says nothing gives way to what the data and the name say.
 */
export function findSentType({ mediaType, name }: MediaPart, data: string, usual: string): string {
  const says = normalizeType(mediaType) === undefined ? findDataType(data, undefined, name) : mediaType;
  return says ?? (mediaType || usual);
}

/** A name for a file without one: OpenAI refuses data without a file name. */
export function fileNameFor(mediaType: string): string {
  const subtype = getSubtype(mediaType);
  const ending = findEnding(mediaType) ?? (/^[a-z0-9]{1,5}$/.test(subtype) ? subtype : undefined);
  return `document.${ending ?? (isTextual(mediaType) ? 'txt' : 'bin')}`;
}

/** The content of an `input_audio`: base64 data, or a URL, which Alibaba's models also take, a `data:` URL included. */
export function parseInputAudio(
  data: string,
  format?: string,
): { readonly mediaType: string; readonly source: MediaSource } {
  const inline = parseDataUrl(data);
  const told = format ? findFormatType(format) : sniffAudioType(data);
  return {
    mediaType: inline?.mediaType || told,
    source: /^https?:/i.test(data)
      ? { kind: 'url', url: data }
      : { kind: 'base64', data: inline?.data ?? data },
  };
}

/** The type of a format. Some callers write the type itself, or the ending of the file with its dot. */
function findFormatType(format: string): string {
  if (format.includes('/')) return format;
  return `audio/${format.startsWith('.') ? format.slice(1) : format}`;
}

/** The type of sound by its beginning. That of a WAV is also that of other files. */
function sniffAudioType(data: string): string {
  const type = sniffMediaType(data);
  return type?.startsWith('audio/') ? type : 'audio/wav';
}

/** OpenAI's word for an audio type: `mp3` or `wav`. Any other type gives its own subtype, for the vendor to judge. */
export function renderAudioFormat(mediaType?: string): string {
  const subtype = getSubtype(normalizeType(mediaType) ?? '');
  return subtype === 'mpeg' ? 'mp3' : subtype || 'wav';
}

function getSubtype(mediaType: string): string {
  return mediaType.split(';', 1).join('').split('/')[1] ?? '';
}
