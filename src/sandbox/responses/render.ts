/**
 * A script as OpenAI's responses sends it: every lifecycle event, numbered without gaps, items strictly one after
 * another.
 */

import { fitsStrict } from '../../conversation/rules/strict-schema.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { asList, asObject, asObjects } from '../../lib/json.ts';
import type { Script, ScriptPart, ScriptUsage, Stamp, WireEvent } from '../script.ts';
import { tail } from '../script.ts';
import { sign } from '../signatures.ts';

const RESPONSES_STREAM_ERROR = {
  type: 'server_error',
  code: 'server_error',
  message: 'The server had an error while processing your request. Sorry about that!',
  param: null,
} as const;

/** The states of a response that has no output, or none yet. */
type Pending = 'queued' | 'in_progress' | 'cancelled';
type Status = Pending | 'completed' | 'incomplete' | 'failed';

const PENDING: ReadonlySet<Status> = new Set<Status>(['queued', 'in_progress', 'cancelled']);

/** @returns the events of a streamed response */
export function* streamResponses(script: Script, stamp: Stamp): Generator<WireEvent> {
  let sequence = 0;
  const event = (type: string, fields: JsonObject): WireEvent => {
    const data = JSON.stringify({ type, ...fields, sequence_number: sequence });
    sequence += 1;
    return { event: type, data };
  };
  yield event('response.created', { response: response(script, stamp, 'in_progress', []) });
  yield event('response.in_progress', { response: response(script, stamp, 'in_progress', []) });
  const parts = spoken(script, stamp);
  for (const [index, part] of parts.entries()) {
    const cut = script.broken === true && index === parts.length - 1;
    for (const [type, fields] of itemEvents(script, part, stamp, index, cut)) {
      yield event(type, { ...fields, output_index: index });
    }
  }
  if (script.broken) {
    yield event('error', { error: { ...RESPONSES_STREAM_ERROR } });
    yield event('response.failed', { response: response(script, stamp, 'failed', []) });
    return;
  }
  const status = finalStatus(script);
  yield event(`response.${status}`, { response: wholeResponses(script, stamp) });
}

/** A summary of the reasoning is shown only if the request asks for it; the item is there all the same. */
function spoken(script: Script, stamp: Stamp): readonly ScriptPart[] {
  const shows = asObject(stamp.body['reasoning'])?.['summary'] != null;
  return script.parts.map((part) =>
    part.kind === 'thinking' && !shows ? { kind: 'thinking', pieces: [] } : part,
  );
}

type Told = readonly [type: string, fields: JsonObject];

function* itemEvents(
  script: Script,
  part: ScriptPart,
  stamp: Stamp,
  index: number,
  cut: boolean,
): Generator<Told> {
  const id = itemId(part, stamp, index);
  const item = (done: boolean): JsonObject => outputItem(script, part, stamp, index, done);
  yield ['response.output_item.added', { item: item(false) }];
  yield* contentEvents(part, id, cut);
  if (!cut) yield ['response.output_item.done', { item: item(true) }];
}

function* contentEvents(part: ScriptPart, id: string, cut: boolean): Generator<Told> {
  if (part.kind === 'call') yield* argumentEvents(part, id);
  else if (part.kind === 'thinking') yield* summaryEvents(part, id);
  else yield* textEvents(part, id, cut);
}

function* argumentEvents(part: Extract<ScriptPart, { kind: 'call' }>, item_id: string): Generator<Told> {
  const type = part.custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  for (const delta of part.pieces) yield [`${type}.delta`, { delta, item_id }];
  yield [`${type}.done`, { [part.custom ? 'input' : 'arguments']: part.pieces.join(''), item_id }];
}

function* summaryEvents(part: ScriptPart, item_id: string): Generator<Told> {
  if (part.pieces.length === 0) return;
  const at = { item_id, summary_index: 0 };
  const text = part.pieces.join('');
  yield ['response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }];
  for (const delta of part.pieces) yield ['response.reasoning_summary_text.delta', { ...at, delta }];
  yield ['response.reasoning_summary_text.done', { ...at, text }];
  yield ['response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }];
}

function* textEvents(part: ScriptPart, item_id: string, cut: boolean): Generator<Told> {
  const at = { item_id, content_index: 0 };
  const refuses = part.kind === 'refusal';
  const type = refuses ? 'response.refusal' : 'response.output_text';
  const extra = refuses ? {} : { logprobs: [] };
  const text = part.pieces.join('');
  yield ['response.content_part.added', { ...at, part: contentPart(part, '') }];
  for (const delta of part.pieces) yield [`${type}.delta`, { ...at, delta, ...extra }];
  if (cut) return;
  yield [`${type}.done`, { ...at, [refuses ? 'refusal' : 'text']: text, ...extra }];
  yield ['response.content_part.done', { ...at, part: contentPart(part, text) }];
}

function contentPart(part: ScriptPart, text: string): JsonObject {
  return part.kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', annotations: [], logprobs: [], text };
}

const ITEM_PREFIX = { text: 'msg', refusal: 'msg', thinking: 'rs', call: 'fc' } as const;

function itemId(part: ScriptPart, stamp: Stamp, index: number): string {
  const prefix = part.kind === 'call' && part.custom ? 'ctc' : ITEM_PREFIX[part.kind];
  return `${prefix}_${tail(stamp, index, 32)}${stamp.created.toString(16)}`;
}

function outputItem(
  script: Script,
  part: ScriptPart,
  stamp: Stamp,
  index: number,
  done: boolean,
): JsonObject {
  const id = itemId(part, stamp, index);
  const text = done ? part.pieces.join('') : '';
  if (part.kind === 'thinking') return reasoningItem(part, stamp, id, done);
  const status = done ? (script.finish === 'length' ? 'incomplete' : 'completed') : 'in_progress';
  if (part.kind === 'call') {
    const { name, namespace } = part;
    const call = { call_id: `call_${tail(stamp, index, 24)}`, name, ...(namespace && { namespace }) };
    return part.custom
      ? { id, type: 'custom_tool_call', status, ...call, input: text }
      : { id, type: 'function_call', status, arguments: text, ...call };
  }
  const content = done ? [contentPart(part, text)] : [];
  return { id, type: 'message', status, content, role: 'assistant' };
}

function reasoningItem(part: ScriptPart, stamp: Stamp, id: string, done: boolean): JsonObject {
  const sealed = asList(stamp.body['include']).includes('reasoning.encrypted_content');
  const shown = done && part.pieces.length > 0;
  return {
    id,
    type: 'reasoning',
    ...(sealed && { encrypted_content: sign('openai', id) }),
    summary: shown ? [{ type: 'summary_text', text: part.pieces.join('') }] : [],
  };
}

function finalStatus(script: Script): Status {
  return script.finish === 'length' ? 'incomplete' : 'completed';
}

/** @returns the body of a response that is not streamed */
export function wholeResponses(script: Script, stamp: Stamp): JsonObject {
  const output = spoken(script, stamp).map((part, index) => outputItem(script, part, stamp, index, true));
  return response(script, stamp, finalStatus(script), output);
}

/** @returns a response of which nothing is said, because it is still being made or was cancelled */
export function pendingResponse(script: Script, stamp: Stamp, status: Pending): JsonObject {
  return response(script, stamp, status, []);
}

function usage(tokens: ScriptUsage): JsonObject {
  return {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: tokens.cacheRead, cache_write_tokens: tokens.cacheWrite },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: tokens.input + tokens.output,
  };
}

/** The response object, which echoes the request with its defaults filled in. */
function response(script: Script, stamp: Stamp, status: Status, output: readonly JsonObject[]): JsonObject {
  const { body, created } = stamp;
  const over = !PENDING.has(status);
  const said = (field: string, otherwise: Json): Json => body[field] ?? otherwise;
  const text = asObject(body['text']);
  const reasoning = asObject(body['reasoning']);
  return {
    id: `resp_${tail(stamp, 0, 32)}${created.toString(16)}`,
    object: 'response',
    created_at: created,
    status,
    access_programs: null,
    background: said('background', false),
    completed_at: status === 'completed' ? created + 1 : null,
    error:
      status === 'failed'
        ? { code: RESPONSES_STREAM_ERROR.code, message: RESPONSES_STREAM_ERROR.message }
        : null,
    frequency_penalty: 0,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: said('instructions', null),
    max_output_tokens: said('max_output_tokens', null),
    max_tool_calls: said('max_tool_calls', null),
    model: stamp.model,
    output,
    parallel_tool_calls: said('parallel_tool_calls', true),
    presence_penalty: 0,
    previous_response_id: said('previous_response_id', null),
    prompt_cache_key: said('prompt_cache_key', null),
    prompt_cache_retention: said('prompt_cache_retention', null),
    reasoning: { effort: reasoning?.['effort'] ?? null, summary: reasoning?.['summary'] ?? null },
    safety_identifier: said('safety_identifier', null),
    service_tier: over ? 'default' : said('service_tier', 'auto'),
    store: said('store', true),
    temperature: said('temperature', 1),
    text: { format: repeatFormat(text?.['format']), verbosity: text?.['verbosity'] ?? 'medium' },
    tool_choice: said('tool_choice', 'auto'),
    tools: repeatTools(body['tools']),
    top_logprobs: said('top_logprobs', 0),
    top_p: said('top_p', 1),
    truncation: said('truncation', 'disabled'),
    usage: over && status !== 'failed' ? usage(script.usage) : null,
    user: said('user', null),
    metadata: said('metadata', {}),
  };
}

/**
 * The tools as OpenAI repeats them, with all fields. Without `strict`, OpenAI tries strict mode, and says whether the
 * schema allows it.
 */
function repeatTools(tools: Json | undefined): readonly JsonObject[] {
  return asObjects(tools).map((tool) => {
    if (tool['type'] === 'namespace') return { ...tool, tools: repeatTools(tool['tools']) };
    if (tool['type'] !== 'function') return tool;
    const { description = null, parameters = null, strict } = tool;
    return { ...tool, description, parameters, strict: strict ?? fitsStrict(asObject(parameters)) };
  });
}

/** The form of the answer, with all fields. */
function repeatFormat(format: Json | undefined): JsonObject {
  const asked = asObject(format) ?? { type: 'text' };
  if (asked['type'] !== 'json_schema') return asked;
  const { description = null, strict } = asked;
  return { ...asked, description, strict: strict ?? false };
}
