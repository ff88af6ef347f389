import { describe, expect, test } from 'vitest';
import type { Reply, ReplyPart } from '../../../src/conversation/reply.ts';
import { renderReply } from '../../../src/formats/messages/inbound/render-reply.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { RULEBOOKS } from '../../../src/protocol/validate.ts';
import { ASKED } from './answers.ts';

function whole(parts: readonly ReplyPart[], reply: Partial<Reply> = {}): JsonObject {
  const body = renderReply(
    {
      start: { type: 'reply-start', id: 'chatcmpl-9', model: 'gpt' },
      choices: [{ parts, end: { finish: 'stop' } }],
      usage: { input: 7, output: 3 },
      ...reply,
    },
    ASKED,
  );
  expect(RULEBOOKS['messages'].whole(body).violations).toEqual([]);
  return body;
}

const contentOf = (parts: readonly ReplyPart[]) => whole(parts)['content'];

const google = { origin: 'google', value: 'AbC' } as const;

describe('a message', () => {
  test('has all fields that Anthropic always sends', () => {
    expect(whole([{ kind: 'text', text: 'Hi' }])).toEqual({
      container: null,
      diagnostics: null,
      id: 'msg_9',
      type: 'message',
      role: 'assistant',
      model: 'gpt',
      content: [{ type: 'text', text: 'Hi', citations: [] }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        cache_read_input_tokens: 0,
        output_tokens: 3,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        speed: null,
      },
    });
  });

  test("falls back to the exchange's id and the requested model, and keeps the vendor's own fields", () => {
    const body = whole([], {
      start: {
        type: 'reply-start',
        id: '',
        model: '',
        formatSpecific: { format: 'generate-content', fields: { modelStatus: 'x', role: 'no' } },
      },
      choices: [
        {
          parts: [],
          end: {
            finish: 'stop',
            formatSpecific: { format: 'generate-content', fields: { groundingMetadata: {} } },
          },
        },
      ],
    });
    expect(body).toMatchObject({ id: 'msg_abc123', model: 'a-model', role: 'assistant', modelStatus: 'x' });
    expect(body).toHaveProperty('groundingMetadata');
  });

  test('has no content if there is no choice', () => {
    expect(whole([], { choices: [] })).toMatchObject({ content: [], stop_reason: 'end_turn' });
  });
});

describe('content', () => {
  test('the input of a call is an object that keeps every digit', () => {
    const call = { kind: 'tool-call', id: 'call_1', name: 'f' } as const;
    const body = JSON.stringify(
      contentOf([
        { ...call, arguments: '{"n":12345678901234567890}' },
        { ...call, id: 'call_2', arguments: '' },
        { ...call, id: 'call_3', arguments: '{"cut' },
        { ...call, id: 'call_4', arguments: 'select 1', custom: true },
      ]),
    );
    const inputs = ['{"n":12345678901234567890}', '{}', '{"arguments":"{\\"cut"}', '{"input":"select 1"}'];
    expect(body).toBe(
      `[${inputs.map((input, at) => `{"type":"tool_use","id":"call_${at + 1}","name":"f","input":${input},"caller":{"type":"direct"}}`).join()}]`,
    );
  });

  test('thinking: signed, sealed, redacted and empty', () => {
    expect(
      contentOf([
        { kind: 'thinking', text: 'a' },
        { kind: 'thinking', text: '', signature: { origin: 'openai', value: 'gAA' } },
        { kind: 'thinking', text: '', redacted: { origin: 'anthropic', value: 'Er' } },
        { kind: 'thinking', text: '' },
      ]),
    ).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'none#' },
      { type: 'thinking', thinking: '', signature: 'openai#gAA' },
      { type: 'redacted_thinking', data: 'Er' },
    ]);
  });

  test('signatures of texts and calls are carried in blocks beside them', () => {
    expect(
      contentOf([
        { kind: 'text', text: 'a', signature: google },
        { kind: 'text', text: '', signature: google },
        { kind: 'tool-call', id: 'c', name: 'f', arguments: '', signature: google },
      ]),
    ).toEqual([
      { type: 'text', text: 'a', citations: [] },
      { type: 'thinking', thinking: '', signature: 'google#p.AbC' },
      { type: 'thinking', thinking: '', signature: 'google#c.AbC' },
      { type: 'thinking', thinking: '', signature: 'google#c.AbC' },
      // Claude sends the caller with every call, and the Java SDK reads no call without it.
      { type: 'tool_use', id: 'c', name: 'f', input: {}, caller: { type: 'direct' } },
    ]);
  });

  test('an opaque block of this format is unchanged, one of another format is left out', () => {
    const value = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    expect(
      contentOf([
        { kind: 'opaque', format: 'messages', value },
        { kind: 'opaque', format: 'responses', value: { type: 'image_generation_call' } },
        { kind: 'text', text: '' },
      ]),
    ).toEqual([value]);
  });

  test('a refusal is a text and the stop reason', () => {
    expect(whole([{ kind: 'refusal', text: 'No.' }])).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
    });
  });
});
