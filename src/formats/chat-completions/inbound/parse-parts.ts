/** The content of a message as parts: text, images, audio, video and files. */

import { findInlineType, parseDataUrl } from '../../../conversation/data-url.ts';
import {
  findMediaKind,
  findMediaKindIn,
  findTypeByName,
  findTypeByUrl,
  sniffMediaType,
} from '../../../conversation/media-types.ts';
import type { ContentPart, MediaPart, Part, TextPart } from '../../../conversation/prompt.ts';
import {
  asNumber,
  asObject,
  asText,
  compact,
  isEmpty,
  isList,
  isObject,
  type Json,
  type JsonObject,
  otherFields,
  withoutFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { OF_CLIENTS } from '../../client-fields.ts';
import { missing, wrongType, wrongValue } from '../../openai/fields.ts';
import { parseInputAudio } from '../../openai/media.ts';
import { parseThinkingBlock } from '../wire/thinking-blocks.ts';
import { parseRemainingFields } from './parse-cache-breakpoints.ts';

const KINDS = ['text', 'image_url', 'input_audio', 'file'];

/**
 * The content of a message: a string or a list of parts. An empty string gives no part.
 * @param assistant whether the message is the assistant's. Only there may parts be thoughts or of an unknown type.
 * @throws GatewayError `invalid-request`, in OpenAI's words, for other content. In a user's message an unknown type is
 *   refused: otherwise an image in another format's spelling would silently be missing from the question.
 */
export function parseContent(content: Json, param: Place, assistant = false): readonly Part[] {
  if (typeof content === 'string') return toTextParts(content);
  if (!isList(content)) throw wrongType(param, 'one of a string or array of objects', content);
  return joinLists(content.map((item, at) => parseItem(item, itemPlace(param, at), assistant)));
}

function toTextParts(text: string): readonly Part[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}

function parseItem(item: Json, param: Place, assistant: boolean): readonly Part[] {
  if (typeof item === 'string') return toTextParts(item);
  if (!isObject(item)) throw wrongType(param, 'an object', item);
  const type = item['type'];
  if (assistant && (type === 'thinking' || type === 'redacted_thinking')) return parseThinkingBlock(item);
  const part = parsePart(item, param);
  if (part.kind === 'opaque' && !assistant) throw wrongValue(`${param}.type`, part.value['type'], KINDS);
  const isText = part.kind === 'text' || part.kind === 'refusal';
  return isText && part.text === '' && !part.cacheBreakpoint ? [] : [part];
}

/**
 * One part of a message's content. A part of an unknown type becomes opaque.
 * @throws GatewayError `invalid-request` for a part without the field that its type needs.
 */
export function parsePart(value: JsonObject, param: Place): ContentPart {
  const { type } = value;
  if (type === 'text' || type === 'input_text' || type === 'output_text') return parseText(value, param);
  const { type: _, ...fields } = value;
  switch (type) {
    case 'refusal': {
      const { refusal, ...rest } = fields;
      if (typeof refusal !== 'string') throw missing(fieldPlace(param, 'refusal'));
      return { kind: 'refusal', text: refusal, ...parseRemainingFields(rest) };
    }
    case 'image_url':
    case 'video_url':
    case 'audio_url':
    case 'file_url':
    case 'document_url': {
      const { [type]: link, ...rest } = fields;
      return parseLink(type, link, rest, param);
    }
    case 'input_audio': {
      const { input_audio: audio, ...rest } = fields;
      // Mistral takes the data itself, or an address (its documentation, "Audio").
      const given = asText(audio) ?? asText(asObject(audio)?.['data']);
      if (given === undefined) throw missing(`${param}.input_audio.data`);
      const found = parseInputAudio(given, asText(asObject(audio)?.['format']));
      return { kind: 'media', media: 'audio', ...found, ...parseRemainingFields(rest) };
    }
    case 'file': {
      const { file, ...rest } = fields;
      return parseFile(asObject(file) ?? {}, rest, param);
    }
    default:
      if (typeof type !== 'string') throw missing(fieldPlace(param, 'type'));
      return { kind: 'opaque', format: 'chat-completions', value };
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text']);

function parseText(value: JsonObject, param: Place): TextPart {
  const { text } = value;
  if (typeof text !== 'string') throw missing(fieldPlace(param, 'text'));
  const rest = withoutFields(otherFields(value, TEXT_FIELDS), OF_CLIENTS);
  return { kind: 'text', text, ...parseRemainingFields(rest) };
}

/** The parts that hold an address, and what it leads to. `audio_url` is vLLM's (docs.vllm.ai, "Multimodal Inputs"). */
const LINKS = {
  image_url: 'image',
  video_url: 'video',
  audio_url: 'audio',
  file_url: 'document',
  document_url: 'document',
} as const;

function parseLink(
  type: keyof typeof LINKS,
  link: Json | undefined,
  around: JsonObject,
  param: Place,
): MediaPart {
  const { url: address, detail, format, ...rest } = asObject(link) ?? {};
  const url = asText(link) ?? asText(address);
  if (url === undefined) throw missing(`${param}.${type}.url`);
  const place = LINKS[type];
  const isDocument = place === 'document';
  const inline = parseDataUrl(url) ?? (isDocument ? parseBareData(url) : undefined);
  const named = inline ? findInlineType(inline, place) : findLinkedType(place, url, format);
  const media = isDocument ? place : findMediaKindIn(place, named);
  const isElsewhere = isDocument || place === 'audio' || (!inline && media !== place);
  return {
    kind: 'media',
    media,
    ...(named !== undefined && { mediaType: named }),
    source: inline ? { kind: 'base64', data: inline.data } : { kind: 'url', url },
    ...(typeof detail === 'string' && { detail }),
    ...parseRemainingFields(
      around,
      keepOthers(type, rest),
      withoutNulls({ link: isElsewhere ? type : null, format }),
    ),
  };
}

/**
 * The MIME type of what an address leads to, as LiteLLM's callers say it: in `format` ("Specify MIME-Type" of its page
 * on vision), or by a PDF in the place of an image (its page on PDF input). Undefined if they do not.
 */
function findLinkedType(
  place: MediaPart['media'],
  url: string,
  format: Json | undefined,
): string | undefined {
  const named = place === 'image' ? findTypeByUrl(url) : undefined;
  return asText(format) || (named === 'application/pdf' ? named : undefined);
}

/** More characters than the scheme of an address has. */
const MAX_SCHEME = 30;

/** Data in base64, which Perplexity takes in place of a document's address ("File Attachments", docs.perplexity.ai). */
function parseBareData(url: string): ReturnType<typeof parseDataUrl> {
  if (url.slice(0, MAX_SCHEME).includes(':')) return undefined;
  return { mediaType: sniffMediaType(url) ?? 'application/octet-stream', data: url };
}

/** An address, which some services take in place of a file's data or id. `gs:` is that of a bucket at Google. */
const ADDRESS = /^(?:https?|gs):/i;

function parseFile(file: JsonObject, around: JsonObject, param: Place): MediaPart {
  const { file_id: id, file_data: data, filename, video_metadata, ...rest } = file;
  const name = asText(filename);
  const clip = parseClip(asObject(video_metadata));
  if (typeof id === 'string' && ADDRESS.test(id)) {
    return { ...parseLinkedFile(id, name, rest, around, withoutNulls({ video_metadata })), ...clip };
  }
  const common = {
    kind: 'media',
    media: 'document',
    ...(name !== undefined && { name }),
    ...clip,
    ...parseRemainingFields(around, keepOthers('file', rest), withoutNulls({ video_metadata })),
  } as const;
  if (typeof id === 'string') return { ...common, source: { kind: 'file', id, format: 'chat-completions' } };
  if (typeof data !== 'string') throw missing(`${param}.file.file_data`);
  if (ADDRESS.test(data)) return { ...common, source: { kind: 'url', url: data } };
  const inline = parseDataUrl(data);
  const mediaType =
    (inline && findInlineType(inline, 'document', name)) ?? findTypeByName(name) ?? 'application/pdf';
  return {
    ...common,
    media: findMediaKind(mediaType),
    mediaType,
    source: { kind: 'base64', data: inline?.data ?? data },
  };
}

/** The fields of an object in the part that nothing here reads, under its name; empty if there are none. */
function keepOthers(field: string, others: JsonObject): JsonObject {
  const kept = withoutNulls(others);
  return isEmpty(kept) ? {} : { [field]: kept };
}

/** What of a video the model sees, as the callers of LiteLLM say it in Google's words (`VideoMetadata`). */
function parseClip(metadata: JsonObject | undefined): Pick<MediaPart, 'clip'> {
  if (metadata === undefined) return {};
  const { fps, start_offset: start, end_offset: end } = metadata;
  return { clip: compact({ fps: asNumber(fps), start: asText(start), end: asText(end) }) };
}

/** A file whose id is its address, as LiteLLM takes it, with its media type in `format` ("Using PDF Input"). */
function parseLinkedFile(
  url: string,
  name: string | undefined,
  { format, ...rest }: JsonObject,
  around: JsonObject,
  written: JsonObject,
): MediaPart {
  const mediaType = asText(format);
  const roundTrip = { link: 'file_id', ...(mediaType !== undefined && { format: mediaType }), ...written };
  return {
    kind: 'media',
    media: findMediaKind(mediaType),
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { name }),
    source: { kind: 'url', url },
    ...parseRemainingFields(around, keepOthers('file', rest), roundTrip),
  };
}
