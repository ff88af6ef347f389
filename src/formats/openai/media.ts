/** Files, images and sound as both of OpenAI's formats write them. */

import { parseDataUrl } from '../../conversation/data-url.ts';
import type { MediaSource } from '../../conversation/prompt.ts';

/** The formats whose ids of files OpenAI's one file store knows. */
export const FILE_STORES: readonly string[] = ['chat-completions', 'responses'];

/** Data in base64 as a `data:` URL. */
export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['plain', 'txt'],
  ['markdown', 'md'],
]);

/** A name for a file that has none: OpenAI refuses data without one. */
export function fileNameFor(mediaType: string): string {
  const subtype = subtypeOf(mediaType);
  const ending = ENDINGS.get(subtype) ?? (/^[a-z0-9]{1,5}$/.test(subtype) ? subtype : 'bin');
  return `document.${ending}`;
}

/** What `input_audio` holds: data, or a URL of it, a `data:` one too, as Alibaba's models take it. */
export function audioIn(
  data: string,
  format = 'wav',
): { readonly mediaType: string; readonly source: MediaSource } {
  const inline = parseDataUrl(data);
  return {
    mediaType: inline?.mediaType || `audio/${format}`,
    source: /^https?:/.test(data)
      ? { kind: 'url', url: data }
      : { kind: 'base64', data: inline?.data ?? data },
  };
}

/** OpenAI's word for an audio type: `mp3` or `wav`; any other type's own subtype, for the vendor to judge. */
export function audioFormat(mediaType = 'audio/wav'): string {
  const subtype = subtypeOf(mediaType);
  if (subtype === 'mpeg') return 'mp3';
  return subtype === 'x-wav' || subtype === 'wave' || subtype === '' ? 'wav' : subtype;
}

/** What stands behind the slash, without parameters. */
function subtypeOf(mediaType: string): string {
  return mediaType.split(';', 1).join('').split('/')[1] ?? '';
}
