/**
 * A script as chat-completions sends it: in OpenAI's own way, and in the way of DeepSeek, which shows its reasoning.
 */

import type { JsonObject } from '../../lib/json.ts';
import { asNumber, asObject } from '../../lib/json.ts';
import type { Script, ScriptUsage, Stamp, WireEvent } from '../script.ts';
import { getCalls, getText, tail } from '../script.ts';

/** What the services do differently (recorded in August 2026). */
export interface ChatFlavour {
  answerId(stamp: Stamp): string;
  callId(stamp: Stamp, index: number): string;
  /** Fields of every chunk and of a whole answer, beside the standard ones. */
  readonly common: JsonObject;
  /** Whether reasoning is shown, as `reasoning_content`. */
  readonly showsReasoning: boolean;
  /** Whether usage is on the chunk that finishes, whether requested or not. */
  readonly usageOnFinish: boolean;
  /** Fields of a message that only OpenAI has. */
  readonly messageFields: JsonObject;
  usage(usage: ScriptUsage): JsonObject;
}

/** OpenAI's own way. */
export const openaiFlavour: ChatFlavour = {
  answerId: (stamp) => `chatcmpl-${tail(stamp, 0, 29)}`,
  callId: (stamp, index) => `call_${tail(stamp, index, 24)}`,
  common: { service_tier: 'default', system_fingerprint: 'fp_5a7d0b4c1e' },
  showsReasoning: false,
  usageOnFinish: false,
  messageFields: { refusal: null },
  usage: (usage) => ({
    ...totals(usage),
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
};

/** The way of a service with the models of many vendors: OpenAI's, except that it shows reasoning. */
export const compatibleFlavour: ChatFlavour = {
  ...openaiFlavour,
  answerId: (stamp) => `gen-${stamp.created}-${tail(stamp, 0, 20)}`,
  common: {},
  showsReasoning: true,
};

/** DeepSeek's way. */
export const deepseekFlavour: ChatFlavour = {
  answerId: ({ id }) =>
    `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-a${id.slice(17, 20)}-${id.slice(20, 32)}`,
  callId: (stamp, index) => `call_${String(index).padStart(2, '0')}_${tail(stamp, index, 24)}`,
  common: { system_fingerprint: 'fp_6c1f2e9d08_prod_fp8_kvcache' },
  showsReasoning: true,
  usageOnFinish: true,
  messageFields: {},
  usage: (usage) => ({
    ...totals(usage),
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    prompt_cache_hit_tokens: usage.cacheRead,
    prompt_cache_miss_tokens: usage.input - usage.cacheRead,
  }),
};

const FINISH = {
  stop: 'stop',
  length: 'length',
  'stop-sequence': 'stop',
  calls: 'tool_calls',
  refusal: 'stop',
} as const;

const CHAT_STREAM_ERROR: JsonObject = {
  error: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    param: null,
    code: null,
  },
};

function totals(usage: ScriptUsage): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
  };
}

/**
 * If `tool_choice` names the one tool to call, the call is no decision of the model, and OpenAI says `stop` (recorded).
 */
function renderFinish(script: Script, stamp: Stamp, flavour: ChatFlavour): string {
  const forced = asObject(stamp.body['tool_choice'])?.['function'] !== undefined;
  return script.finish === 'calls' && forced && !flavour.showsReasoning ? 'stop' : FINISH[script.finish];
}

function choiceCount(stamp: Stamp): number {
  return asNumber(stamp.body['n']) ?? 1;
}

/** @returns the events of a streamed answer, which end with `[DONE]` unless the script is broken */
export function* streamChat(script: Script, stamp: Stamp, flavour: ChatFlavour): Generator<WireEvent> {
  const includeUsage = asObject(stamp.body['stream_options'])?.['include_usage'] === true;
  const withUsage = includeUsage || flavour.usageOnFinish;
  const head = {
    id: flavour.answerId(stamp),
    object: 'chat.completion.chunk',
    created: stamp.created,
    model: stamp.model,
    ...flavour.common,
  };
  const chunk = (index: number, delta: JsonObject, finish: string | null = null): WireEvent => ({
    data: JSON.stringify({
      ...head,
      choices: [{ index, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage && {
        usage: finish !== null && flavour.usageOnFinish ? flavour.usage(script.usage) : null,
      }),
    }),
  });
  for (let index = 0; index < choiceCount(stamp); index += 1) {
    for (const delta of deltas(script, stamp, flavour)) yield chunk(index, delta);
    if (!script.broken) yield chunk(index, lastDelta(flavour), renderFinish(script, stamp, flavour));
  }
  if (script.broken) {
    yield { data: JSON.stringify(CHAT_STREAM_ERROR) };
    return;
  }
  if (includeUsage && !flavour.usageOnFinish) {
    yield { data: JSON.stringify({ ...head, choices: [], usage: flavour.usage(script.usage) }) };
  }
  yield { data: '[DONE]' };
}

function lastDelta(flavour: ChatFlavour): JsonObject {
  return flavour.showsReasoning ? { content: '', reasoning_content: null } : {};
}

function* deltas(script: Script, stamp: Stamp, flavour: ChatFlavour): Generator<JsonObject> {
  yield firstDelta(script, flavour);
  let call = 0;
  for (const part of script.parts) {
    if (part.kind === 'thinking' || part.kind === 'text' || part.kind === 'refusal') {
      for (const piece of part.pieces) yield* wordDeltas(part.kind, piece, flavour);
      continue;
    }
    yield { tool_calls: [{ index: call, ...renderCall(part, flavour.callId(stamp, call), '') }] };
    const field = part.custom ? 'custom' : 'function';
    const name = part.custom ? 'input' : 'arguments';
    for (const piece of part.pieces) yield { tool_calls: [{ index: call, [field]: { [name]: piece } }] };
    call += 1;
  }
}

/** The chunk of some words. A service that shows its reasoning has a field for both kinds in each; others show none. */
function wordDeltas(
  kind: 'thinking' | 'text' | 'refusal',
  piece: string,
  { showsReasoning }: ChatFlavour,
): readonly JsonObject[] {
  if (kind === 'refusal') return [{ refusal: piece }];
  if (!showsReasoning) return kind === 'text' ? [{ content: piece }] : [];
  if (kind === 'text') return [{ content: piece, reasoning_content: null }];
  return [{ content: null, reasoning_content: piece }];
}

/** The first chunk names the role; its content is null if no text follows (recorded). */
function firstDelta(script: Script, flavour: ChatFlavour): JsonObject {
  if (flavour.showsReasoning && script.parts[0]?.kind === 'thinking') {
    return { role: 'assistant', content: null, reasoning_content: '' };
  }
  const speaks = script.parts.some((part) => part.kind === 'text');
  const refuses = script.parts.some((part) => part.kind === 'refusal');
  return {
    role: 'assistant',
    content: speaks ? '' : null,
    ...flavour.messageFields,
    ...(refuses && { refusal: '' }),
  };
}

function renderCall(
  { name, custom }: { readonly name: string; readonly custom?: boolean },
  id: string,
  input: string,
): JsonObject {
  return custom
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: input } };
}

/** @returns the body of an answer that is not streamed */
export function wholeChat(script: Script, stamp: Stamp, flavour: ChatFlavour): JsonObject {
  const speaks = script.parts.some((part) => part.kind === 'text');
  const refusal = getText(script, 'refusal');
  const reasoning = getText(script, 'thinking');
  const calls = getCalls(script).map((call, index) =>
    renderCall(call, flavour.callId(stamp, index), call.pieces.join('')),
  );
  const message = {
    role: 'assistant',
    content: speaks ? getText(script, 'text') : null,
    ...(flavour.showsReasoning && reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...flavour.messageFields,
    ...(refusal !== '' && { refusal }),
    ...(!flavour.showsReasoning && { annotations: [] }),
  };
  return {
    id: flavour.answerId(stamp),
    object: 'chat.completion',
    created: stamp.created,
    model: stamp.model,
    choices: Array.from({ length: choiceCount(stamp) }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: renderFinish(script, stamp, flavour),
    })),
    usage: flavour.usage(script.usage),
    ...flavour.common,
  };
}
