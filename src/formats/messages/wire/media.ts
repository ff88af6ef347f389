/** Images and documents. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import { isTextual, sniffedType, typeByName, usualType } from '../../../conversation/media-types.ts';
import type { MediaPart, MediaSource, TextPart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText } from '../../../lib/json.ts';
import { textOfBase64 } from '../../../lib/utf8.ts';
import { type FileSource, storedId } from '../../foreign-file.ts';
import type { ParseReport, Report } from '../../format.ts';
import { requiredText } from './fields.ts';
import { asTextPart, IN_BLOCK } from './whole-blocks.ts';
import { FORMAT, markAndOwn, renderMark } from './wire.ts';

/** Image types the API takes (vision guide). */
const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/**
 * An image block as a part; undefined where its source is of a kind nobody here knows.
 * @param at where it stands, e.g. `messages.0.content.0`.
 * @throws GatewayError `invalid-request` where the source has nothing in it.
 */
export function parseImage(block: JsonObject, at: string): MediaPart | undefined {
  const { type: _, source: given, cache_control, transformations, ...rest } = block;
  const source = parseSource(asObject(given) ?? {}, `${at}.image.source`);
  if (source === undefined) return undefined;
  return {
    kind: 'media',
    media: 'image',
    ...source,
    ...markAndOwn(cache_control, { transformations }),
    ...unknownFieldsOf(rest),
  };
}

/**
 * A document block as parts: what is said of it is a text before it to everybody else. One made of blocks (`source.type`
 * `content`) is its text and its images to them, and is kept whole for Anthropic.
 * @param at where it stands.
 * @throws GatewayError `invalid-request` where the source has nothing in it.
 */
export function parseDocument(
  block: JsonObject,
  at: string,
  report: ParseReport,
): readonly (TextPart | MediaPart)[] | undefined {
  const { type: _, source: given, title, context, citations, cache_control, ...rest } = block;
  const from = asObject(given) ?? {};
  if (from['type'] === 'content') {
    return [
      asTextPart(block, [title, context], from['content'], report),
      ...imagesIn(from['content'], `${at}.document.source.content`),
    ];
  }
  const source = parseSource(from, `${at}.document.source`);
  if (source === undefined) return undefined;
  const name = asText(title);
  const about = asText(context) ?? '';
  if (about !== '') report('messages[].context', 'approximated', "a document's, as text before it");
  return [
    ...(about === '' ? [] : [{ kind: 'text', text: about, ...IN_BLOCK } as const]),
    {
      kind: 'media',
      media: 'document',
      ...source,
      ...(name !== undefined && { name }),
      ...markAndOwn(cache_control, { context, citations, title: name === undefined ? title : undefined }),
      ...unknownFieldsOf(rest),
    },
  ];
}

function imagesIn(content: Json | undefined, at: string): readonly MediaPart[] {
  return asObjects(content).flatMap((inner, index) => {
    const image = inner['type'] === 'image' ? parseImage(inner, `${at}.${index}`) : undefined;
    return image ? [{ ...image, ...IN_BLOCK }] : [];
  });
}

/** @throws GatewayError `invalid-request` in Anthropic's words, where what it points to, or is, is missing. */
function parseSource(
  source: JsonObject,
  at: string,
): { source: MediaSource; mediaType?: string } | undefined {
  const mediaType = asText(source['media_type']);
  const typed = mediaType !== undefined && { mediaType };
  switch (source['type']) {
    case 'base64':
      return { source: { kind: 'base64', data: filledText(source['data'], `${at}.base64.data`) }, ...typed };
    case 'text':
      return { source: { kind: 'text', text: requiredText(source['data'], `${at}.text.data`) }, ...typed };
    case 'url':
      return { source: { kind: 'url', url: filledText(source['url'], `${at}.url.url`) }, ...typed };
    case 'file':
      return {
        source: { kind: 'file', id: filledText(source['file_id'], `${at}.file.file_id`), format: FORMAT },
        ...typed,
      };
    default:
      return undefined;
  }
}

/** @throws GatewayError `invalid-request` for no text, or an empty one. */
function filledText(value: Json | undefined, at: string): string {
  const text = requiredText(value, at);
  if (text !== '') return text;
  throw invalid(`${at}: String should have at least 1 character`, at);
}

/**
 * The block for an image or a document.
 * @param own what the part holds for this format.
 * @throws GatewayError `invalid-request` for what Anthropic has no block for: sound, films, other types of image or
 *   document, files in another vendor's store.
 */
export function renderMedia(part: MediaPart, own: JsonObject, report: Report): JsonObject {
  if (part.media !== 'image' && part.media !== 'document') {
    throw invalid(`This model does not accept ${part.media} input.`, 'turns');
  }
  if (part.detail !== undefined) {
    report('turns[].detail', 'dropped', 'has no counterpart in messages');
  }
  const { name } = part;
  return {
    ...part.unknownFields,
    ...own,
    type: part.media,
    source: part.media === 'image' ? imageSource(part) : documentSource(part),
    ...(part.media === 'document' && name !== undefined && { title: name }),
    ...renderMark(part.cacheBreakpoint),
  };
}

function imageSource(part: MediaPart): JsonObject {
  const { source } = part;
  if (source.kind === 'url') return urlSource(source.url);
  if (source.kind === 'file') return fileSource(source);
  // The vendor looks at the data, too, and refuses an image that is not what it is said to be; OpenAI does not.
  const mediaType =
    source.kind === 'base64' ? (sniffedType(source.data) ?? usualType(part.mediaType) ?? '') : '';
  if (source.kind !== 'base64' || !IMAGES.includes(mediaType)) {
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
      const mediaType = usualType(part.mediaType) ?? sniffedType(source.data) ?? typeByName(part.name);
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
  return { type: 'file', file_id: storedId(source, [FORMAT]) };
}
