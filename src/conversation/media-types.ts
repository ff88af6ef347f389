/** MIME types of media: the kind of medium that one tells, and the one that data tells by itself. */

import type { MediaPart } from './prompt.ts';

/** What a medium of this MIME type is to a model. */
export function mediaOf(mediaType = ''): MediaPart['media'] {
  const family = mediaType.slice(0, mediaType.indexOf('/'));
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** First letters of the base64 of well-known file heads. */
const HEADS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['_9j_', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
  ['SUQz', 'audio/mp3'],
];

/** The MIME type of data in base64 by how it begins; undefined where that is not well known. */
export function sniffedType(base64: string): string | undefined {
  return HEADS.find(([head]) => base64.startsWith(head))?.[1];
}
