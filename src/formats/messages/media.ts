/** Images and documents. */

import { extraOf, fieldsOf, ownOf } from '../../conversation/own.ts';
import type { MediaPart, MediaSource, Part, TextPart } from '../../conversation/prompt.ts';
import { invalid } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { asObject, asObjects, asText, isList } from '../../json.ts';
import type { Report } from '../format.ts';
import { FORMAT, parseMark, renderMark } from './wire.ts';

/** Image types the API takes (vision guide). */
const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** An image block as a part; undefined where its source is of a kind nobody here knows. */
export function parseImage(block: JsonObject): MediaPart | undefined {
  const { type: _, source: given, cache_control, transformations, ...rest } = block;
  const source = parseSource(asObject(given) ?? {});
  if (source === undefined) return undefined;
  const { mark, fields } = parseMark(cache_control);
  return {
    kind: 'media',
    media: 'image',
    ...source,
    ...(mark && { mark }),
    ...ownOf(FORMAT, { ...fields, ...(transformations !== undefined && { transformations }) }),
    ...extraOf(rest),
  };
}

/**
 * A document block as parts: what is said of it is a text before it to everybody else. One made of blocks (`source.type`
 * `content`) is its text and its images to them, and is kept whole for Anthropic.
 */
export function parseDocument(
  block: JsonObject,
  report: Report,
): readonly (TextPart | MediaPart)[] | undefined {
  const { type: _, source: given, title, context, citations, cache_control, ...rest } = block;
  const from = asObject(given) ?? {};
  const { mark, fields } = parseMark(cache_control);
  if (from['type'] === 'content') {
    const head = [title, context].filter((line) => typeof line === 'string').join('\n');
    return [asTextPart(block, head, from['content'], report), ...imagesIn(from['content'])];
  }
  const source = parseSource(from);
  if (source === undefined) return undefined;
  const name = asText(title);
  const about = asText(context) ?? '';
  if (about !== '') report('document block', 'approximated', 'its context as text before it');
  return [
    ...(about === '' ? [] : [{ kind: 'text', text: about, ...IN_BLOCK } as const]),
    {
      kind: 'media',
      media: 'document',
      ...source,
      ...(name !== undefined && { name }),
      ...(mark && { mark }),
      ...ownOf(FORMAT, {
        ...fields,
        ...(context !== undefined && { context }),
        ...(citations !== undefined && { citations }),
        ...(name === undefined && title !== undefined && { title }),
      }),
      ...extraOf(rest),
    },
  ];
}

function imagesIn(content: JsonObject[string] | undefined): readonly MediaPart[] {
  return asObjects(content).flatMap((inner) => {
    const image = inner['type'] === 'image' ? parseImage(inner) : undefined;
    return image ? [{ ...image, ...IN_BLOCK }] : [];
  });
}

/** A search result: text with its title and source to everybody else, and kept whole for Anthropic. */
export function parseSearchResult(block: JsonObject, report: Report): TextPart {
  const head = [block['title'], block['source']].filter((line) => typeof line === 'string').join('\n');
  return asTextPart(block, head, block['content'], report);
}

/** A tool that a search has found. Elsewhere all tools are offered from the start, so that to name it is enough. */
export function parseToolReference(block: JsonObject, report: Report): TextPart {
  return asTextPart(block, `Found: ${asText(block['tool_name']) ?? 'a tool'}`, undefined, report);
}

/**
 * What stands for all that was said before it: its summary, which others can read, where it has one ("Compaction"
 * guide), and kept whole for Anthropic.
 */
export function parseCompaction(block: JsonObject, report: Report): TextPart | undefined {
  const { content } = block;
  if (!asText(content)?.trim()) return undefined;
  return asTextPart(block, 'Summary of the conversation so far:', content, report);
}

/** A file for the container that Anthropic runs code in: one in its store, and kept whole for it. */
export function parseUpload(block: JsonObject): MediaPart {
  const id = asText(block['file_id']) ?? '';
  return {
    kind: 'media',
    media: 'document',
    source: { kind: 'file', id, format: FORMAT },
    ...ownOf(FORMAT, { whole_block: block }),
  };
}

/** The block that a part was made of which is kept whole. */
export function wholeBlock(part: Part): JsonObject | undefined {
  return asObject(fieldsOf(part.own, FORMAT)['whole_block']);
}

/** Marks a part of which all stands in the block that the part beside it is rendered as. */
const IN_BLOCK = ownOf(FORMAT, { in_block: true });

export function isInBlock(part: Part): boolean {
  return fieldsOf(part.own, FORMAT)['in_block'] === true;
}

function asTextPart(
  block: JsonObject,
  head: JsonObject[string],
  content: JsonObject[string] | undefined,
  report: Report,
): TextPart {
  const texts = isList(content)
    ? asObjects(content).map((inner) => asText(inner['text']))
    : [asText(content)];
  const text = [asText(head), ...texts].filter((line) => line !== undefined && line !== '').join('\n');
  report(`${asText(block['type'])} block`, 'approximated', 'as plain text, with its title');
  return { kind: 'text', text, ...ownOf(FORMAT, { whole_block: block }) };
}

function parseSource(source: JsonObject): { source: MediaSource; mediaType?: string } | undefined {
  const mediaType = asText(source['media_type']);
  const typed = mediaType !== undefined && { mediaType };
  switch (source['type']) {
    case 'base64':
      return { source: { kind: 'base64', data: asText(source['data']) ?? '' }, ...typed };
    case 'text':
      return { source: { kind: 'text', text: asText(source['data']) ?? '' }, ...typed };
    case 'url':
      return { source: { kind: 'url', url: asText(source['url']) ?? '' }, ...typed };
    case 'file':
      return { source: { kind: 'file', id: asText(source['file_id']) ?? '', format: FORMAT }, ...typed };
    default:
      return undefined;
  }
}

/**
 * The block for an image or a document.
 * @param own what the part holds for this format.
 * @throws GatewayError `invalid-request` for what Anthropic has no block for: sound, films, other types of image or
 *   document, files in another vendor's store.
 */
export function renderMedia(part: MediaPart, own: JsonObject, report: Report): JsonObject {
  if (part.media !== 'image' && part.media !== 'document') {
    throw invalid(`This model takes no ${part.media} input.`, 'messages');
  }
  if (part.detail !== undefined) {
    report('detail', 'dropped', 'has no counterpart in messages');
  }
  const { name } = part;
  return {
    ...part.extra,
    ...own,
    type: part.media,
    source: part.media === 'image' ? imageSource(part) : documentSource(part),
    ...(part.media === 'document' && name !== undefined && { title: name }),
    ...renderMark(part.mark),
  };
}

function imageSource(part: MediaPart): JsonObject {
  const { source } = part;
  if (source.kind === 'url') return urlSource(source.url);
  if (source.kind === 'file') return fileSource(source.id, source.format);
  // The vendor looks at the data, too, and refuses an image that is not what it is said to be; OpenAI does not.
  const mediaType = source.kind === 'base64' ? (sniff(source.data) ?? usualType(part.mediaType) ?? '') : '';
  if (source.kind !== 'base64' || !IMAGES.includes(mediaType)) {
    throw invalid('This model takes images of type jpeg, png, gif and webp only.', 'messages');
  }
  return { type: 'base64', media_type: mediaType, data: source.data };
}

function documentSource(part: MediaPart): JsonObject {
  const { source } = part;
  switch (source.kind) {
    case 'url':
      return urlSource(source.url);
    case 'file':
      return fileSource(source.id, source.format);
    case 'text':
      return textSource(source.text);
    case 'base64': {
      const mediaType = usualType(part.mediaType) ?? sniff(source.data);
      if (mediaType === 'application/pdf')
        return { type: 'base64', media_type: mediaType, data: source.data };
      if (mediaType?.startsWith('text/') || mediaType === 'application/json') {
        return textSource(Buffer.from(source.data, 'base64').toString('utf8'));
      }
      throw invalid('This model takes PDF and plain text documents only.', 'messages');
    }
  }
}

function textSource(text: string): JsonObject {
  return { type: 'text', media_type: 'text/plain', data: text };
}

function urlSource(url: string): JsonObject {
  if (!/^https?:\/\//i.test(url)) {
    throw invalid('Media must come as http(s) URLs or as base64 data.', 'messages');
  }
  return { type: 'url', url };
}

function fileSource(id: string, format: string): JsonObject {
  if (format !== FORMAT) {
    throw invalid(
      "A file id of another vendor's store means nothing to this model; send the data.",
      'messages',
    );
  }
  return { type: 'file', file_id: id };
}

/** A MIME type without parameters, in lower case, and by its registered name. */
function usualType(mediaType: string | undefined): string | undefined {
  const type = mediaType?.split(';')[0]?.trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type || undefined;
}

/** First letters of the base64 of well-known file heads. */
const HEADS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
];

function sniff(base64: string): string | undefined {
  return HEADS.find(([head]) => base64.startsWith(head))?.[1];
}
