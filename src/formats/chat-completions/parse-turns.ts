/** Messages to turns. */

import type { Citation, MediaPart, OpaquePart, Part, TextPart, ToolCallPart, ToolResultPart, Turn } from '../../conversation/prompt.ts';
import { GatewayError } from '../../errors.ts';
import { asNumber, asObject, asObjects, asText, isList, isObject, type Json, type JsonObject } from '../../json.ts';
import { isEmpty, missing, objectsAt, said, textAt, wrongType } from './body.ts';
import { type ContentPart, ownFields, parsePart } from './media.ts';
import { parseThinkingBlock, parseThoughts } from './parse-thoughts.ts';
import { signatureIn } from './signatures.ts';

/** Calls that no result has answered yet, oldest first. */
type Waiting = ToolCallPart[];

type Result = ToolResultPart['content'][number];

/**
 * The turns of a list of messages. Tool messages that follow one another are one turn.
 * @throws GatewayError in OpenAI's words where a message is none.
 */
export function parseTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  const waiting: Waiting = [];
  let results: ToolResultPart[] | undefined;
  messages.forEach((message, at) => {
    const param = `messages[${at}]`;
    const { role } = message;
    if (role === 'tool' || role === 'function') {
      const part = role === 'tool' ? parseResult(message, waiting, param) : parseOldResult(message, waiting, param);
      if (results === undefined) turns.push({ role: 'user', parts: (results = []) });
      results.push(part);
      return;
    }
    results = undefined;
    turns.push(parseTurn(message, waiting, at));
  });
  return turns;
}

function parseTurn(message: JsonObject, waiting: Waiting, at: number): Turn {
  const param = `messages[${at}]`;
  switch (message['role']) {
    case 'system':
    case 'developer':
    case 'user':
      return parseSpoken(message, param);
    case 'assistant':
      return parseAssistant(message, waiting, at);
    case undefined:
    case null:
      throw missing(`${param}.role`);
    default: {
      const known = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
      const shown = asText(message['role'])?.slice(0, 40) ?? 'object';
      const text = `Invalid value: '${shown}'. Supported values are: ${known}.`;
      throw new GatewayError('invalid-request', text, { param: `${param}.role`, code: 'invalid_value' });
    }
  }
}

/** A message of role system, developer or user. */
function parseSpoken(message: JsonObject, param: string): Turn {
  const { role, content, name, cache_control: control, ...rest } = message;
  if (content === undefined || content === null) throw noContent(param, content);
  const parts = parseContent(content, `${param}.content`);
  const marked = isObject(control);
  return {
    role: role === 'user' ? 'user' : 'system',
    parts: marked ? markLast(parts, control) : parts,
    ...(role === 'developer' && { developer: true }),
    ...named(name),
    ...left(rest),
    // OpenRouter and Vercel take the mark on the message itself.
    ...(marked && { own: ownFields({ cache_control: control }) }),
  };
}

function parseAssistant(message: JsonObject, waiting: Waiting, at: number): Turn {
  const param = `messages[${at}]`;
  const {
    role: _role,
    content,
    name,
    refusal,
    tool_calls: toolCalls,
    function_call: oldCall,
    audio,
    annotations,
    extra_content: signed,
    provider_specific_fields: foreign,
    thinking_blocks: _blocks,
    reasoning_details: _details,
    reasoning_content: _thought,
    reasoning: _reasoning,
    ...rest
  } = message;
  const thoughts = parseThoughts(message);
  const calls = (objectsAt(toolCalls, `${param}.tool_calls`) ?? []).map((call, place) =>
    parseCall(call, `call_${at}_${place}`, `${param}.tool_calls[${place}]`),
  );
  if (isObject(oldCall)) calls.push(parseOldCall(oldCall, `call_${at}_0`, `${param}.function_call`));
  const apart = [...thoughts.calls];
  const paired = calls.map((call) => {
    if (call.signature) return call;
    const place = apart.findIndex(({ id }) => id === undefined || id === call.id || !calls.some((other) => other.id === id));
    const [found] = place < 0 ? [] : apart.splice(place, 1);
    return found ? { ...call, signature: found.signature } : call;
  });
  waiting.push(...paired);
  const said = content === null || content === undefined ? [] : parseContent(content, `${param}.content`, true);
  const citations = asObjects(annotations).map(parseAnnotation);
  return {
    role: 'assistant',
    parts: [
      ...thoughts.parts,
      ...apart.map(({ signature }) => ({ kind: 'thinking', text: '', signature }) as const),
      ...foreignParts(foreign),
      ...signText(citeText(said, citations), signatureIn(signed)),
      ...(typeof refusal === 'string' && refusal !== '' ? [{ kind: 'refusal', text: refusal } as const] : []),
      ...paired,
    ],
    ...named(name),
    ...(isObject(audio) && { own: ownFields({ audio }) }),
    ...left(rest),
  };
}

/** The content of a message: a string, a list of parts, or for leniency one part. Empty strings are no part. */
function parseContent(content: Json, param: string, assistant = false): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!isList(content)) throw wrongType(param, 'one of a string or array of objects', content);
  return content.flatMap((item, at): Part[] => {
    if (typeof item === 'string') return item === '' ? [] : [{ kind: 'text', text: item }];
    if (!isObject(item)) throw wrongType(`${param}[${at}]`, 'an object', item);
    const type = item['type'];
    if (assistant && (type === 'thinking' || type === 'redacted_thinking')) return parseThinkingBlock(item);
    const part: ContentPart = parsePart(item, `${param}[${at}]`);
    return part.kind === 'text' && part.text === '' && !part.mark ? [] : [part];
  });
}

function parseCall(call: JsonObject, fallbackId: string, param: string): ToolCallPart {
  const { id, type, function: fn, custom, index: _, extra_content: signed, ...rest } = call;
  const signature = signatureIn(signed);
  const common = {
    kind: 'tool-call',
    id: textAt(id, `${param}.id`) || fallbackId,
    ...(signature && { signature }),
    ...left(rest),
  } as const;
  if (type === 'custom') {
    const fields = asObject(custom) ?? {};
    const name = asText(fields['name']);
    if (name === undefined) throw missing(`${param}.custom.name`);
    return { ...common, name, arguments: asText(fields['input']) ?? '', custom: true };
  }
  const fields = asObject(fn);
  if (fields === undefined) throw missing(`${param}.function`);
  const name = asText(fields['name']);
  if (name === undefined) throw missing(`${param}.function.name`);
  return { ...common, name, arguments: argumentsText(fields['arguments']) };
}

/** The old way to call, before there were tools: no id, so one is made of the message's place. */
function parseOldCall(call: JsonObject, id: string, param: string): ToolCallPart {
  const name = asText(call['name']);
  if (name === undefined) throw missing(`${param}.name`);
  return { kind: 'tool-call', id, name, arguments: argumentsText(call['arguments']) };
}

/** Arguments are JSON text; a few clients send the object itself. */
function argumentsText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseResult(message: JsonObject, waiting: Waiting, param: string): ToolResultPart {
  const { role: _, tool_call_id: id, content, name, cache_control: control, ...rest } = message;
  const given = textAt(id, `${param}.tool_call_id`);
  if (given === undefined) throw missing(`${param}.tool_call_id`);
  const asked = asText(name);
  // Google's compatible endpoint gives calls the id '': such a result is of the oldest call that waits for one.
  const place = waiting.findIndex((call) => (given === '' ? asked === undefined || call.name === asked : call.id === given));
  const [call] = place < 0 ? [] : waiting.splice(place, 1);
  const known = call?.name ?? asked;
  return {
    kind: 'tool-result',
    id: given || (call?.id ?? given),
    ...(known !== undefined && { name: known }),
    content: resultContent(content, `${param}.content`),
    ...(call?.custom && { custom: true }),
    ...(isObject(control) && { mark: markOf(control), own: ownFields({ cache_control: control }) }),
    ...left(rest),
  };
}

function parseOldResult(message: JsonObject, waiting: Waiting, param: string): ToolResultPart {
  const { role: _, name: given, content, ...rest } = message;
  const name = asText(given);
  if (name === undefined) throw missing(`${param}.name`);
  const place = waiting.findIndex((call) => call.name === name);
  const [call] = place < 0 ? [] : waiting.splice(place, 1);
  const id = call?.id ?? `call_${param.replaceAll(/\D/g, '')}_0`;
  return { kind: 'tool-result', id, name, content: resultContent(content, `${param}.content`), ...left(rest) };
}

function resultContent(content: Json | undefined, param: string): Result[] {
  if (content === undefined || content === null) return [];
  return parseContent(content, param).flatMap((part): Result[] => {
    if (part.kind === 'text' || part.kind === 'media' || part.kind === 'opaque') return [part];
    return part.kind === 'refusal' ? [{ kind: 'text', text: part.text }] : [];
  });
}

/** A citation as an annotation writes it: offsets over the message's text. */
export function parseAnnotation(annotation: JsonObject): Citation {
  const fields = asObject(annotation['url_citation']) ?? {};
  const url = asText(fields['url']);
  const title = asText(fields['title']);
  const citedText = asText(fields['content']);
  const start = asNumber(fields['start_index']);
  const end = asNumber(fields['end_index']);
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(citedText !== undefined && { citedText }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    own: ownFields(annotation),
  };
}

function citeText(parts: readonly Part[], citations: readonly Citation[]): Part[] {
  const place = parts.findLastIndex((part) => part.kind === 'text');
  if (citations.length === 0 || place < 0) return [...parts];
  return parts.map((part, at) => (at === place && part.kind === 'text' ? { ...part, citations } : part));
}

/** Google signs a text, too; where there is none, an empty text carries the signature. */
function signText(parts: readonly Part[], signature: TextPart['signature']): Part[] {
  if (signature === undefined) return [...parts];
  const place = parts.findLastIndex((part) => part.kind === 'text');
  if (place < 0) return [...parts, { kind: 'text', text: '', signature }];
  return parts.map((part, at) => (at === place ? { ...part, signature } : part));
}

/** Blocks of other formats that an answer of ours showed under `provider_specific_fields`, by format. */
function foreignParts(fields: Json | undefined): OpaquePart[] {
  return FOREIGN.flatMap((format) =>
    asObjects(asObject(fields)?.[format]).map((value): OpaquePart => ({ kind: 'opaque', format, value })),
  );
}

const FOREIGN = ['messages', 'generate-content', 'responses'] as const;

function markLast(parts: readonly Part[], control: JsonObject): Part[] {
  const last = parts.at(-1);
  return last === undefined ? [] : [...parts.slice(0, -1), { ...last, mark: markOf(control) }];
}

function markOf(control: JsonObject): NonNullable<MediaPart['mark']> {
  const ttl = asText(control['ttl']);
  return ttl === undefined ? {} : { ttl };
}

function named(name: Json | undefined): { readonly name?: string } {
  return typeof name === 'string' ? { name } : {};
}

function left(rest: JsonObject): { readonly extra?: JsonObject } {
  const extra = said(rest);
  return isEmpty(extra) ? {} : { extra };
}

function noContent(param: string, content: null | undefined): GatewayError {
  if (content === undefined) return missing(`${param}.content`);
  const message = `Invalid value for 'content': expected a string, got null.`;
  return new GatewayError('invalid-request', message, { param: `${param}.content` });
}
