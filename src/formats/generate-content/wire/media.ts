/** Images, sound, films and documents: `inlineData`, and `fileData` with a URI. */

import { parseDataUrl } from '../../../conversation/data-url.ts';
import { isTextual, mediaOf, sniffedType, typeByName, usualType } from '../../../conversation/media-types.ts';
import type { MediaPart, MediaSource } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asText, isEmpty } from '../../../lib/json.ts';
import { base64OfText } from '../../../lib/utf8.ts';
import { storedId } from '../../foreign-file.ts';
import type { ModelTraits } from '../../format.ts';
import { isGemini3 } from './model-generation.ts';
import { isAtVertex } from './vertex.ts';
import { FORMAT, sortFields } from './wire.ts';

/** `inlineData` as a part. @param param where it stands. @throws GatewayError `invalid-request` where it has no data. */
export function parseInline(value: JsonObject, param: string): MediaPart {
  const { known } = sortFields(value, ['mimeType', 'data', 'displayName']);
  return media(known, { kind: 'base64', data: filled(known['data'], `${param}.data`) });
}

/**
 * `fileData` as a part. What lies in Google's own stores is a file id: nobody else can fetch it.
 * @throws GatewayError `invalid-request` where it has no address.
 */
export function parseFile(value: JsonObject, param: string): MediaPart {
  const { known } = sortFields(value, ['mimeType', 'fileUri', 'displayName']);
  const uri = filled(known['fileUri'], `${param}.fileUri`);
  const source: MediaSource = isGooglesOwn(uri)
    ? { kind: 'file', id: uri, format: FORMAT }
    : { kind: 'url', url: uri };
  return media(known, source);
}

/** How closely to look at an image, as OpenAI says it, and by `mediaResolution` of a part ("Media resolution"). */
const RESOLUTIONS: readonly (readonly [detail: string, level: string])[] = [
  ['low', 'MEDIA_RESOLUTION_LOW'],
  ['high', 'MEDIA_RESOLUTION_HIGH'],
  ['original', 'MEDIA_RESOLUTION_ULTRA_HIGH'],
];

/** The detail of an image by its part's `mediaResolution`; undefined where nothing else says the same. */
export function detailOf(resolution: Json | undefined): string | undefined {
  const { level, ...rest } = asObject(resolution) ?? {};
  return isEmpty(rest) ? RESOLUTIONS.find(([, name]) => name === level)?.[0] : undefined;
}

/** `{ mediaResolution }` of an image; nothing where Gemini looks as it likes, and of models before 3, which take none for a part. */
export function resolutionOf({ media: kind, detail }: MediaPart, target: ModelTraits): JsonObject {
  if (kind !== 'image' || !(isGemini3(target) || target.dialect === '')) return {};
  const level = RESOLUTIONS.find(([name]) => name === detail)?.[1];
  return level === undefined ? {} : { mediaResolution: { level } };
}

/** @throws GatewayError `invalid-request` for no text, or an empty one. */
function filled(value: Json | undefined, param: string): string {
  const text = asText(value);
  if (text) return text;
  throw invalid(`${param}: a value is required.`, param);
}

function isGooglesOwn(uri: string): boolean {
  return (
    uri.startsWith('gs://') ||
    /^https:\/\/generativelanguage\.googleapis\.com\//.test(uri) ||
    !uri.includes(':')
  );
}

function media(known: JsonObject, source: MediaSource): MediaPart {
  const mediaType = asText(known['mimeType']);
  const name = asText(known['displayName']);
  return {
    kind: 'media',
    media: mediaKind(mediaType, source),
    source,
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { name }),
  };
}

function mediaKind(mediaType: string | undefined, source: MediaSource): MediaPart['media'] {
  const kind = mediaOf(mediaType);
  if (kind !== 'document' || source.kind !== 'url') return kind;
  return /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//.test(source.url) ? 'video' : kind;
}

/**
 * The data field for a medium. Its name has no place: `displayName` is Vertex AI's, and the Gemini API, whose `Blob` and
 * `FileData` have none (googleapis, generativelanguage/v1beta/content.proto), refuses the request for it.
 * @throws GatewayError `invalid-request` for a file in another vendor's store.
 */
export function renderMedia(part: MediaPart, target: ModelTraits): JsonObject {
  const { source } = part;
  switch (source.kind) {
    case 'base64':
      return { inlineData: inBase64(source.data, part.mediaType, part) };
    case 'text': {
      const data = base64OfText(source.text);
      return { inlineData: { mimeType: part.mediaType ?? 'text/plain', data } };
    }
    case 'file':
      return fileData(storedId(source, [FORMAT]), part.mediaType);
    case 'url':
      return linked(source.url, part, target);
  }
}

/**
 * The Gemini API looks itself what is at an address; Vertex AI wants to be told ("it has an empty mimeType parameter in
 * fileData", pollinations/pollinations#5413), and is told what most are of the kind, where nothing tells.
 */
function linked(url: string, part: MediaPart, target: ModelTraits): JsonObject {
  const inline = parseDataUrl(url);
  if (inline === undefined) {
    const type = usualType(part.mediaType) ?? typeByPath(url);
    return fileData(url, type ?? (isAtVertex(target) ? USUAL[part.media] : undefined));
  }
  return { inlineData: inBase64(inline.data, inline.mediaType, part) };
}

function fileData(fileUri: string, mimeType: string | undefined): JsonObject {
  return { fileData: { ...(mimeType !== undefined && { mimeType }), fileUri } };
}

/**
 * Gemini refuses data without a type, and by a type of another kind: what the data looks like, else what its kind mostly
 * is. Of texts it takes those whose type says so, and not those of data and code ("Unable to submit request because it has
 * a mimeType parameter with value application/json, which is not supported", agno-agi/agno#3964).
 */
function inBase64(
  data: string,
  mediaType: string | undefined,
  { media: kind, name }: Pick<MediaPart, 'media' | 'name'>,
): JsonObject {
  const type = usualType(mediaType) ?? sniffedType(data) ?? typeByName(name);
  if (kind === 'document' && type?.startsWith('application/') && isTextual(type)) {
    return { mimeType: 'text/plain', data };
  }
  const fits = type !== undefined && (kind === 'document' || type.startsWith(kind));
  return { mimeType: fits ? type : typeOf(data, kind), data };
}

const USUAL = {
  image: 'image/jpeg',
  audio: 'audio/wav',
  video: 'video/mp4',
  document: 'application/pdf',
} as const;

function typeOf(base64: string, kind: MediaPart['media']): string {
  const type = sniffedType(base64);
  return type !== undefined && (kind === 'document' || type.startsWith(kind)) ? type : USUAL[kind];
}

/** What the path of an address tells. */
function typeByPath(url: string): string | undefined {
  return typeByName(url.replace(/[?#].*$/s, ''));
}
