/** MIME types: the kind of medium that a type stands for, and the type that a name or data suggests. */

import { wordList } from '../lib/words.ts';
import type { MediaPart } from './prompt.ts';

/**
 * The kind of medium for a MIME type, in any case of letters (RFC 9110, 8.3.1). A document is whatever is not an image,
 * audio or video.
 */
export function findMediaKind(mediaType?: string): MediaPart['media'] {
  const type = normalizeType(mediaType) ?? '';
  const family = type.slice(0, type.indexOf('/'));
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** The kind of a medium in the field for `place`: its MIME type decides, or the field if the type is too general. */
export function findMediaKindIn(
  place: MediaPart['media'],
  mediaType: string | undefined,
): MediaPart['media'] {
  const type = normalizeType(mediaType) ?? '';
  const told = findMediaKind(type);
  return told !== 'document' || type === 'application/pdf' || type.startsWith('text/') ? told : place;
}

/** The names that vendors know, by others for the same types. RFC 2361 calls a WAV `audio/vnd.wave`. */
const USUAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['audio/vnd.wave', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
  // Lists of MIME types have these for `.ogg` and `.mp4`, from before RFC 5334 and besides RFC 4337.
  ['application/ogg', 'audio/ogg'],
  ['application/mp4', 'video/mp4'],
  ['audio/mpeg3', 'audio/mp3'],
  ['audio/x-mp3', 'audio/mp3'],
  ['audio/x-flac', 'audio/flac'],
  ['audio/x-m4a', 'audio/m4a'],
]);

/** A MIME type without parameters, in lower case, by its usual name; undefined if it says nothing. */
export function normalizeType(mediaType: string | undefined): string | undefined {
  const type = mediaType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/octet-stream') return undefined;
  return type && (USUAL_NAMES.get(type) ?? type);
}

/** Texts whose MIME types do not begin with `text/`: data and code. */
const TEXTS =
  /^application\/(?:[\w.-]+[+-])?(?:json|jsonl|ndjson|xml|yaml|toml|javascript|typescript|python|sh|sql)$/;

/** Whether a document of this MIME type is a text. */
export function isTextual(mediaType: string): boolean {
  return mediaType.startsWith('text/') || TEXTS.test(mediaType);
}

/** MIME types by the ending of a file's name. */
const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['pdf', 'application/pdf'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['doc', 'application/msword'],
  ['xls', 'application/vnd.ms-excel'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['rtf', 'application/rtf'],
  ['html', 'text/html'],
  ['md', 'text/markdown'],
  ['json', 'application/json'],
  ['xml', 'text/xml'],
  ...wordList('txt log yaml yml toml ini sql sh py js ts tsx jsx css java go').map(
    (ending) => [ending, 'text/plain'] as const,
  ),
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
  ['m4a', 'audio/m4a'],
  ['aac', 'audio/aac'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/mov'],
  ['webm', 'video/webm'],
]);

/** The MIME type by the ending of a file name or path; undefined if the ending is not a usual one. */
export function findTypeByName(name = ''): string | undefined {
  return BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}

/** The MIME type by the ending of a URL's path; undefined if it does not say. */
export function findTypeByUrl(url: string): string | undefined {
  return findTypeByName(url.replace(/[?#].*$/s, ''));
}

/** The ending of a file's name for a MIME type; undefined for a type that is not a usual one. */
export function findEnding(mediaType: string): string | undefined {
  const type = normalizeType(mediaType);
  for (const [ending, known] of BY_ENDING) if (known === type) return ending;
  return undefined;
}

/** The MIME type of base64 data: as it is called, by its beginning, or by the name of its file; undefined if none says. */
export function findDataType(data: string, mediaType: string | undefined, name?: string): string | undefined {
  return normalizeType(mediaType) ?? sniffMediaType(data) ?? findTypeByName(name);
}

/** The first letters of the base64 of well-known file formats. */
const HEADS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['_9j_', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
  ['SUQz', 'audio/mp3'],
  // A frame of MPEG 1 or 2, layer III (ISO 11172-3 and 13818-3), where no ID3 tag stands before it.
  ...['M', 'N', 'O', 'P', 's', 't', 'u', 'v'].map((third) => [`//${third}`, 'audio/mp3'] as const),
];

/** The MIME type of base64 data by its beginning; undefined if that is not a well-known one. */
export function sniffMediaType(base64: string): string | undefined {
  return HEADS.find(([head]) => base64.startsWith(head))?.[1];
}
