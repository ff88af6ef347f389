/** Messages of the assistant as turns. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { OpaquePart, Part, TextPart, Turn } from '../../../conversation/prompt.ts';
import {
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
  otherFields,
  presentFields,
  withoutFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { wordList } from '../../../lib/words.ts';
import { applyMessageBreakpoint } from '../../openai/cache-breakpoints.ts';
import { parseAnnotation } from '../wire/citations.ts';
import { mergeSplitMessage } from '../wire/merge-split-messages.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import { TRANSCRIPT } from '../wire/transcript.ts';
import { parseCalls, signCalls } from './parse-calls.ts';
import { parseContent, parsePart } from './parse-parts.ts';
import { parseThoughts } from './parse-thoughts.ts';
import type { PendingCalls } from './pending-calls.ts';

/**
 * Fields that mark the answer at the end as one to be continued: DeepSeek's and Mistral's ("Chat Prefix Completion"), and
 * Moonshot's ("Partial Mode").
 */
const MARKS = ['prefix', 'partial'];

const ASSISTANT_FIELDS: ReadonlySet<string> = new Set([
  ...wordList(`
    role content name refusal tool_calls function_call audio annotations cache_control extra_content
    provider_specific_fields thinking_blocks reasoning_details reasoning_content reasoning_signature thinking reasoning images
  `),
  ...MARKS,
  // `parse` of OpenAI's SDK leaves the parsed content on the message, and OpenAI accepts it.
  'parsed',
]);

/**
 * A message of the assistant.
 * @param pending receives the calls of the message.
 * @param param the path of the message, for errors.
 * @param at the index of the message, from which calls without an id get one.
 * @throws GatewayError `invalid-request` for a call without a function or a name, and for invalid content.
 */
export function parseAssistant(given: JsonObject, pending: PendingCalls, param: Place, at: number): Turn {
  const message = mergeSplitMessage(given);
  if (isBare(message)) return parseBare(message, pending, param, at);
  const {
    content,
    name,
    refusal,
    audio,
    annotations,
    cache_control: control,
    extra_content: extraContent,
    provider_specific_fields: foreign,
    images,
  } = message;
  const thoughts = parseThoughts(message);
  const { signed: calls, unused } = signCalls(parseCalls(message, param, at), thoughts.calls);
  pending.add(calls);
  const said = parseSaid(content, param);
  const parts: readonly Part[] = [
    ...thoughts.parts,
    ...unused.map(({ signature }) => ({ kind: 'thinking', text: '', signature }) as const),
    ...parseForeignBlocks(foreign),
    ...signText(citeText(said, asObjects(annotations)), parseExtraContent(extraContent)),
    ...parseTranscript(audio, said),
    ...parseImages(images, fieldPlace(param, 'images')),
    ...(typeof refusal === 'string' && refusal !== '' ? [{ kind: 'refusal', text: refusal } as const] : []),
    ...calls,
  ];
  return {
    role: 'assistant',
    parts: applyMessageBreakpoint(parts, control),
    ...(typeof name === 'string' && { name }),
    ...withFormatSpecific(
      'chat-completions',
      { ...(isObject(audio) && { audio }), ...presentFields(message, MARKS) },
      isObject(control) ? { cache_control: control } : {},
    ),
    ...withUnknownFields(withoutNulls(otherFields(message, ASSISTANT_FIELDS))),
  };
}

/** The fields of a message with nothing but what was said and called, as nearly all are. */
const BARE_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls']);

function isBare(message: JsonObject): boolean {
  for (const name in message) if (message[name] !== null && !BARE_FIELDS.has(name)) return false;
  return true;
}

function parseBare(message: JsonObject, pending: PendingCalls, param: Place, at: number): Turn {
  const calls = parseCalls(message, param, at);
  pending.add(calls);
  const said = parseSaid(message['content'], param);
  return { role: 'assistant', parts: joinLists<Part>([said, calls]) };
}

function parseSaid(content: Json | undefined, param: Place): readonly Part[] {
  if (content === null || content === undefined) return [];
  return parseContent(content, fieldPlace(param, 'content'), true);
}

/** Puts the annotations on the last text: they do not name a part. */
function citeText(parts: readonly Part[], annotations: readonly JsonObject[]): readonly Part[] {
  if (annotations.length === 0) return parts;
  const place = parts.findLastIndex((part) => part.kind === 'text');
  const text = parts[place];
  if (text?.kind !== 'text') return parts;
  let start = 0;
  for (const part of parts.slice(0, place)) if (part.kind === 'text') start += part.text.length;
  const citations = annotations.map((annotation) => parseAnnotation(annotation, start));
  return parts.with(place, { ...text, citations });
}

/** Puts the message's signature on the last text. Google signs texts; without a text, an empty one holds the signature. */
function signText(parts: readonly Part[], signature: TextPart['signature']): readonly Part[] {
  if (signature === undefined) return parts;
  const place = parts.findLastIndex((part) => part.kind === 'text');
  const text = parts[place];
  if (text === undefined) return [...parts, { kind: 'text', text: '', signature }];
  return parts.with(place, { ...text, signature });
}

/** What the model spoke, for vendors that do not have its sound, if the message has no text. */
function parseTranscript(audio: Json | undefined, said: readonly Part[]): readonly TextPart[] {
  const text = isObject(audio) ? asText(audio['transcript']) : undefined;
  if (!text || said.some((part) => part.kind !== 'text' || part.text !== '')) return [];
  return [{ kind: 'text', text, ...TRANSCRIPT }];
}

/** Images that the model drew, which OpenRouter writes beside the content. */
function parseImages(images: Json | undefined, param: Place): Part[] {
  return asObjects(images).flatMap((image, at) => {
    if (image['type'] !== 'image_url') return [];
    const signature = parseExtraContent(image['extra_content']);
    const part = parsePart(withoutFields(image, ['index', 'extra_content']), itemPlace(param, at));
    return [signature ? { ...part, signature } : part];
  });
}

const FOREIGN_FORMATS = ['messages', 'generate-content', 'responses'] as const;

/** Blocks of other formats, which the gateway's answers hold in `provider_specific_fields`, by format. */
function parseForeignBlocks(fields: Json | undefined): readonly OpaquePart[] {
  if (!isObject(fields)) return [];
  return FOREIGN_FORMATS.flatMap((format) =>
    asObjects(fields[format]).map((value): OpaquePart => ({ kind: 'opaque', format, value })),
  );
}
