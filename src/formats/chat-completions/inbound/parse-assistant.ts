/** Messages of the assistant to turns. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { OpaquePart, Part, TextPart, ToolCallPart, Turn } from '../../../conversation/prompt.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import {
  asObject,
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import { missing, objectsAt, textAt } from '../../openai/fields.ts';
import { parseAnnotation } from '../wire/citations.ts';
import { mergeSplitMessage } from '../wire/merge-split-messages.ts';
import type { CallSignature } from '../wire/reasoning-details.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import { applyMessageBreakpoint } from './parse-cache-breakpoints.ts';
import { parseContent } from './parse-content.ts';
import { parseThoughts } from './parse-thoughts.ts';
import type { PendingCalls } from './pending-calls.ts';

/**
 * @param at the message's place: ids are made of it where calls have none.
 * @throws GatewayError for a call without what makes it one.
 */
export function parseAssistant(given: JsonObject, waiting: PendingCalls, param: string, at: number): Turn {
  const message = mergeSplitMessage(given);
  const {
    role: _role,
    content,
    name,
    refusal,
    tool_calls: toolCalls,
    function_call: oldCall,
    audio,
    annotations,
    cache_control: control,
    extra_content: signed,
    provider_specific_fields: foreign,
    thinking_blocks: _blocks,
    reasoning_details: _details,
    reasoning_content: _thought,
    reasoning: _reasoning,
    images: _images,
    // What OpenAI's SDK made of the content: `parse` leaves it on the message, and OpenAI takes it back.
    parsed: _parsed,
    ...rest
  } = message;
  const thoughts = parseThoughts(message);
  const calls = objectsAt(toolCalls, `${param}.tool_calls`).map(([call, here], place) =>
    parseCall(call, `call_${at}_${place}`, here),
  );
  if (isObject(oldCall)) calls.push(parseOldCall(oldCall, `call_${at}_0`, `${param}.function_call`));
  const { signed: paired, left: apart } = signCalls(calls, thoughts.calls);
  waiting.add(paired);
  const said =
    content === null || content === undefined ? [] : parseContent(content, `${param}.content`, true);
  const parts: readonly Part[] = [
    ...thoughts.parts,
    ...apart.map(({ signature }) => ({ kind: 'thinking', text: '', signature }) as const),
    ...foreignParts(foreign),
    ...signText(citeText(said, asObjects(annotations)), parseExtraContent(signed)),
    ...(typeof refusal === 'string' && refusal !== '' ? [{ kind: 'refusal', text: refusal } as const] : []),
    ...paired,
  ];
  const own = { ...(isObject(audio) && { audio }), ...(isObject(control) && { cache_control: control }) };
  return {
    role: 'assistant',
    parts: applyMessageBreakpoint(parts, control),
    ...(typeof name === 'string' && { name }),
    ...formatSpecificOf('chat-completions', own),
    ...unknownFieldsOf(withoutNulls(rest)),
  };
}

/** Calls with the signatures that stood apart from them, by id, else in their order; and those of no call. */
function signCalls(
  calls: readonly ToolCallPart[],
  apart: readonly CallSignature[],
): { readonly signed: readonly ToolCallPart[]; readonly left: readonly CallSignature[] } {
  const ids = new Set(calls.map(({ id }) => id));
  const named = new Map<string, CallSignature>();
  const loose: CallSignature[] = [];
  for (const found of apart) {
    if (found.id !== undefined && ids.has(found.id) && !named.has(found.id)) named.set(found.id, found);
    else loose.push(found);
  }
  let used = 0;
  const signed = calls.map((call) => {
    if (call.signature) return call;
    const found = named.get(call.id) ?? loose[used++];
    return found ? { ...call, signature: found.signature } : call;
  });
  return { signed, left: loose.slice(used) };
}

function parseCall(call: JsonObject, fallbackId: string, param: string): ToolCallPart {
  const {
    id,
    type,
    function: fn,
    custom,
    index: _,
    extra_content: signed,
    // LiteLLM's, of every call of Claude's and Gemini's.
    caller: _caller,
    provider_specific_fields: _fields,
    ...rest
  } = call;
  const signature = parseExtraContent(signed);
  const common = {
    kind: 'tool-call',
    id: textAt(id, `${param}.id`) || fallbackId,
    ...(signature && { signature }),
    ...unknownFieldsOf(withoutNulls(rest)),
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
  // A few clients send the object itself, not its JSON text.
  return { ...common, name, arguments: argumentsText(fields['arguments']) };
}

/** The old way to call, before there were tools: no id, so one is made of the message's place. */
function parseOldCall(call: JsonObject, id: string, param: string): ToolCallPart {
  const name = asText(call['name']);
  if (name === undefined) throw missing(`${param}.name`);
  return { kind: 'tool-call', id, name, arguments: argumentsText(call['arguments']) };
}

/** Annotations say nothing of parts: they go on the last text. */
function citeText(parts: readonly Part[], annotations: readonly JsonObject[]): readonly Part[] {
  const place = parts.findLastIndex((part) => part.kind === 'text');
  if (annotations.length === 0 || place < 0) return parts;
  let start = 0;
  for (const part of parts.slice(0, place)) if (part.kind === 'text') start += part.text.length;
  const citations = annotations.map((annotation) => parseAnnotation(annotation, start));
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
