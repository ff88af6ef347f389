/** Short ways to parse and to render answers. */

import type { Prompt } from '../../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import type { RequestContext } from '../../../src/formats/format.ts';
import { renderEvents } from '../../../src/formats/messages/inbound/render-events.ts';
import { parseEvents } from '../../../src/formats/messages/outbound/parse-events.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { asObject, asObjects, parseJson } from '../../../src/lib/json.ts';
import { decodeSse, type Sse, sseText } from '../../../src/streams/sse.ts';
import { fuse, run } from '../../../src/streams/step.ts';

export const PROMPT: Prompt & PromptOutline = { model: 'a-model', turns: [], calls: [], stream: true };

export const ASKED: RequestContext = { prompt: PROMPT, body: {}, id: 'abc123', created: 1_700_000_000 };

/** Makes events of their data, or of bytes in chunks of `size`. */
export function parsed(datas: readonly JsonObject[], prompt: PromptOutline = PROMPT): ReplyEvent[] {
  const events = datas.map((data) => ({ data: JSON.stringify(data) }));
  return run(parseEvents(prompt), events);
}

export function parsedBytes(bytes: Uint8Array, size = bytes.length): ReplyEvent[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return run(fuse(decodeSse(), parseEvents(PROMPT)), chunks);
}

export function parsedWhole(body: string, prompt: PromptOutline = PROMPT): ReplyEvent[] {
  return run(parseEvents(prompt), [{ data: body }]);
}

export function rendered(events: readonly ReplyEvent[], asked = ASKED): Sse[] {
  return run(renderEvents(asked), events);
}

/** Returns the parsed data of rendered events. */
export function said(events: readonly ReplyEvent[], asked = ASKED): JsonObject[] {
  return rendered(events, asked).map(({ data }) => asObject(parseJson(data)) ?? {});
}

export function bytesOf(events: readonly Sse[]): Uint8Array {
  return new TextEncoder().encode(events.map(sseText).join(''));
}

/** Makes a stream of Anthropic's around some blocks. */
export function stream(
  blocks: readonly JsonObject[],
  delta: JsonObject = {},
  usage?: JsonObject,
): JsonObject[] {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] };
  return [
    { type: 'message_start', message: { ...message, ...(usage && { usage }) } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null, ...delta } },
    { type: 'message_stop' },
  ];
}

/** Makes the events of one block: its start, its deltas and its stop. */
export function block(
  index: number,
  content_block: JsonObject,
  ...deltas: readonly JsonObject[]
): JsonObject[] {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** Makes an answer's events around the parts of its one choice. */
export function answer(
  parts: readonly (readonly ReplyEvent[])[],
  end: Partial<Extract<ReplyEvent, { type: 'choice-end' }>> = {},
): ReplyEvent[] {
  return [
    { type: 'reply-start', id: 'chatcmpl-9', model: 'gpt' },
    ...parts.flat(),
    { type: 'choice-end', choice: 0, finish: 'stop', ...end },
    { type: 'reply-end' },
  ];
}

/** A recorded message with null for each field that Anthropic's schema requires, and its service leaves out. */
export function withRequiredFields(json: string): JsonObject {
  const message = asObject(parseJson(json)) ?? {};
  const content = asObjects(message['content']).map((block) =>
    block['type'] === 'text' ? { citations: null, ...block } : block,
  );
  const required = [
    'cache_creation',
    'inference_geo',
    'output_tokens_details',
    'server_tool_use',
    'service_tier',
  ];
  const nulls = Object.fromEntries(required.map((field) => [field, null]));
  return { container: null, ...message, content, usage: { ...nulls, ...asObject(message['usage']) } };
}
