/** `data:` URLs (RFC 2397), which hold a medium in its own address. */

import { invalid } from '../lib/errors.ts';
import { flat } from '../lib/flat-text.ts';
import { percentDecoded } from '../lib/percent-decoded.ts';
import { base64OfText } from '../lib/utf8.ts';
import { findTypeByName, sniffMediaType } from './media-types.ts';
import type { MediaPart } from './prompt.ts';

const SCHEME = 'data:';

/**
 * The longest media type with its parameters, in UTF-16 code units. Seven million parameters cost a second and 370 MB.
 */
const MAX_HEAD = 1024;

/**
 * The media type of a `data:` URL, and its data in base64; undefined for any other URL. The type is '' if a base64 URL
 * names none.
 * @throws GatewayError `invalid-request` if more than MAX_HEAD characters stand before the data.
 */
export function parseDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  // Schemes are written in any case of letters (RFC 3986, 3.1).
  if (url.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const maxHead = SCHEME.length + MAX_HEAD;
  const comma = url.slice(0, maxHead + 1).indexOf(',');
  if (comma < 0) {
    if (url.length <= maxHead) return undefined;
    throw invalid(`A data URL has at most ${MAX_HEAD} characters before its data.`);
  }
  const [mediaType = '', ...parameters] = url.slice(SCHEME.length, comma).split(';');
  const data = flat(url.slice(comma + 1));
  if (parameters.at(-1)?.trim().toLowerCase() === 'base64') return { mediaType, data };
  return {
    mediaType: mediaType || 'text/plain',
    data: base64OfText(percentDecoded(data)),
  };
}

/** Where a medium is found, and its media type if the place says it. */
export type LocatedMedia = Pick<MediaPart, 'source' | 'mediaType'>;

/**
 * The place that a URL names: for a `data:` URL, what it holds.
 * @param place what is expected there, and @param name the name of the file, if the URL names no type.
 * @throws as `parseDataUrl` does.
 */
export function locateMedia(url: string, place: MediaPart['media'], name?: string): LocatedMedia {
  const inline = parseDataUrl(url);
  if (inline === undefined) return { source: { kind: 'url', url } };
  const mediaType = findInlineType(inline, place, name);
  return { source: { kind: 'base64', data: inline.data }, ...(mediaType !== undefined && { mediaType }) };
}

/**
 * The media type of what a `data:` URL holds. Programs leave it out for anything whose type they do not know, so the data
 * and the name of the file come before RFC 2397, which calls all of it plain text (section 2).
 * @returns undefined for an image, a sound or a video of an unknown type.
 */
export function findInlineType(
  { mediaType, data }: NonNullable<ReturnType<typeof parseDataUrl>>,
  place: MediaPart['media'],
  name?: string,
): string | undefined {
  const found = mediaType || sniffMediaType(data);
  return found ?? (place === 'document' ? (findTypeByName(name) ?? 'text/plain') : undefined);
}
