/** Images, audio, video and documents of a request: `inlineData`, and `fileData` with a URI. */

import { findMediaKind } from '../../../conversation/media-types.ts';
import type { MediaPart, MediaSource } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asText } from '../../../lib/json.ts';
import { FORMAT } from '../wire/format-name.ts';
import { sortFields } from './sort-fields.ts';

/** `inlineData` as a part. @param param where it stands. @throws GatewayError `invalid-request` if it has no data. */
export function parseInline(value: JsonObject, param: string): MediaPart {
  const { known } = sortFields(value, ['mimeType', 'data', 'displayName']);
  return makeMedia(known, { kind: 'base64', data: requireText(known['data'], `${param}.data`) });
}

/**
 * `fileData` as a part. A file in one of Google's own stores becomes a file id, since no other vendor can fetch it.
 * @param param where it stands.
 * @throws GatewayError `invalid-request` if it has no URI.
 */
export function parseFile(value: JsonObject, param: string): MediaPart {
  const { known } = sortFields(value, ['mimeType', 'fileUri', 'displayName']);
  const uri = requireText(known['fileUri'], `${param}.fileUri`);
  const source: MediaSource = isInGooglesStore(uri)
    ? { kind: 'file', id: uri, format: FORMAT }
    : { kind: 'url', url: uri };
  return makeMedia(known, source);
}

/** @throws GatewayError `invalid-request` if the value is not a text, or an empty one. */
function requireText(value: Json | undefined, param: string): string {
  const text = asText(value);
  if (text) return text;
  throw invalid(`${param}: a value is required.`, param);
}

function isInGooglesStore(uri: string): boolean {
  return (
    uri.startsWith('gs://') ||
    /^https:\/\/generativelanguage\.googleapis\.com\//.test(uri) ||
    !uri.includes(':')
  );
}

function makeMedia(known: JsonObject, source: MediaSource): MediaPart {
  const mediaType = asText(known['mimeType']);
  const name = asText(known['displayName']);
  return {
    kind: 'media',
    media: findKind(mediaType, source),
    source,
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { name }),
  };
}

/** Links to YouTube have no media type, and are videos. */
function findKind(mediaType: string | undefined, source: MediaSource): MediaPart['media'] {
  const kind = findMediaKind(mediaType);
  if (kind !== 'document' || source.kind !== 'url') return kind;
  return /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//.test(source.url) ? 'video' : kind;
}
