/**
 * A script as Anthropic's messages sends it, with the order of events of its streaming documentation and of recordings.
 */

import type { JsonObject } from '../../lib/json.ts';
import { asObject, parseJson } from '../../lib/json.ts';
import type { Script, ScriptPart, ScriptUsage, Stamp, WireEvent } from '../script.ts';
import { tail } from '../script.ts';
import { sign } from '../signatures.ts';

const STOP_REASON = {
  stop: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  calls: 'tool_use',
  refusal: 'refusal',
} as const;

const MESSAGES_STREAM_ERROR: JsonObject = {
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
};

/** `input_tokens` does not include cached tokens. */
function inputUsage(usage: ScriptUsage): JsonObject {
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
}

/** The usage of a message. @param output the figures of its output that are known so far. */
function messageUsage(usage: ScriptUsage, output: JsonObject): JsonObject {
  return {
    ...inputUsage(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheForAnHour ? 0 : usage.cacheWrite,
      ephemeral_1h_input_tokens: usage.cacheForAnHour ? usage.cacheWrite : 0,
    },
    ...output,
    service_tier: 'standard',
    inference_geo: 'not_available',
  };
}

function outputUsage(usage: ScriptUsage): JsonObject {
  return {
    output_tokens: usage.output,
    ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  };
}

function message(
  stamp: Stamp,
  content: readonly JsonObject[],
  end: JsonObject,
  usage: JsonObject,
): JsonObject {
  return {
    model: stamp.model,
    id: `msg_01${tail(stamp, 0, 22)}`,
    type: 'message',
    role: 'assistant',
    content,
    ...end,
    usage,
  };
}

function ending(script: Script): JsonObject {
  return {
    stop_reason: STOP_REASON[script.finish],
    stop_sequence: script.stopSequence ?? null,
    stop_details:
      script.finish === 'refusal'
        ? {
            type: 'refusal',
            category: 'cyber',
            explanation: 'This request was declined by a safety classifier.',
          }
        : null,
  };
}

/** @returns the events of a streamed message */
export function* streamMessages(script: Script, stamp: Stamp): Generator<WireEvent> {
  const open = { stop_reason: null, stop_sequence: null, stop_details: null };
  const { usage } = script;
  yield named('message_start', {
    message: message(stamp, [], open, messageUsage(usage, { output_tokens: 1 })),
  });
  for (const [index, part] of script.parts.entries()) {
    yield named('content_block_start', { index, content_block: openBlock(part, stamp, index) });
    if (index === 0) yield { event: 'ping', data: '{"type": "ping"}' };
    for (const delta of deltas(part)) yield named('content_block_delta', { index, delta });
    if (script.broken && index === script.parts.length - 1) break;
    yield named('content_block_stop', { index });
  }
  if (script.broken) {
    yield { event: 'error', data: JSON.stringify(MESSAGES_STREAM_ERROR) };
    return;
  }
  yield named('message_delta', {
    delta: ending(script),
    usage: { ...inputUsage(usage), ...outputUsage(usage) },
  });
  yield named('message_stop', {});
}

function named(type: string, fields: JsonObject): WireEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function openBlock(part: ScriptPart, stamp: Stamp, index: number): JsonObject {
  if (part.kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (part.kind === 'call') return toolUse(part.name, stamp, index, {});
  return { type: 'text', text: '' };
}

function toolUse(name: string, stamp: Stamp, index: number, input: JsonObject): JsonObject {
  return {
    type: 'tool_use',
    id: `toolu_01${tail(stamp, index, 22)}`,
    name,
    input,
    caller: { type: 'direct' },
  };
}

function* deltas(part: ScriptPart): Generator<JsonObject> {
  if (part.kind === 'call') {
    yield { type: 'input_json_delta', partial_json: '' };
    const text = part.pieces.join('');
    if (text === '{}') return;
    for (const piece of part.pieces) yield { type: 'input_json_delta', partial_json: piece };
  } else if (part.kind === 'thinking') {
    for (const piece of part.pieces) yield { type: 'thinking_delta', thinking: piece };
    yield { type: 'signature_delta', signature: sign('anthropic', part.pieces.join('')) };
  } else {
    for (const piece of part.pieces) yield { type: 'text_delta', text: piece };
  }
}

/** @returns the body of a message that is not streamed */
export function wholeMessages(script: Script, stamp: Stamp): JsonObject {
  const content = script.parts.map((part, index): JsonObject => {
    const text = part.pieces.join('');
    if (part.kind === 'thinking') {
      return { type: 'thinking', thinking: text, signature: sign('anthropic', text) };
    }
    if (part.kind !== 'call') return { type: 'text', text };
    return toolUse(part.name, stamp, index, asObject(parseJson(text)) ?? {});
  });
  const usage = messageUsage(script.usage, outputUsage(script.usage));
  return message(stamp, content, ending(script), usage);
}
