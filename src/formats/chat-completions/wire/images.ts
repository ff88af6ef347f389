/**
 * Images that the model drew, beside the content of its message, as OpenRouter, LiteLLM and Vercel write them: `images`,
 * each like an image in a user's message. OpenAI's own models draw none in this format.
 */

import { locateMedia } from '../../../conversation/data-url.ts';
import { findMediaKind, sniffMediaType } from '../../../conversation/media-types.ts';
import type { MediaPart } from '../../../conversation/prompt.ts';
import { asObject, asText, type JsonObject } from '../../../lib/json.ts';
import { dataUrl } from '../../openai/media.ts';
import { parseExtraContent, renderExtraContent } from './signatures.ts';

/** More characters than any media type and its parameters have. */
const MAX_HEAD = 1000;

/**
 * An entry of `images`; undefined for an image that has no URL.
 * @param index its place among the images of the message, by which clients join what a stream brings.
 */
export function renderImage(image: MediaPart, index: number): JsonObject | undefined {
  const url = imageUrl(image);
  if (url === undefined) return undefined;
  return { index, type: 'image_url', image_url: { url }, ...renderExtraContent(image.signature) };
}

/** The image that a vendor's message has in `images` or in its content; undefined for anything else. */
export function parseImage(entry: JsonObject): MediaPart | undefined {
  const link = entry['image_url'];
  const url = entry['type'] === 'image_url' ? (asText(link) ?? asText(asObject(link)?.['url'])) : undefined;
  if (!url || isBrokenDataUrl(url)) return undefined;
  const located = locateMedia(url, 'image');
  if (located.mediaType && findMediaKind(located.mediaType) !== 'image') return undefined;
  const signature = parseExtraContent(entry['extra_content']);
  return {
    kind: 'media',
    media: 'image',
    ...located,
    ...(signature && { signature }),
  };
}

/** Whether a `data:` URL does not get to its data, which `parseDataUrl` would blame on a caller. */
function isBrokenDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === 'data:' && !url.slice(0, MAX_HEAD).includes(',');
}

function imageUrl({ source, mediaType }: MediaPart): string | undefined {
  if (source.kind === 'url') return source.url;
  if (source.kind !== 'base64') return undefined;
  return dataUrl(mediaType ?? sniffMediaType(source.data) ?? 'image/png', source.data);
}
