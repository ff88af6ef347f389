/** Images and documents as blocks of a request. */

import { findRoundTrip } from '../../../conversation/format-specific.ts';
import { findDataType, isTextual, normalizeType, sniffMediaType } from '../../../conversation/media-types.ts';
import type { MediaPart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { compact, type JsonObject } from '../../../lib/json.ts';
import { textOfBase64 } from '../../../lib/utf8.ts';
import { type FileSource, getStoredId } from '../../foreign-file.ts';
import type { Report } from '../../format.ts';
import { renderCacheControl } from '../wire/cache-control.ts';

/** Image types that the API accepts (vision guide). */
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * Renders an image or a document as a block.
 * @param formatFields the part's fields that are specific to this format.
 * @throws GatewayError `invalid-request` for media that Anthropic has no block for: audio, video, other types of images
 *   or documents, and files in another vendor's store.
 */
export function renderMedia(part: MediaPart, formatFields: JsonObject, report: Report): JsonObject {
  if (part.media !== 'image' && part.media !== 'document') {
    throw invalid(`This model does not accept ${part.media} input.`, 'turns');
  }
  if (part.detail !== undefined) {
    report('turns[].detail', 'dropped', 'has no counterpart in messages');
  }
  return {
    ...part.unknownFields,
    ...formatFields,
    ...compact({ context: findRoundTrip(part.formatSpecific, 'messages')['context'] }),
    type: part.media,
    source: part.media === 'image' ? imageSource(part) : documentSource(part),
    ...(part.media === 'document' && renderTitle(part.name, report)),
    ...renderCacheControl(part.cacheBreakpoint),
  };
}

/** The API refuses a title that is empty or longer than this. */
const MAX_TITLE = 500;

function renderTitle(name: string | undefined, report: Report): JsonObject {
  if (!name) return {};
  if (name.length > MAX_TITLE)
    report('turns[].filename', 'approximated', `its first ${MAX_TITLE} characters`);
  return { title: name.slice(0, MAX_TITLE) };
}

function imageSource(part: MediaPart): JsonObject {
  const { source } = part;
  if (source.kind === 'url') return urlSource(source.url);
  if (source.kind === 'file') return fileSource(source);
  // The vendor also inspects the data, and refuses an image whose type is not the one that is stated. OpenAI does not.
  const mediaType =
    source.kind === 'base64' ? (sniffMediaType(source.data) ?? normalizeType(part.mediaType) ?? '') : '';
  if (source.kind !== 'base64' || !IMAGE_TYPES.includes(mediaType)) {
    throw invalid('This model only accepts images of type JPEG, PNG, GIF and WebP.', 'turns');
  }
  return { type: 'base64', media_type: mediaType, data: source.data };
}

function documentSource(part: MediaPart): JsonObject {
  const { source } = part;
  switch (source.kind) {
    case 'url':
      return urlSource(source.url);
    case 'file':
      return fileSource(source);
    case 'text':
      return textSource(source.text);
    case 'base64': {
      const mediaType = findDataType(source.data, part.mediaType, part.name);
      if (mediaType === 'application/pdf')
        return { type: 'base64', media_type: mediaType, data: source.data };
      if (mediaType !== undefined && isTextual(mediaType)) {
        return textSource(textOfBase64(source.data));
      }
      throw invalid('This model only accepts PDF and plain text documents.', 'turns');
    }
  }
}

function textSource(text: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}

function urlSource(url: string): JsonObject {
  if (!/^https?:\/\//i.test(url)) {
    throw invalid('Media must come as http(s) URLs or as base64 data.', 'turns');
  }
  return { type: 'url', url };
}

function fileSource(source: FileSource): JsonObject {
  return { type: 'file', file_id: getStoredId(source, ['messages']) };
}
