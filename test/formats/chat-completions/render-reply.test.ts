import { describe, expect, test } from 'vitest';
import type { Reply, ReplyPart } from '../../../src/conversation/reply.ts';
import { renderReply } from '../../../src/formats/chat-completions/inbound/render-reply.ts';
import { RULEBOOKS } from '../../../src/protocol/validate.ts';
import { ASKED } from './answers.ts';

const replyWith = (
  parts: readonly ReplyPart[],
  end: Reply['choices'][number]['end'] = { finish: 'stop' },
): Reply => ({
  start: { type: 'reply-start', id: 'msg_017xY', model: 'claude', created: 1_790_000_000 },
  choices: [{ parts, end }],
  usage: { input: 10, output: 7 },
});
const messageOf = (parts: readonly ReplyPart[]) => renderReply(replyWith(parts), ASKED)['choices'];
const call: ReplyPart = { kind: 'tool-call', id: 'call_1', name: 'f', arguments: '{"x":1}' };

test('a text', () => {
  const body = renderReply(
    replyWith([
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
    ]),
    ASKED,
  );
  expect(body).toEqual({
    id: 'chatcmpl-017xY',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'claude',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello', refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 17,
      // Zeros are included, as at OpenAI: clients read them without checking.
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  });
  expect(RULEBOOKS['chat-completions'].whole(body).violations).toEqual([]);
});

describe('a message', () => {
  test('keeps its texts apart although an empty one with a source is between them', () => {
    const empty: ReplyPart = { kind: 'text', text: '', citations: [{ url: 'https://a.example/' }] };
    const parts: ReplyPart[] = [{ kind: 'text', text: 'One' }, call, empty, { kind: 'text', text: 'Two' }];
    expect(messageOf(parts)).toMatchObject([{ message: { content: 'One\n\nTwo' } }]);
  });

  test('with only calls has no content', () => {
    const body = renderReply(
      replyWith([
        call,
        { ...call, id: 'b', arguments: '{}' },
        { ...call, id: 'c', custom: true, arguments: '' },
      ]),
      ASKED,
    );
    expect(body['choices']).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          annotations: [],
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'c', type: 'custom', custom: { name: 'f', input: '' } },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ]);
    expect(RULEBOOKS['chat-completions'].whole(body).violations).toEqual([]);
  });

  test('has thoughts as plain text, and signed ones as blocks', () => {
    const thoughts: ReplyPart[] = [
      { kind: 'thinking', text: 'a', signature: { origin: 'openai', value: 's' } },
      { kind: 'thinking', text: 'b' },
    ];
    expect(messageOf(thoughts)).toMatchObject([
      {
        message: {
          reasoning_content: 'a\n\nb',
          thinking_blocks: [
            { type: 'thinking', thinking: 'a', signature: 'openai#s' },
            { type: 'thinking', thinking: 'b' },
          ],
        },
      },
    ]);
  });

  test('has no blocks if nothing is signed', () => {
    expect(JSON.stringify(messageOf([{ kind: 'thinking', text: 'a' }]))).not.toContain('thinking_blocks');
  });

  test('has signatures on calls and text', () => {
    const signature = { origin: 'google', value: 's' } as const;
    const extra_content = { google: { thought_signature: 's' } };
    expect(
      messageOf([
        { kind: 'text', text: 'a', signature },
        { ...call, signature },
      ]),
    ).toMatchObject([
      { message: { content: 'a', extra_content, tool_calls: [{ id: 'call_1', extra_content }] } },
    ]);
  });

  test('with a refusal has it in its own field, and finishes with stop', () => {
    const reply = replyWith([{ kind: 'refusal', text: 'No.' }], { finish: 'refusal' });
    const body = renderReply(
      {
        ...reply,
        choices: reply.choices.map((choice) => ({
          ...choice,
          logprobs: [{ token: 'No', logprob: 0, bytes: [] }],
        })),
      },
      ASKED,
    );
    expect(body['choices']).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: 'No.', annotations: [] },
        logprobs: { content: null, refusal: [{ token: 'No', logprob: 0, bytes: [], top_logprobs: [] }] },
        finish_reason: 'stop',
      },
    ]);
  });

  test('refused without a text finishes with content_filter', () => {
    expect(renderReply(replyWith([], { finish: 'refusal' }), ASKED)['choices']).toMatchObject([
      { message: { content: null }, finish_reason: 'content_filter' },
    ]);
  });

  test('has citations counted over all its text, and blocks of other formats', () => {
    const own = {
      format: 'messages',
      fields: { type: 'web_search_result_location', encrypted_index: 'E' },
    } as const;
    const parts: ReplyPart[] = [
      { kind: 'text', text: 'one ' },
      {
        kind: 'text',
        text: 'two',
        citations: [{ url: 'https://a.example', title: 'A', formatSpecific: own }],
      },
      { kind: 'opaque', format: 'messages', value: { type: 'server_tool_use' } },
    ];
    expect(messageOf(parts)).toMatchObject([
      {
        message: {
          annotations: [
            {
              type: 'url_citation',
              encrypted_index: 'E',
              url_citation: { start_index: 4, end_index: 7, title: 'A', url: 'https://a.example' },
            },
          ],
          provider_specific_fields: { messages: [{ type: 'server_tool_use' }] },
        },
      },
    ]);
  });

  test('has a function_call for a caller that sent functions, and a second call in tool_calls', () => {
    const asked = { ...ASKED, body: { functions: [{ name: 'f' }] } };
    const one = renderReply(replyWith([call], { finish: 'tool-calls' }), asked);
    expect(one['choices']).toMatchObject([
      { message: { function_call: { name: 'f', arguments: '{"x":1}' } }, finish_reason: 'function_call' },
    ]);
    expect(RULEBOOKS['chat-completions'].whole(one).violations).toEqual([]);
    const two = renderReply(replyWith([call, { ...call, id: 'b' }], { finish: 'tool-calls' }), asked);
    expect(two['choices']).toMatchObject([
      { message: { tool_calls: [{ id: 'b' }] }, finish_reason: 'tool_calls' },
    ]);
  });
});

test("the vendor's own fields stand under the standard ones", () => {
  const reply = replyWith([]);
  const start = {
    ...reply.start,
    serviceTier: 'flex',
    formatSpecific: { format: 'chat-completions', fields: { system_fingerprint: 'fp_1' } },
    unknownFields: { provider: 'P', object: 'not this' },
  } as const;
  expect(renderReply({ ...reply, start }, ASKED)).toMatchObject({
    provider: 'P',
    object: 'chat.completion',
    service_tier: 'flex',
    system_fingerprint: 'fp_1',
  });
});

test('usage that the vendor did not count is left out', () => {
  expect(renderReply({ ...replyWith([]), usage: {} }, ASKED)).not.toHaveProperty('usage');
});
