/** Parses the content parts of input messages and tool outputs. */

import { type LocatedMedia, locateMedia, parseDataUrl } from '../../../conversation/data-url.ts';
import { withUnknownFields } from '../../../conversation/format-specific.ts';
import { findMediaKind, findMediaKindIn, findTypeByName } from '../../../conversation/media-types.ts';
import type { ContentPart, MediaPart, TextPart } from '../../../conversation/prompt.ts';
import {
  asObject,
  asObjects,
  asText,
  isEmpty,
  type Json,
  type JsonObject,
  otherFields,
} from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { wordList } from '../../../lib/words.ts';
import { missing, objectsAt, requiredText, textAt, wrongValue } from '../../openai/fields.ts';
import { dataUrl, parseInputAudio } from '../../openai/media.ts';
import { parseAnnotation } from '../wire/citations.ts';
import { keepOrigin } from '../wire/origin.ts';
import { splitBreakpoint } from './parse-cache-breakpoint.ts';

const PART_TYPES = wordList('input_text input_image input_file input_audio input_video output_text refusal');

/** Parses a string or a list of parts. @throws GatewayError `invalid-request` for a part that OpenAI does not have */
export function parseContent(value: Json | undefined, path: Place): readonly ContentPart[] {
  if (typeof value === 'string') return [{ kind: 'text', text: value }];
  return objectsAt(value, path).map((part, at) => parsePart(part, itemPlace(path, at)));
}

function parsePart(part: JsonObject, path: Place): ContentPart {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      return parseText(part, path);
    case 'refusal': {
      const { type: _, refusal, parsed: _parsed, ...rest } = part;
      return {
        kind: 'refusal',
        text: requiredText(refusal, fieldPlace(path, 'refusal')),
        ...parseOtherFields(rest),
      };
    }
    case 'input_image':
      return parseImage(part, path);
    case 'input_file':
      return parseFile(part, path);
    case 'input_audio':
      return parseAudio(part, path);
    case 'input_video':
      return parseVideo(part, path);
    case 'encrypted_content':
      return { kind: 'opaque', format: 'responses', value: part };
    case undefined:
    case null:
      throw missing(fieldPlace(path, 'type'));
    default:
      throw wrongValue(fieldPlace(path, 'type'), part['type'], PART_TYPES);
  }
}

/** The fields of a text. What OpenAI's SDK parsed out of it is in `parsed`: each answer of its `parse` and `stream` has it. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'annotations', 'logprobs', 'parsed']);

function parseText(part: JsonObject, path: Place): TextPart {
  const { annotations, logprobs = null } = part;
  const text = requiredText(part['text'], fieldPlace(path, 'text'));
  const rest = otherFields(part, TEXT_FIELDS);
  const citations = asObjects(annotations);
  if (citations.length === 0 && logprobs === null && isEmpty(rest)) return { kind: 'text', text };
  return {
    kind: 'text',
    text,
    ...(citations.length > 0 && { citations: citations.map(parseAnnotation) }),
    ...parseOtherFields(rest, logprobs === null ? {} : { logprobs }),
  };
}

function parseImage(part: JsonObject, path: Place): MediaPart {
  const { type: _, image_url, file_id, detail, ...rest } = part;
  const url = textAt(image_url, fieldPlace(path, 'image_url'));
  const id = textAt(file_id, fieldPlace(path, 'file_id'));
  const found = url === undefined ? parseFileId(id) : locateMedia(url, 'image');
  if (found === undefined) throw missing(fieldPlace(path, 'image_url'));
  const imageDetail = textAt(detail, fieldPlace(path, 'detail'));
  return {
    kind: 'media',
    media: findMediaKindIn('image', found.mediaType),
    ...found,
    ...(imageDetail !== undefined && { detail: imageDetail }),
    ...parseOtherFields(rest, url === undefined ? {} : keepInexact('image_url', url)),
  };
}

function parseFile(part: JsonObject, path: Place): MediaPart {
  const { type: _, file_data, file_url, file_id, filename, detail, ...rest } = part;
  const data = textAt(file_data, fieldPlace(path, 'file_data'));
  const url = textAt(file_url, fieldPlace(path, 'file_url'));
  const id = textAt(file_id, fieldPlace(path, 'file_id'));
  const name = textAt(filename, fieldPlace(path, 'filename'));
  const imageDetail = textAt(detail, fieldPlace(path, 'detail'));
  const pointed = url === undefined ? parseFileId(id) : locateMedia(url, 'document', name);
  const found = data === undefined ? pointed : parseFileData(data, name);
  if (found === undefined) throw missing(fieldPlace(path, 'file_data'));
  return {
    kind: 'media',
    media: findMediaKind(found.mediaType),
    ...found,
    ...(name !== undefined && { name }),
    ...(imageDetail !== undefined && { detail: imageDetail }),
    ...parseOtherFields(rest, data === undefined ? {} : keepInexact('file_data', data)),
  };
}

/** Parses `input_audio`, which chat-completions has, and older types of this format had, too. */
function parseAudio(part: JsonObject, path: Place): MediaPart {
  const { type: _, input_audio, ...rest } = part;
  const audio = asObject(input_audio);
  if (audio === undefined) throw missing(fieldPlace(path, 'input_audio'));
  const given = requiredText(audio['data'], `${path}.input_audio.data`);
  return {
    kind: 'media',
    media: 'audio',
    ...parseInputAudio(given, asText(audio['format'])),
    ...parseOtherFields(rest, { input_audio: audio }),
  };
}

/** Parses `input_video`, which Open Responses has. */
function parseVideo(part: JsonObject, path: Place): MediaPart {
  const { type: _, video_url, ...rest } = part;
  const found = locateMedia(requiredText(video_url, fieldPlace(path, 'video_url')), 'video');
  return {
    kind: 'media',
    media: findMediaKindIn('video', found.mediaType),
    ...found,
    ...parseOtherFields(rest),
  };
}

/** Parses a `data:` URL, or plain base64. Then the file's name shows the media type; without one it is most often a PDF. */
function parseFileData(data: string, name: string | undefined): LocatedMedia {
  const found = locateMedia(data, 'document', name);
  if (found.source.kind === 'base64') return found;
  return { source: { kind: 'base64', data }, mediaType: findTypeByName(name) ?? 'application/pdf' };
}

function parseFileId(id: string | undefined): LocatedMedia | undefined {
  return id === undefined ? undefined : { source: { kind: 'file', id, format: 'responses' } };
}

/** Keeps the field itself if its parsed form would not render to the same text. */
function keepInexact(field: 'image_url' | 'file_data', text: string): JsonObject {
  const inline = parseDataUrl(text);
  if (inline === undefined) return field === 'file_data' ? { file_data: text } : {};
  const renderedLength = dataUrl(inline.mediaType, '').length + inline.data.length;
  return text.length === renderedLength ? {} : { [field]: text };
}

/** What is spread where a part has no other fields: one object for all. */
const NOTHING = {} as const;

/** Parses the other fields of a part: the cache breakpoint, and unknown ones. @param exact what else is kept */
function parseOtherFields(
  rest: JsonObject,
  exact: JsonObject = {},
): Pick<TextPart, 'cacheBreakpoint' | 'formatSpecific' | 'unknownFields'> {
  if (isEmpty(rest) && isEmpty(exact)) return NOTHING;
  const { cacheBreakpoint, own, rest: unknown } = splitBreakpoint(rest);
  const kept: JsonObject = { ...exact, ...own };
  return {
    ...(cacheBreakpoint && { cacheBreakpoint }),
    ...(!isEmpty(kept) && { formatSpecific: keepOrigin({ part: kept }) }),
    ...withUnknownFields(unknown),
  };
}
