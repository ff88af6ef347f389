/** Why an answer ended, in every format: what its words mean, and which word is written again. */

import { describe, expect, test } from 'vitest';
import type { Finish } from '../../src/conversation/reply.ts';
import * as chat from '../../src/formats/chat-completions/wire/finish-reasons.ts';
import * as google from '../../src/formats/generate-content/wire/finish-reasons.ts';
import * as messages from '../../src/formats/messages/wire/finish-reasons.ts';
import * as responses from '../../src/formats/responses/wire/finish-reasons.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';

const NOTHING = { calls: false, refusal: false };
const CALLS = { calls: true, refusal: false };
const REFUSAL = { calls: false, refusal: true };

describe('chat-completions', () => {
  test.each<[Finish, said: chat.AnswerContents, settled: Finish]>([
    ['stop', NOTHING, 'stop'],
    ['stop', CALLS, 'tool-calls'],
    ['stop', REFUSAL, 'refusal'],
    ['tool-calls', NOTHING, 'stop'],
    ['tool-calls', CALLS, 'tool-calls'],
    ['tool-calls', REFUSAL, 'stop'],
    ['length', CALLS, 'length'],
    ['length', REFUSAL, 'length'],
    ['content-filter', CALLS, 'content-filter'],
    ['content-filter', REFUSAL, 'content-filter'],
  ])('%s after %j is %s', (finish, said, settled) => {
    expect(chat.settleFinish(finish, said)).toBe(settled);
  });

  test.each<[Finish, native: string | undefined, refined: Finish]>([
    ['stop', 'stop_sequence', 'stop-sequence'],
    ['stop', 'pause_turn', 'pause'],
    ['content-filter', 'refusal', 'refusal'],
    ['length', 'model_context_window_exceeded', 'context-length'],
    ['content-filter', 'MALFORMED_FUNCTION_CALL', 'malformed-call'],
    ['length', 'stop_sequence', 'length'],
    ['stop', 'end_turn', 'stop'],
    ['stop', 'constructor', 'stop'],
    ['stop', undefined, 'stop'],
  ])('%s beside the own word %s is %s', (finish, native, refined) => {
    expect(chat.refineFinish(finish, native)).toBe(refined);
  });

  test.each<[Finish, said: chat.AnswerContents, word: string]>([
    ['length', NOTHING, 'length'],
    ['context-length', CALLS, 'length'],
    ['content-filter', CALLS, 'content_filter'],
    ['malformed-call', NOTHING, 'content_filter'],
    ['refusal', NOTHING, 'content_filter'],
    ['refusal', REFUSAL, 'stop'],
    ['tool-calls', CALLS, 'tool_calls'],
    ['tool-calls', NOTHING, 'stop'],
    ['stop', CALLS, 'tool_calls'],
    ['pause', NOTHING, 'stop'],
    ['other', NOTHING, 'stop'],
  ])('%s with %j is said as %s', (finish, said, word) => {
    expect(chat.renderFinish(finish, said)).toBe(word);
  });

  test.each<[word: string, native: string | undefined, formatSpecific: string | undefined]>([
    ['stop', undefined, undefined],
    ['stop', 'end_turn', 'end_turn'],
    ['eos', undefined, 'eos'],
    ['eos', 'end', 'end'],
  ])('of %s and the own word %s, %s is kept', (word, native, own) => {
    expect(chat.nativeWord(word, native)).toBe(own);
  });
});

test.each([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['model_length', 'context-length'],
  ['constructor', 'other'],
  ['a new word', 'other'],
  // Amazon's guardrails (pydantic/pydantic-ai#7816).
  ['guardrail_intervened', 'content-filter'],
  // Words of Claude and of Gemini that services in front of them pass on.
  ['compaction', 'pause'],
  ['LANGUAGE', 'content-filter'],
  ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
  // Google's service in this format.
  ['SAFETY', 'content-filter'],
  ['STOP', 'stop'],
  ['content_filter: PROHIBITED_CONTENT', 'content-filter'],
  ['content_filter: A_NEW_WORD', 'content-filter'],
  ['function_call_filter: MALFORMED_FUNCTION_CALL', 'malformed-call'],
  ['function_call_filter: A_NEW_WORD', 'malformed-call'],
  ['constructor: A', 'other'],
])('chat-completions: the word %s means %s', (word, finish) => {
  expect(chat.parseFinish(word)).toBe(finish);
});

describe('responses', () => {
  const incomplete = (details?: JsonObject) => ({
    status: 'incomplete',
    incomplete_details: details ?? null,
  });
  test.each<[response: JsonObject, said: responses.AnswerContents, end: object]>([
    [{ status: 'completed' }, NOTHING, { finish: 'stop' }],
    [{ status: 'completed' }, CALLS, { finish: 'tool-calls' }],
    [{ status: 'completed' }, REFUSAL, { finish: 'refusal' }],
    [incomplete({ reason: 'max_output_tokens' }), CALLS, { finish: 'length' }],
    [incomplete({ reason: 'content_filter' }), REFUSAL, { finish: 'content-filter' }],
    [incomplete({ reason: 'constructor' }), NOTHING, { finish: 'other', native: 'constructor' }],
    [incomplete(), NOTHING, { finish: 'other', native: 'incomplete' }],
  ])('%j with %j', (response, said, end) => {
    expect(responses.parseFinish(response, said)).toEqual(end);
  });

  const rendered = (...finish: Parameters<typeof responses.renderStatus>) => ({
    status: responses.renderStatus(...finish),
    details: responses.renderIncompleteDetails(...finish),
  });
  const completed = { status: 'completed', details: null };
  const cut = (reason: string) => ({ status: 'incomplete', details: { reason } });
  test.each<[Finish, refusal: boolean, told: object]>([
    ['stop', false, completed],
    ['stop-sequence', false, completed],
    ['tool-calls', false, completed],
    ['pause', false, completed],
    ['other', false, completed],
    ['refusal', true, completed],
    ['refusal', false, cut('content_filter')],
    ['length', false, cut('max_output_tokens')],
    ['context-length', false, cut('max_output_tokens')],
    ['content-filter', true, cut('content_filter')],
    ['malformed-call', false, cut('content_filter')],
  ])('%s is said, where a refusal was: %s', (finish, refusal, told) => {
    expect(rendered({ finish }, refusal)).toEqual(told);
  });

  test('an unknown reason is written again', () => {
    const own = { format: 'responses', fields: { incomplete_details: { reason: 'new' } } } as const;
    expect(rendered({ finish: 'other', formatSpecific: own }, false)).toEqual(cut('new'));
  });
});

describe('messages', () => {
  const DIRECT = { direct: true, byCode: false };
  const BY_CODE = { direct: false, byCode: true };
  test.each<[word: string | undefined, calls: messages.Calls, finish: Finish]>([
    [undefined, messages.NO_CALLS, 'stop'],
    [undefined, DIRECT, 'tool-calls'],
    [undefined, BY_CODE, 'stop'],
    ['end_turn', DIRECT, 'tool-calls'],
    ['end_turn', BY_CODE, 'stop'],
    ['tool_use', DIRECT, 'tool-calls'],
    ['tool_use', BY_CODE, 'tool-calls'],
    ['tool_use', messages.NO_CALLS, 'stop'],
    ['max_tokens', DIRECT, 'length'],
    ['compaction', DIRECT, 'pause'],
    ['new_word', DIRECT, 'other'],
  ])('%s with %j is %s', (stop_reason, calls, finish) => {
    const fields = stop_reason === undefined ? {} : { stop_reason };
    expect(messages.parseEnd(fields, calls).finish).toBe(finish);
  });

  test('calls of both kinds are counted', () => {
    const byCode = { caller: { type: 'code_execution_20250825' } };
    expect(messages.addCall(messages.NO_CALLS, {})).toEqual(DIRECT);
    expect(messages.addCall(messages.NO_CALLS, { caller: { type: 'direct' } })).toEqual(DIRECT);
    expect(messages.addCall(messages.NO_CALLS, byCode)).toEqual(BY_CODE);
    for (const both of [messages.addCall(DIRECT, byCode), messages.addCall(BY_CODE, {})])
      expect(both).toEqual({ direct: true, byCode: true });
  });

  test.each<[word: string | undefined, roundTrip: object | undefined]>([
    [undefined, undefined],
    ['end_turn', undefined],
    ['pause_turn', undefined],
    ['compaction', { stop_reason: 'compaction' }],
    ['new_word', { stop_reason: 'new_word' }],
  ])('%s is kept where no other format has a word that it could be made of again', (stop_reason, kept) => {
    const end = messages.parseEnd(stop_reason === undefined ? {} : { stop_reason }, messages.NO_CALLS);
    expect(end.formatSpecific?.fields).toEqual(kept);
    if (kept !== undefined) expect(messages.renderStop(end, said)).toMatchObject(kept);
  });

  test('further fields of an end at Anthropic stand where Anthropic has them', () => {
    const fields = { stop_reason: 'end_turn', container: { id: 'c' }, context_management: {}, new_field: 1 };
    const end = messages.parseEnd(fields, messages.NO_CALLS);
    expect(messages.renderEndFields(end)).toEqual({
      inside: { container: { id: 'c' }, new_field: 1 },
      beside: { context_management: {} },
    });
    const own = { format: 'responses', fields: { context_management: {}, tool_usage: {} } } as const;
    expect(
      messages.renderEndFields({ finish: 'stop', formatSpecific: own, unknownFields: { a: 1 } }),
    ).toEqual({
      inside: { a: 1, tool_usage: {} },
      beside: {},
    });
  });

  const said = { calls: messages.NO_CALLS, refusal: false, stop: undefined };
  test.each<[Finish, more: object, reason: string]>([
    ['stop', {}, 'end_turn'],
    ['stop', { calls: DIRECT }, 'tool_use'],
    ['stop', { calls: BY_CODE }, 'end_turn'],
    ['tool-calls', { calls: BY_CODE }, 'tool_use'],
    ['tool-calls', {}, 'end_turn'],
    ['stop', { refusal: true }, 'refusal'],
    ['stop', { refusal: true, calls: DIRECT }, 'tool_use'],
    ['length', { calls: DIRECT }, 'max_tokens'],
    ['context-length', {}, 'model_context_window_exceeded'],
    ['pause', {}, 'pause_turn'],
    ['malformed-call', {}, 'refusal'],
  ])('%s with %j is said as %s', (finish, more, stop_reason) => {
    expect(messages.renderStop({ finish }, { ...said, ...more })).toMatchObject({ stop_reason });
  });

  test.each<[told: string | undefined, asked: string[] | undefined, reason: string, sequence: Json]>([
    ['END', undefined, 'stop_sequence', 'END'],
    ['END', ['a', 'END'], 'stop_sequence', 'END'],
    [undefined, ['END'], 'stop_sequence', 'END'],
    [undefined, ['a', 'END'], 'end_turn', null],
    [undefined, undefined, 'end_turn', null],
  ])('of the sequence %s, of those asked for %j: %s', (stopSequence, stop, reason, sequence) => {
    const end = { finish: 'stop-sequence', ...(stopSequence && { stopSequence }) } as const;
    expect(messages.renderStop(end, { ...said, stop })).toEqual({
      stop_reason: reason,
      stop_sequence: sequence,
      stop_details: null,
    });
    // It is reported only if it ended the answer.
    expect(messages.renderStop({ ...end, finish: 'length' }, { ...said, stop })).toMatchObject({
      stop_sequence: null,
    });
  });

  test('an answer that ended by itself was not stopped by the one sequence it was asked to stop at', () => {
    expect(messages.renderStop({ finish: 'stop' }, { ...said, stop: ['END'] })).toMatchObject({
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
  });

  test.each<[native: string | undefined, explanation: string | undefined, told: Json]>([
    [undefined, undefined, null],
    ['refusal', undefined, null],
    ['SAFETY', undefined, 'SAFETY'],
    ['SAFETY', 'It is too hot.', 'SAFETY: It is too hot.'],
    ['refusal', 'It is too hot.', 'It is too hot.'],
  ])('a refusal for %s, %s is explained', (native, explanation, told) => {
    const end = {
      finish: 'refusal',
      ...(native && { native }),
      ...(explanation && { explanation }),
    } as const;
    expect(messages.renderStop(end, said)['stop_details']).toEqual({
      type: 'refusal',
      category: null,
      explanation: told,
    });
  });
});

describe('generate-content', () => {
  test.each<[word: string, has: Parameters<typeof google.parseFinish>[1], end: object]>([
    ['STOP', { calls: false, anything: true }, { finish: 'stop' }],
    ['STOP', { calls: true, anything: true }, { finish: 'tool-calls' }],
    ['STOP', { calls: false, anything: false }, { finish: 'stop' }],
    ['MAX_TOKENS', { calls: true, anything: true }, { finish: 'length' }],
    [
      'UNEXPECTED_TOOL_CALL',
      { calls: true, anything: true },
      { finish: 'tool-calls', native: 'UNEXPECTED_TOOL_CALL' },
    ],
    [
      'UNEXPECTED_TOOL_CALL',
      { calls: false, anything: true },
      { finish: 'malformed-call', native: 'UNEXPECTED_TOOL_CALL' },
    ],
    ['OTHER', { calls: false, anything: true }, { finish: 'other', native: 'OTHER' }],
    ['OTHER', { calls: false, anything: false }, { finish: 'content-filter', native: 'OTHER' }],
    ['SAFETY', { calls: true, anything: true }, { finish: 'content-filter', native: 'SAFETY' }],
  ])('%s with %j', (word, has, end) => {
    expect(google.parseFinish(word, has)).toEqual(end);
  });

  test.each<[value: Json | undefined, word: string | undefined]>([
    ['STOP', 'STOP'],
    [1, 'STOP'],
    [99, '99'],
    [0, undefined],
    ['FINISH_REASON_UNSPECIFIED', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j ends an answer by %s', (value, word) => {
    expect(google.finishWord(value)).toBe(word);
  });

  test.each<[value: Json | undefined, word: string | undefined]>([
    [1, 'SAFETY'],
    [0, undefined],
    ['BLOCK_REASON_UNSPECIFIED', undefined],
  ])('%j blocks a prompt by %s', (value, word) => {
    expect(google.blockWord(value)).toBe(word);
  });

  test.each<[end: Parameters<typeof google.renderFinish>[0], word: string]>([
    [{ finish: 'stop' }, 'STOP'],
    [{ finish: 'refusal' }, 'SAFETY'],
    [{ finish: 'malformed-call' }, 'MALFORMED_FUNCTION_CALL'],
    [{ finish: 'content-filter', native: 'IMAGE_SAFETY' }, 'IMAGE_SAFETY'],
    [{ finish: 'pause', native: 'pause_turn' }, 'OTHER'],
    [{ finish: 'stop', native: 'COMPLETE' }, 'STOP'],
  ])('%j is said as %s', (end, word) => {
    expect(google.renderFinish(end)).toBe(word);
  });
});
