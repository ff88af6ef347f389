/** What a request becomes for a model, and what became of each of its fields. */

import type { Catalog } from './catalog/catalog.ts';
import type { FormatName } from './conversation/prompt.ts';
import { invalid } from './errors.ts';
import { formats, inboundOf } from './formats/all.ts';
import { isOfResponses } from './formats/cursor/index.ts';
import { type Note, reportInto } from './formats/format.ts';
import { asObjects, isObject, type Json, type JsonObject } from './json.ts';
import { DEFAULT_VENDOR, notSupported } from './stages/resolve-model.ts';
import { targetOf } from './stages/translate-request.ts';
import { spokenFormat, translatedFormat, upstreamName, type Vendors } from './vendors/vendor.ts';

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

/**
 * @param asked the model as a caller writes it.
 * @throws GatewayError what the caller of such a request would be told.
 */
export function explain(
  catalog: Catalog,
  vendors: Vendors,
  from: FormatName,
  asked: string,
  body: JsonObject,
): Explanation {
  const model = catalog.resolve(asked, DEFAULT_VENDOR[from]);
  const vendor = model && vendors.serving(model);
  if (model === undefined || vendor === undefined) throw notSupported(asked, DEFAULT_VENDOR[from]);
  const isAnew = from === 'chat-completions' && isOfResponses(body);
  const to = isAnew ? translatedFormat(vendor, model) : spokenFormat(vendor, model, from);
  const name = upstreamName(vendor, model);
  if (to === from && !isAnew) {
    const request = 'model' in body ? { ...body, model: name } : body;
    return { from, to, native: true, model: model.id, request, notes: [], mapped: Object.keys(body) };
  }
  if (from === 'generate-content') throw invalid('generate-content reaches models of google only.');
  const read: Note[] = [];
  const prompt = { ...inboundOf(from, body).parseRequest(body, reportInto(read)), model: name };
  const written: Note[] = [];
  const request = formats[to].outbound.renderRequest(prompt, targetOf(vendor, model), reportInto(written));
  const notes = [...read, ...written.map((note) => asAsked(note, body))];
  const noted = new Set(notes.map(({ field }) => field.split(/[.[]/)[0]));
  const mapped = Object.keys(body).filter((field) => !noted.has(field));
  return { from, to, native: false, model: model.id, request, notes, mapped };
}

/** How callers write what a prompt has under a name of its own: as the first of these that a request has. */
const ASKED_AS: Readonly<Record<string, readonly string[]>> = {
  choices: ['n'],
  citations: ['web_search_options', 'tools'],
  frequencyPenalty: ['frequency_penalty'],
  logprobs: ['logprobs', 'include'],
  mark: ['cache_control', 'prompt_cache_key'],
  maxTokens: ['max_completion_tokens', 'max_tokens', 'max_output_tokens'],
  output: ['response_format', 'text', 'output_config', 'output_format'],
  parallelToolCalls: ['parallel_tool_calls', 'tool_choice'],
  presencePenalty: ['presence_penalty'],
  serviceTier: ['service_tier'],
  stop: ['stop', 'stop_sequences'],
  thinking: ['thinking', 'reasoning_effort', 'reasoning', 'output_config'],
  toolChoice: ['tool_choice', 'function_call'],
  topK: ['top_k'],
  topLogprobs: ['top_logprobs'],
  topP: ['top_p'],
};

/** What a format says of a prompt, by the name of what the caller wrote. */
function asAsked(note: Note, body: JsonObject): Note {
  const [name = ''] = note.field.split(/[.[]/);
  const asked = ASKED_AS[name]?.find((each) => each in body);
  return asked === undefined || asked === name ? note : { ...note, field: asked };
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
