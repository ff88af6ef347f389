/** Images and documents of a request as parts. */

import { type LocatedMedia, locateMedia } from '../../../conversation/data-url.ts';
import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { MediaPart, TextPart } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, asObjects, asText, type Json, type JsonObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { WITHIN_KEPT_BLOCK } from '../wire/kept-blocks.ts';
import { parseBlockFields } from './block-fields.ts';
import { keepAsText } from './parse-kept-blocks.ts';
import { parseRequiredText } from './required-fields.ts';

/**
 * Parses an image block.
 * @param at path of the block, such as `messages.0.content.0`.
 * @returns undefined if the gateway does not know the type of the block's source.
 * @throws GatewayError `invalid-request` if the source is empty.
 */
export function parseImage(block: JsonObject, at: string): MediaPart | undefined {
  const { type: _, source: given, cache_control, transformations, ...rest } = block;
  const source = parseSource(asObject(given) ?? {}, 'image', `${at}.image.source`);
  if (source === undefined) return undefined;
  return {
    kind: 'media',
    media: 'image',
    ...source,
    ...parseBlockFields(cache_control, { transformations }),
    ...withUnknownFields(rest),
  };
}

/**
 * Parses a document block. Other vendors receive the document's `context` as a text before it. A document that consists of
 * blocks (`source.type` is `content`) becomes its text and its images for them. For Anthropic, that block is kept whole.
 * @param at path of the block.
 * @returns undefined if the gateway does not know the type of the block's source.
 * @throws GatewayError `invalid-request` if the source is empty.
 */
export function parseDocument(
  block: JsonObject,
  at: string,
  report: ParseReport,
): readonly (TextPart | MediaPart)[] | undefined {
  const { type: _, source: given, title, context, citations, cache_control, ...rest } = block;
  const origin = asObject(given) ?? {};
  if (origin['type'] === 'content') {
    return [
      keepAsText(block, [title, context], origin['content'], report),
      ...parseImages(origin['content'], `${at}.document.source.content`),
    ];
  }
  const source = parseSource(origin, 'document', `${at}.document.source`);
  if (source === undefined) return undefined;
  const name = asText(title);
  const preface = asText(context) ?? '';
  if (preface !== '') report('messages[].context', 'approximated', "a document's, as text before it");
  return [
    ...(preface === '' ? [] : [{ kind: 'text', text: preface, ...WITHIN_KEPT_BLOCK } as const]),
    {
      kind: 'media',
      media: 'document',
      ...source,
      ...(name !== undefined && { name }),
      ...parseBlockFields(
        cache_control,
        {
          citations,
          context: preface === '' ? context : undefined,
          title: name === undefined ? title : undefined,
        },
        { context: preface === '' ? undefined : context },
      ),
      ...withUnknownFields(rest),
    },
  ];
}

function parseImages(content: Json | undefined, at: string): readonly MediaPart[] {
  return asObjects(content).flatMap((inner, index) => {
    const image = inner['type'] === 'image' ? parseImage(inner, `${at}.${index}`) : undefined;
    return image ? [{ ...image, ...WITHIN_KEPT_BLOCK }] : [];
  });
}

/** @throws GatewayError `invalid-request` in Anthropic's wording, if the data or the reference is missing. */
function parseSource(source: JsonObject, place: MediaPart['media'], at: string): LocatedMedia | undefined {
  const mediaType = asText(source['media_type']);
  const typed = mediaType === undefined ? {} : { mediaType };
  switch (source['type']) {
    case 'base64':
      return {
        source: { kind: 'base64', data: nonEmptyText(source['data'], `${at}.base64.data`) },
        ...typed,
      };
    case 'text':
      return {
        source: { kind: 'text', text: parseRequiredText(source['data'], `${at}.text.data`) },
        ...typed,
      };
    case 'url':
      // Anthropic itself takes data as base64 alone.
      return { ...locateMedia(nonEmptyText(source['url'], `${at}.url.url`), place), ...typed };
    case 'file':
      return {
        source: {
          kind: 'file',
          id: nonEmptyText(source['file_id'], `${at}.file.file_id`),
          format: 'messages',
        },
        ...typed,
      };
    default:
      return undefined;
  }
}

/** @throws GatewayError `invalid-request` if the value is not a text, or an empty one. */
function nonEmptyText(value: Json | undefined, at: string): string {
  const text = parseRequiredText(value, at);
  if (text !== '') return text;
  throw invalid(`${at}: String should have at least 1 character`, at);
}
