/** Images, audio, video and documents of a request: `inlineData`, and `fileData` with a URI. */

import { findInlineType, parseDataUrl } from '../../../conversation/data-url.ts';
import { findMediaKind, findTypeByUrl } from '../../../conversation/media-types.ts';
import type { MediaPart, MediaSource } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asText, compact, type Json, type JsonObject } from '../../../lib/json.ts';
import { sortFields } from './sort-fields.ts';

const INLINE_FIELDS: ReadonlySet<string> = new Set(['mimeType', 'data', 'displayName']);
const FILE_FIELDS: ReadonlySet<string> = new Set(['mimeType', 'fileUri', 'displayName']);

/** `inlineData` as a part. @param param where it stands. @throws GatewayError `invalid-request` if it has no data. */
export function parseInline(value: JsonObject, param: string): MediaPart {
  const { known } = sortFields(value, INLINE_FIELDS);
  return makeMedia(known, { kind: 'base64', data: asBase64(requireText(known['data'], `${param}.data`)) });
}

/**
 * Bytes in base64, as every vendor reads it. Protobuf also reads base64url, with or without padding (proto3 JSON
 * mapping), and Google's SDK for Python writes that.
 */
function asBase64(data: string): string {
  const standard = data.replaceAll('-', '+').replaceAll('_', '/');
  return /\s/.test(standard) ? standard : standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
}

/**
 * `fileData` as a part. A file in one of Google's own stores becomes a file id, since no other vendor can fetch it, and
 * a `data:` URL becomes what it holds.
 * @param param where it stands.
 * @throws GatewayError `invalid-request` if it has no URI, and what `parseDataUrl` throws.
 */
export function parseFile(value: JsonObject, param: string): MediaPart {
  const { known } = sortFields(value, FILE_FIELDS);
  const uri = requireText(known['fileUri'], `${param}.fileUri`);
  const inline = parseDataUrl(uri);
  if (inline !== undefined) {
    const mimeType = known['mimeType'] ?? findInlineType(inline, 'document', asText(known['displayName']));
    return makeMedia({ ...known, ...compact({ mimeType }) }, { kind: 'base64', data: inline.data });
  }
  const source: MediaSource = isInGooglesStore(uri)
    ? { kind: 'file', id: uri, format: 'generate-content' }
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
    /^gs:\/\//i.test(uri) ||
    /^https:\/\/generativelanguage\.googleapis\.com\//i.test(uri) ||
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

/** Links may have no media type. Then their ending gives the kind, and those to YouTube are videos. */
function findKind(mediaType: string | undefined, source: MediaSource): MediaPart['media'] {
  const byName = source.kind === 'url' ? findTypeByUrl(source.url) : undefined;
  const kind = findMediaKind(mediaType ?? byName);
  if (kind !== 'document' || source.kind !== 'url') return kind;
  return /^https:\/\/(?:www\.)?youtu(?:be\.com|\.be)\//i.test(source.url) ? 'video' : kind;
}
