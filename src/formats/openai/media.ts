/** Files, images and audio, as both of OpenAI's formats write them. */

import { parseDataUrl } from '../../conversation/data-url.ts';
import { findEnding, isTextual, sniffMediaType } from '../../conversation/media-types.ts';
import type { MediaSource } from '../../conversation/prompt.ts';
import { flat } from '../../lib/flat-text.ts';

/** The formats that share OpenAI's file store, and so its file ids. */
export const FILE_STORES: readonly string[] = ['chat-completions', 'responses'];

/** A `data:` URL of base64 data. */
export function dataUrl(mediaType: string, data: string): string {
  return flat(`data:${mediaType};base64,${data}`);
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
  const told = format === undefined ? sniffAudioType(data) : parseAudioFormat(format);
  return {
    mediaType: inline?.mediaType || told,
    source: /^https?:/i.test(data)
      ? { kind: 'url', url: data }
      : { kind: 'base64', data: inline?.data ?? data },
  };
}

/** The type of sound by its beginning. That of a WAV is also that of other files. */
function sniffAudioType(data: string): string {
  const type = sniffMediaType(data);
  return type?.startsWith('audio/') ? type : 'audio/wav';
}

/** The media type that a format's word stands for. Some clients write the media type itself. */
function parseAudioFormat(format: string): string {
  const word = format.toLowerCase();
  return word.includes('/') ? word : `audio/${word}`;
}

/**
 * OpenAI's word for an audio type: `mp3` or `wav`. Any other type gives its own subtype, for the vendor to judge; browsers
 * put an `x-` before some.
 */
export function renderAudioFormat(mediaType = 'audio/wav'): string {
  const subtype = getSubtype(mediaType).replace(/^x-/, '');
  if (subtype === 'mpeg') return 'mp3';
  return subtype === 'wave' || subtype === '' ? 'wav' : subtype;
}

function getSubtype(mediaType: string): string {
  return mediaType.split(';', 1).join('').split('/')[1] ?? '';
}
