/** What a request becomes for a model, and what became of each of its fields. */

import type { Catalog } from './catalog/catalog.ts';
import type { FormatName, Prompt } from './conversation/prompt.ts';
import { formats, inboundOf } from './formats/all.ts';
import { isOfResponses } from './formats/cursor/index.ts';
import { type Note, reportInto } from './formats/format.ts';
import { camelCase } from './formats/generate-content/wire.ts';
import { asObjects, isObject, type Json, type JsonObject } from './json.ts';
import { DEFAULT_VENDOR, type ReachOptions, reaches } from './stages/reach.ts';
import { notSupported } from './stages/resolve-model.ts';
import { spokenFor } from './stages/spoken-for.ts';
import { targetOf } from './stages/translate-request.ts';
import { translatedFormat, upstreamName, type Vendors } from './vendors/vendor.ts';

export interface Explanation {
  readonly from: FormatName;
  readonly to: FormatName;
  readonly native: boolean;
  /** Canonical id of the model. */
  readonly model: string;
  /** The request as the vendor gets it. */
  readonly request: JsonObject;
  /** What did not reach the vendor as it was. */
  readonly notes: readonly Note[];
  /** The caller's fields that did, in meaning. */
  readonly mapped: readonly string[];
}

/** What there is to ask. */
export interface Served {
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly reach: ReachOptions;
}

/**
 * @param asked the model as a caller writes it.
 * @throws GatewayError what the caller of such a request would be told.
 */
export function explain(
  { catalog, vendors, reach }: Served,
  from: FormatName,
  asked: string,
  body: JsonObject,
): Explanation {
  const model = catalog.resolve(asked, DEFAULT_VENDOR[from]);
  const vendor = model && vendors.serving(model);
  if (model === undefined || vendor === undefined || !reaches(reach, from, model))
    throw notSupported(asked, DEFAULT_VENDOR[from]);
  const isAnew = from === 'chat-completions' && isOfResponses(body);
  const to = isAnew ? translatedFormat(vendor, model) : spokenFor(vendor, model, from, () => body);
  const name = upstreamName(vendor, model);
  if (to === from && !isAnew) {
    const request = 'model' in body ? { ...body, model: name } : body;
    return { from, to, native: true, model: model.id, request, notes: [], mapped: Object.keys(body) };
  }
  const read: Note[] = [];
  const prompt = { ...inboundOf(from, body).parseRequest(body, reportInto(read)), model: name };
  const written: Note[] = [];
  const request = formats[to].outbound.renderRequest(prompt, targetOf(vendor, model), reportInto(written));
  const called = [...read, ...written.map((note) => asCalled(note, from, body))];
  const notes = distinct(from === 'generate-content' ? called.map((note) => asSpelled(note, body)) : called);
  const noted = new Set(notes.map(({ field }) => field));
  const mapped = Object.keys(body).filter((field) => !noted.has(field));
  return { from, to, native: false, model: model.id, request, notes, mapped };
}

/** How callers write a prompt's fields, where it is not the same: as the first of these that a request has. */
const CALLED: ReadonlyMap<string, readonly string[]> = new Map<keyof Prompt, readonly string[]>([
  ['turns', ['messages', 'input']],
  ['toolChoice', ['tool_choice', 'function_call']],
  ['parallelToolCalls', ['parallel_tool_calls', 'tool_choice']],
  ['output', ['response_format', 'text', 'output_config', 'output_format']],
  ['thinking', ['thinking', 'reasoning_effort', 'reasoning', 'output_config', 'enable_thinking']],
  ['maxTokens', ['max_completion_tokens', 'max_tokens', 'max_output_tokens']],
  ['topP', ['top_p']],
  ['topK', ['top_k']],
  ['stop', ['stop', 'stop_sequences']],
  ['frequencyPenalty', ['frequency_penalty']],
  ['presencePenalty', ['presence_penalty']],
  ['choices', ['n']],
  ['logprobs', ['logprobs', 'include']],
  ['topLogprobs', ['top_logprobs']],
  ['user', ['user', 'safety_identifier', 'metadata']],
  ['serviceTier', ['service_tier']],
  ['cacheKey', ['prompt_cache_key']],
  ['mark', ['cache_control']],
]);

/** The same of Google's, most of them within another one. */
const CALLED_BY_GOOGLE: ReadonlyMap<string, readonly string[]> = new Map<keyof Prompt, readonly string[]>([
  ['turns', ['contents']],
  ['toolChoice', ['toolConfig.functionCallingConfig']],
  ['output', ['generationConfig.responseMimeType']],
  ['thinking', ['generationConfig.thinkingConfig']],
  ['maxTokens', ['generationConfig.maxOutputTokens']],
  ['temperature', ['generationConfig.temperature']],
  ['topP', ['generationConfig.topP']],
  ['topK', ['generationConfig.topK']],
  ['stop', ['generationConfig.stopSequences']],
  ['seed', ['generationConfig.seed']],
  ['frequencyPenalty', ['generationConfig.frequencyPenalty']],
  ['presencePenalty', ['generationConfig.presencePenalty']],
  ['choices', ['generationConfig.candidateCount']],
  ['logprobs', ['generationConfig.responseLogprobs']],
  ['topLogprobs', ['generationConfig.logprobs']],
]);

/** The same of what stands within turns and tools. */
const CALLED_WITHIN: Readonly<Partial<Record<FormatName, Readonly<Record<string, string>>>>> = {
  'chat-completions': { '.mark': '.cache_control', '.citations': '.annotations', '.thinking': '.reasoning' },
  responses: {
    '.mark': '.prompt_cache_breakpoint',
    '.citations': '.annotations',
    '.thinking': '.reasoning',
    '.signature': '.encrypted_content',
  },
  messages: { '.mark': '.cache_control' },
  'generate-content': { '.thinking': '.thought', '.signature': '.thoughtSignature' },
};

/** A place in a prompt as its caller calls it: `turns[].citations` is `input[].annotations`, `own.store` is `store`. */
function asCalled({ field, ...note }: Note, from: FormatName, body: JsonObject): Note {
  const [root = '', ...rest] = field.split(/(?=[.[])/);
  if (root === 'own') return { field: rest.join('').slice(1), ...note };
  const names = (from === 'generate-content' ? CALLED_BY_GOOGLE : CALLED).get(root) ?? [root];
  const called = names.find((name) => name in body) ?? names[0] ?? root;
  return { field: called + rest.map((part) => CALLED_WITHIN[from]?.[part] ?? part).join(''), ...note };
}

/** With the field as its body has it: Google takes each in camelCase and in snake_case (proto3 JSON mapping). */
function asSpelled({ field, ...note }: Note, body: JsonObject): Note {
  const [root = '', ...rest] = field.split(/(?=[.[])/);
  const spelled = Object.keys(body).find((name) => camelCase(name) === root) ?? root;
  return { field: spelled + rest.join(''), ...note };
}

/** Each of the notes once. */
function distinct(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map((note) => [Object.values(note).join('\n'), note])).values()];
}

/** The format a request is written in, as far as its fields tell. */
export function formatOfRequest(body: JsonObject): FormatName {
  if (body['contents'] !== undefined) return 'generate-content';
  // Cursor sends such a body to chat-completions, beside a list of no messages.
  if (body['input'] !== undefined) return body['messages'] === undefined ? 'responses' : 'chat-completions';
  const anthropic =
    body['system'] !== undefined ||
    body['thinking'] !== undefined ||
    body['stop_sequences'] !== undefined ||
    asObjects(body['tools']).some(({ input_schema, type }) => isObject(input_schema) || isDated(type)) ||
    asObjects(body['messages']).some((message) =>
      asObjects(message['content']).some((block) => ANTHROPIC_BLOCKS.has(block['type'])),
    );
  return anthropic ? 'messages' : 'chat-completions';
}

/** Anthropic's own tools have the day in their type: `bash_20250124`. */
function isDated(type: Json | undefined): boolean {
  return typeof type === 'string' && /_20\d{6}$/.test(type);
}

/** Block types that only `messages` has. */
const ANTHROPIC_BLOCKS = new Set<unknown>([
  'tool_use',
  'tool_result',
  'image',
  'document',
  'thinking',
  'redacted_thinking',
]);
