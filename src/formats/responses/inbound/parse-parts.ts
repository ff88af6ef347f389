/** Content parts of input messages and tool outputs, from the wire. */

import { parseDataUrl } from '../../../conversation/data-url.ts';
import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import { mediaOf, mediumIn, typeByName } from '../../../conversation/media-types.ts';
import type { ContentPart, MediaPart, MediaSource, TextPart } from '../../../conversation/prompt.ts';
import { asObject, asObjects, asText, isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { missing, objectsAt, requiredText, textAt, wrongValue } from '../../openai/fields.ts';
import { audioIn, dataUrl } from '../../openai/media.ts';
import { parseAnnotation } from '../wire/citations.ts';
import { keptOrigin } from '../wire/format-specific.ts';

const KINDS = ['input_text', 'input_image', 'input_file', 'input_audio', 'output_text', 'refusal'];

/** String or list of parts. @throws GatewayError for a part that is none of OpenAI's. */
export function parseContent(value: Json | undefined, path: string): readonly ContentPart[] {
  if (typeof value === 'string') return [{ kind: 'text', text: value }];
  return objectsAt(value, path).map(([part, here]) => parsePart(part, here));
}

function parsePart(part: JsonObject, path: string): ContentPart {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      return parseText(part, path);
    case 'refusal': {
      const { type: _, refusal, parsed: _parsed, ...rest } = part;
      return { kind: 'refusal', text: requiredText(refusal, `${path}.refusal`), ...others(rest) };
    }
    case 'input_image':
      return parseImage(part, path);
    case 'input_file':
      return parseFile(part, path);
    case 'input_audio':
      return parseAudio(part, path);
    case 'encrypted_content':
      return { kind: 'opaque', format: 'responses', value: part };
    case undefined:
    case null:
      throw missing(`${path}.type`);
    default:
      throw wrongValue(`${path}.type`, part['type'], KINDS);
  }
}

function parseText(part: JsonObject, path: string): TextPart {
  // What OpenAI's SDK made of the text: it stands in each answer that `parse` and `stream` give.
  const { type: _, text, annotations, logprobs, parsed: _parsed, ...rest } = part;
  const citations = asObjects(annotations).map(parseAnnotation);
  return {
    kind: 'text',
    text: requiredText(text, `${path}.text`),
    ...(citations.length > 0 && { citations }),
    ...others(rest, logprobs === undefined || logprobs === null ? {} : { logprobs }),
  };
}

function parseImage(part: JsonObject, path: string): MediaPart {
  const { type: _, image_url, file_id, detail, ...rest } = part;
  const url = textAt(image_url, `${path}.image_url`);
  const id = textAt(file_id, `${path}.file_id`);
  const found = url === undefined ? storedFile(id) : linked(url);
  if (found === undefined) throw missing(`${path}.image_url`);
  const look = textAt(detail, `${path}.detail`);
  return {
    kind: 'media',
    media: mediumIn('image', found.mediaType),
    ...found,
    ...(look !== undefined && { detail: look }),
    ...others(rest, url === undefined ? {} : inexact('image_url', url)),
  };
}

function parseFile(part: JsonObject, path: string): MediaPart {
  const { type: _, file_data, file_url, file_id, filename, detail, ...rest } = part;
  const data = textAt(file_data, `${path}.file_data`);
  const url = textAt(file_url, `${path}.file_url`);
  const id = textAt(file_id, `${path}.file_id`);
  const name = textAt(filename, `${path}.filename`);
  const look = textAt(detail, `${path}.detail`);
  const pointed = url === undefined ? storedFile(id) : linked(url);
  const found = data === undefined ? pointed : inlined(data, name);
  if (found === undefined) throw missing(`${path}.file_data`);
  return {
    kind: 'media',
    media: mediaOf(found.mediaType),
    ...found,
    ...(name !== undefined && { name }),
    ...(look !== undefined && { detail: look }),
    ...others(rest, data === undefined ? {} : inexact('file_data', data)),
  };
}

/** `input_audio` as chat-completions has it: older types of this format had it too. */
function parseAudio(part: JsonObject, path: string): MediaPart {
  const { type: _, input_audio, ...rest } = part;
  const audio = asObject(input_audio);
  if (audio === undefined) throw missing(`${path}.input_audio`);
  const given = requiredText(audio['data'], `${path}.input_audio.data`);
  return {
    kind: 'media',
    media: 'audio',
    ...audioIn(given, asText(audio['format'])),
    ...others(rest, { input_audio: audio }),
  };
}

interface Located {
  readonly source: MediaSource;
  readonly mediaType?: string;
}

/** A `data:` URL taken apart, or any other URL as it is. */
function linked(url: string): Located {
  const inline = parseDataUrl(url);
  if (inline === undefined) return { source: { kind: 'url', url } };
  const { mediaType, data } = inline;
  return { source: { kind: 'base64', data }, ...(mediaType !== '' && { mediaType }) };
}

/** A `data:` URL, or base64 without its media type: then told by the file's name, and most often a PDF. */
function inlined(data: string, name: string | undefined): Located {
  const found = linked(data);
  if (found.source.kind === 'base64') return found;
  return { source: { kind: 'base64', data }, mediaType: typeByName(name) ?? 'application/pdf' };
}

function storedFile(id: string | undefined): Located | undefined {
  return id === undefined ? undefined : { source: { kind: 'file', id, format: 'responses' } };
}

/** The field itself, where taking it apart and putting it together would not give the same. */
function inexact(field: 'image_url' | 'file_data', text: string): JsonObject {
  const inline = parseDataUrl(text);
  if (inline === undefined) return field === 'file_data' ? { file_data: text } : {};
  const again = dataUrl(inline.mediaType, '').length + inline.data.length;
  return text.length === again ? {} : { [field]: text };
}

/** What a part has beside the fields that mean something here: the cache mark, and what nobody knows. */
function others(
  rest: JsonObject,
  exact: JsonObject = {},
): Pick<TextPart, 'cacheBreakpoint' | 'formatSpecific' | 'unknownFields'> {
  const { prompt_cache_breakpoint: breakpoint, ...extra } = rest;
  const mark = asObject(breakpoint);
  const ttl = asText(mark?.['ttl']);
  const kept: JsonObject = { ...exact, ...(mark && { prompt_cache_breakpoint: mark }) };
  return {
    ...(mark && { cacheBreakpoint: ttl === undefined ? {} : { ttl } }),
    ...(!isEmpty(kept) && { formatSpecific: keptOrigin({ part: kept }) }),
    ...unknownFieldsOf(extra),
  };
}
