/** Images, audio, video and documents as `inlineData`, and as `fileData` with a URI. */

import { parseDataUrl } from '../../../conversation/data-url.ts';
import {
  findDataType,
  findTypeByName,
  findTypeByUrl,
  isTextual,
  normalizeType,
  sniffMediaType,
} from '../../../conversation/media-types.ts';
import type { MediaPart } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { base64OfText } from '../../../lib/utf8.ts';
import { getStoredId } from '../../foreign-file.ts';
import type { ModelTraits } from '../../format.ts';
import { findDialect } from '../dialects.ts';
import { findLevel } from '../wire/media-resolution.ts';
import { isGemini3 } from './model-generation.ts';

/**
 * `{ mediaResolution }` for an image; empty if the model decides, and for models before 3, whose parts have no such
 * field.
 */
export function renderResolution({ media: kind, detail }: MediaPart, target: ModelTraits): JsonObject {
  const takesIt = isGemini3(target) || findDialect(target).alwaysTakesResolution;
  const level = kind === 'image' && takesIt ? findLevel(detail) : undefined;
  return level === undefined ? {} : { mediaResolution: { level } };
}

/**
 * `inlineData` or `fileData` for a medium. Its name is left out: `displayName` is Vertex AI's, and the Gemini API,
 * whose `Blob` and `FileData` have none (googleapis, generativelanguage/v1beta/content.proto), refuses the request for
 * it.
 * @throws GatewayError `invalid-request` for a file in another vendor's store.
 */
export function renderMedia(part: MediaPart, target: ModelTraits): JsonObject {
  const { source } = part;
  switch (source.kind) {
    case 'base64':
      return { inlineData: renderBlob(source.data, part.mediaType, part) };
    case 'text': {
      const data = base64OfText(source.text);
      return { inlineData: { mimeType: part.mediaType ?? 'text/plain', data } };
    }
    case 'file':
      return renderFile(getStoredId(source, ['generate-content']), part.mediaType);
    case 'url':
      return renderLink(source.url, part, target);
  }
}

/**
 * A medium by its URL. The Gemini API finds out the media type by itself. Vertex AI needs it ("it has an empty mimeType
 * parameter in fileData", pollinations/pollinations#5413), and gets the usual one of its kind if nothing says more.
 */
function renderLink(url: string, part: MediaPart, target: ModelTraits): JsonObject {
  const inline = parseDataUrl(url);
  if (inline === undefined) {
    const type = normalizeType(part.mediaType) ?? findTypeByUrl(url) ?? findTypeByName(part.name);
    return renderFile(url, type ?? (findDialect(target).needsMediaType ? USUAL[part.media] : undefined));
  }
  return { inlineData: renderBlob(inline.data, inline.mediaType, part) };
}

function renderFile(fileUri: string, mimeType: string | undefined): JsonObject {
  return { fileData: { ...(mimeType !== undefined && { mimeType }), fileUri } };
}

/**
 * Data with its media type. Gemini refuses data without a type, or with one of another kind; then the type is read off
 * the data, or is the usual one of the kind. Gemini takes texts only with a type that says `text`, and not with that of
 * data or code ("Unable to submit request because it has a mimeType parameter with value application/json, which is not
 * supported", agno-agi/agno#3964).
 */
function renderBlob(
  data: string,
  mediaType: string | undefined,
  { media: kind, name }: Pick<MediaPart, 'media' | 'name'>,
): JsonObject {
  const type = findDataType(data, mediaType, name);
  if (kind === 'document' && type?.startsWith('application/') && isTextual(type)) {
    return { mimeType: 'text/plain', data };
  }
  const fits = type !== undefined && (kind === 'document' || type.startsWith(kind));
  return { mimeType: fits ? type : sniffType(data, kind), data };
}

const USUAL = {
  image: 'image/jpeg',
  audio: 'audio/wav',
  video: 'video/mp4',
  document: 'application/pdf',
} as const;

function sniffType(base64: string, kind: MediaPart['media']): string {
  const type = sniffMediaType(base64);
  return type !== undefined && (kind === 'document' || type.startsWith(kind)) ? type : USUAL[kind];
}
