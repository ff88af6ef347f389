/** Every rule of every format, broken on purpose. A rule without a case does not compile. */

import { FinishReason } from '@google/genai';
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isObject, type Json, parseJson } from '../../src/lib/json.ts';
import type { Rule as ChatRule } from '../../src/protocol/chat-completions/rules.ts';
import type { Rule as GoogleRule } from '../../src/protocol/generate-content/rules.ts';
import type { Rule as MessagesRule } from '../../src/protocol/messages/rules.ts';
import type { Rule as ResponsesRule } from '../../src/protocol/responses/rules.ts';
import { RULEBOOKS, validator } from '../../src/protocol/validate.ts';
import type { ValidateOptions } from '../../src/protocol/validator.ts';
import type { Sse } from '../../src/streams/sse.ts';
import {
  type Edit,
  insert,
  recordedEvents,
  recordedWhole,
  remove,
  rename,
  repeat,
  replace,
  set,
  swap,
  withValue,
} from '../support/recording.ts';

/** How a valid stream is broken, or a valid whole answer. */
type Row =
  | { readonly of?: string; readonly edits: readonly Edit[]; readonly options?: ValidateOptions }
  | { readonly whole: string; readonly path: string; readonly value?: Json };

const stream = (...edits: readonly Edit[]): Row => ({ edits });
const of = (name: string, ...edits: readonly Edit[]): Row => ({ of: name, edits });
const whole = (path: string, value?: Json, name = 'parallel-tool-calls'): Row =>
  value === undefined ? { whole: name, path } : { whole: name, path, value };

const junk = { data: 'not json' };
const named = (event: string, data: Json) => ({ event, data: JSON.stringify(data) });

// The edited recording is `parallel-tool-calls` unless a row names another: text, three calls, a finish.

const CHAT: Readonly<Record<ChatRule, Row>> = {
  json: stream(replace(3, junk)),
  'event-name': stream(rename(2, 'chunk')),
  'after-done': stream(repeat(1, Number.POSITIVE_INFINITY)),
  'done-missing': stream(remove(-1)),
  'cut-off': stream(remove(20, 99)),
  'chunk-object': stream(set(2, 'object', 'chat.completion')),
  'chunk-id': stream(set(2, 'id', 'chatcmpl-other')),
  'chunk-model': stream(set(2, 'model', '')),
  'chunk-created': stream(set(2, 'created', 1)),
  'chunk-empty': stream(set(2, 'choices', [])),
  'choices-list': stream(set(2, 'choices', {})),
  'choice-index': stream(set(2, 'choices.0.index', 2)),
  'choice-missing': stream(remove(0, 26)),
  'delta-object': stream(set(2, 'choices.0.delta', null)),
  'delta-text': stream(set(2, 'choices.0.delta.content', ['text'])),
  'role-first': stream(set(0, 'choices.0.delta.role')),
  'role-repeated': stream(set(2, 'choices.0.delta.role', 'assistant')),
  'finish-field': stream(set(2, 'choices.0.finish_reason')),
  'after-finish': stream(repeat(2, 26)),
  'finish-missing': stream(set(25, 'choices.0.finish_reason', null)),
  'call-list': stream(set(10, 'choices.0.delta.tool_calls', null)),
  'call-index': stream(set(10, 'choices.0.delta.tool_calls.0.index')),
  'call-head': stream(set(9, 'choices.0.delta.tool_calls.0.id')),
  'call-head-repeated': stream(set(10, 'choices.0.delta.tool_calls.0.type', 'function')),
  'call-piece': stream(set(10, 'choices.0.delta.tool_calls.0.function.arguments', {})),
  'usage-place': stream(
    set(25, 'usage', { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }),
    remove(26),
  ),
  'usage-once': stream(repeat(26, 26)),
  'after-usage': stream(swap(25, 26)),
  'usage-unasked': { edits: [], options: { usageAsked: false } },
  'usage-missing': { edits: [remove(26)], options: { usageAsked: true } },
  'after-error': stream(insert(4, { data: '{"error":{"message":"Oh."}}' })),
  'error-shape': stream(insert(4, { data: '{"error":"Oh."}' })),
  'finish-word': stream(set(25, 'choices.0.finish_reason', 'end_turn')),
  'finish-payload': of('plain-text', set(-3, 'choices.0.finish_reason', 'tool_calls')),
  'finish-stop': stream(set(25, 'choices.0.finish_reason', 'stop')),
  'call-id': whole('choices.0.message.tool_calls', [
    { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } },
    { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{}' } },
  ]),
  'call-arguments': stream(set(15, 'choices.0.delta.tool_calls.0.function.arguments', '')),
  'call-arguments-empty': stream(set(24, 'choices.0.delta.tool_calls.0.function.arguments', '')),
  'usage-shape': stream(set(26, 'usage.prompt_tokens', 1.5)),
  'usage-sum': stream(set(26, 'usage.total_tokens', 1)),
  'body-fields': whole('id'),
  'message-fields': whole('choices.0.message.role', 'model'),
};

const MESSAGES: Readonly<Record<MessagesRule, Row>> = {
  json: stream(replace(3, junk)),
  'event-name': stream(rename(3, undefined)),
  'start-first': stream(swap(0, 1)),
  'start-once': stream(repeat(0, 2)),
  'start-fields': stream(set(0, 'message.id')),
  'block-index': stream(set(12, 'index', 5)),
  'block-overlap': stream(swap(11, 12)),
  'delta-unopened': stream(set(4, 'index', 3)),
  'delta-kind': stream(set(4, 'delta.type', 'thinking_delta')),
  'stop-unopened': stream(set(11, 'index', 3)),
  'block-unclosed': stream(remove(32)),
  'block-cut': of('length', remove(-3)),
  'after-signature': of('thinking', swap(-24, -23)),
  'call-delta': stream(set(12, 'content_block.input', { city: 'Oslo' })),
  'after-delta': stream(repeat(33, 34)),
  'delta-missing': stream(remove(33)),
  'usage-input': stream(set(0, 'message.usage.input_tokens', 0), set(33, 'usage.input_tokens')),
  'usage-grows': stream(set(0, 'message.usage.output_tokens', 99_999)),
  'stop-missing': stream(remove(-1)),
  'after-stop': stream(repeat(33, Number.POSITIVE_INFINITY)),
  'after-error': stream(
    insert(4, named('error', { type: 'error', error: { type: 'api_error', message: 'Oh.' } })),
  ),
  'error-shape': stream(insert(4, named('error', { type: 'error', error: 'Oh.' })), remove(5, 99)),
  'block-fields': stream(set(12, 'content_block.name')),
  'block-empty': stream(remove(3, 8)),
  'call-id': stream(set(12, 'content_block.id', 'call:1')),
  'call-arguments': stream(remove(19)),
  'stop-word': stream(set(33, 'delta.stop_reason', 'stop')),
  'stop-payload': stream(set(33, 'delta.stop_reason', 'end_turn')),
  'stop-sequence': stream(set(33, 'delta.stop_sequence', 'END')),
  'usage-shape': stream(set(33, 'usage.output_tokens')),
  'body-fields': whole('stop_sequence'),
};

const GOOGLE: Readonly<Record<GoogleRule, Row>> = {
  json: stream(insert(Number.POSITIVE_INFINITY, { data: '[DONE]' })),
  'event-name': stream(rename(2, 'chunk')),
  'chunk-empty': stream(insert(1, { data: '{}' })),
  'after-finish': stream(repeat(2, Number.POSITIVE_INFINITY)),
  'model-same': stream(set(2, 'modelVersion', 'gemini-other')),
  'after-error': stream(insert(4, { data: '{"error":{"code":500,"message":"Oh.","status":"INTERNAL"}}' })),
  'error-shape': stream(insert(4, { data: '{"error":{"message":"Oh."}}' })),
  'candidates-list': stream(set(2, 'candidates', {})),
  'candidate-index': stream(set(2, 'candidates.0.index', -1)),
  'candidate-missing': stream(remove(0, 99)),
  'blocked-candidate': stream(set(2, 'promptFeedback', { blockReason: 'SAFETY' })),
  'content-shape': stream(set(2, 'candidates.0.content.parts', {})),
  'content-role': stream(set(2, 'candidates.0.content.role', 'assistant')),
  'part-field': stream(set(8, 'candidates.0.content.parts.0.text', 'and text')),
  'part-shape': stream(set(2, 'candidates.0.content.parts.0.text', 1)),
  'signature-bytes': stream(set(2, 'candidates.0.content.parts.0.thoughtSignature', 'anthropic#EqQB')),
  'call-shape': stream(set(8, 'candidates.0.content.parts.0.functionCall.args', 'Oslo')),
  'call-args': stream(set(8, 'candidates.0.content.parts.0.functionCall.args')),
  'call-id': stream(set(8, 'candidates.0.content.parts.0.functionCall.id', '')),
  'finish-missing': stream(remove(-1)),
  'finish-word': stream(set(-1, 'candidates.0.finishReason', 'stop')),
  'usage-missing': whole('usageMetadata'),
  'usage-shape': stream(set(2, 'usageMetadata.promptTokenCount', -1)),
  'usage-sum': stream(set(2, 'usageMetadata.totalTokenCount', 1)),
  'model-missing': whole('modelVersion'),
};

const RESPONSES: Readonly<Record<ResponsesRule, Row>> = {
  json: stream(replace(5, junk)),
  'done-word': stream(insert(Number.POSITIVE_INFINITY, { data: '[DONE]' })),
  'event-name': stream(rename(5, undefined)),
  sequence: stream(set(5, 'sequence_number', 77)),
  'sequence-missing': stream(set(5, 'sequence_number')),
  'created-first': stream(swap(0, 1)),
  'in-progress-second': stream(remove(1)),
  'response-same': stream(set(1, 'response.id', 'resp_other')),
  'status-event': stream(set(1, 'response.status', 'completed')),
  'item-index': stream(set(15, 'output_index', 4)),
  'item-overlap': stream(remove(14)),
  'item-unopened': stream(set(5, 'output_index', 3)),
  'item-id': stream(set(5, 'item_id', 'msg_other')),
  'item-unclosed': stream(remove(36)),
  'part-index': stream(set(3, 'content_index', 1)),
  'part-overlap': stream(repeat(3, 5)),
  'part-unopened': stream(remove(3)),
  'part-kind': stream(set(3, 'part.type', 'refusal')),
  'part-unclosed': stream(remove(13)),
  'delta-text': stream(set(5, 'delta', null)),
  'after-done': stream(repeat(5, 13)),
  'text-undone': stream(remove(22)),
  'delta-missing': stream(remove(16, 6)),
  'done-text': stream(set(12, 'text', 'Something else.')),
  'final-output': stream(set(-1, 'response.output', [])),
  'final-ids': stream(set(-1, 'response.output.0.id', 'msg_other')),
  'terminal-missing': stream(remove(-1)),
  'after-terminal': stream(repeat(5, Number.POSITIVE_INFINITY)),
  'after-error': stream(insert(5, named('error', { type: 'error', message: 'Oh.', sequence_number: 5 }))),
  'error-shape': stream(insert(5, named('error', { type: 'error', sequence_number: 5 }))),
  'response-core': stream(set(0, 'response.created_at')),
  'response-fields': stream(set(0, 'response.tools')),
  'status-word': whole('status', 'complete'),
  'item-shape': stream(set(15, 'item.name')),
  'item-same': stream(set(24, 'item.call_id', 'call_x'), set(15, 'item.call_id', 'call_x')),
  'call-arguments': whole('output.1.arguments', '{'),
  incomplete: whole('status', 'incomplete'),
  'usage-missing': whole('usage', null),
  'usage-shape': whole('usage.output_tokens_details', null),
  'usage-sum': whole('usage.total_tokens', 1),
};

const TABLES: Readonly<Record<FormatName, Readonly<Record<string, Row>>>> = {
  'chat-completions': CHAT,
  messages: MESSAGES,
  'generate-content': GOOGLE,
  responses: RESPONSES,
};

/** Rules that are checked in several places, broken in the other ones. */
const FURTHER: Readonly<Record<FormatName, readonly (readonly [rule: string, way: string, row: Row])[]>> = {
  'chat-completions': [
    ['choices-list', 'a choice that is none', stream(set(2, 'choices', ['text']))],
    ['choice-index', 'no index', stream(set(2, 'choices.0.index'))],
    ['call-index', 'one that is not next', stream(set(9, 'choices.0.delta.tool_calls.0.index', 7))],
    ['call-list', 'a call that is none', stream(set(10, 'choices.0.delta.tool_calls', ['text']))],
    [
      'call-id',
      'streamed',
      stream(
        set(16, 'choices.0.delta.tool_calls.0.id', 'call_a'),
        set(9, 'choices.0.delta.tool_calls.0.id', 'call_a'),
      ),
    ],
    ['finish-payload', 'of old', of('plain-text', set(-3, 'choices.0.finish_reason', 'function_call'))],
    ['usage-sum', 'cached', stream(set(26, 'usage.prompt_tokens_details', { cached_tokens: 99_999 }))],
    [
      'usage-sum',
      'thought',
      stream(set(26, 'usage.completion_tokens_details', { reasoning_tokens: 99_999 })),
    ],
    ['error-shape', 'whole', whole('error', 'Oh.')],
    ['body-fields', 'no object', whole('object')],
    ['choices-list', 'whole', whole('choices', {})],
    ['choices-list', 'whole, a choice that is none', whole('choices', ['text'])],
    ['choice-missing', 'whole', whole('choices', [])],
    ['usage-missing', 'whole', whole('usage')],
    ['choice-index', 'whole', whole('choices.0.index', 1)],
    ['message-fields', 'no message', whole('choices.0.message')],
    ['message-fields', 'content of another kind', whole('choices.0.message.content', 7)],
    ['message-fields', 'no content', whole('choices.0.message.content')],
    ['call-list', 'whole', whole('choices.0.message.tool_calls', {})],
    ['call-list', 'whole, a call that is none', whole('choices.0.message.tool_calls', ['text'])],
    ['call-head', 'whole', whole('choices.0.message.tool_calls.0.type')],
    ['call-piece', 'whole', whole('choices.0.message.tool_calls.0.function.arguments', {})],
    ['finish-missing', 'whole', whole('choices.0.finish_reason', null)],
  ],
  messages: [
    ['start-first', 'none at all', stream(remove(0, 99))],
    ['start-fields', 'of another role', stream(set(0, 'message.role', 'user'))],
    ['start-fields', 'content already', stream(set(0, 'message.content', [{ type: 'text', text: 'a' }]))],
    ['start-fields', 'no reason', stream(set(0, 'message.stop_reason'))],
    ['delta-kind', 'none', stream(set(4, 'delta.type'))],
    ['delta-missing', 'nor a stop', stream(remove(33, 2))],
    ['block-unclosed', 'nor a delta', stream(remove(32, 3))],
    ['block-fields', 'no type', stream(set(12, 'content_block.type'))],
    ['call-id', 'twice', stream(set(12, 'content_block.id', 'a'), set(21, 'content_block.id', 'a'))],
    ['stop-payload', 'no call', of('plain-text', set(-2, 'delta.stop_reason', 'tool_use'))],
    ['error-shape', 'whole', whole('type', 'error')],
    ['body-fields', 'of another role', whole('role', 'user')],
    ['block-fields', 'whole, none', whole('content', ['text'])],
    ['block-empty', 'whole', whole('content.0.text', '')],
  ],
  'generate-content': [
    ['candidates-list', 'a candidate that is none', stream(set(2, 'candidates', ['text']))],
    ['candidate-index', 'one that is not next', stream(set(2, 'candidates.0.index', 3))],
    ['model-same', 'of another answer', stream(set(2, 'responseId', 'other'))],
    ['content-shape', 'none', stream(set(2, 'candidates.0.content', 'text'))],
    ['content-shape', 'a part that is none', stream(set(2, 'candidates.0.content.parts', ['text']))],
    [
      'part-shape',
      'a call that is none',
      stream(set(8, 'candidates.0.content.parts.0.functionCall', 'text')),
    ],
    ['call-shape', 'no name', stream(set(8, 'candidates.0.content.parts.0.functionCall.name'))],
    ['call-id', 'twice', stream(set(8, 'candidates.0.content.parts.0.functionCall.id', 'a'), repeat(8, 8))],
    ['usage-sum', 'cached', stream(set(2, 'usageMetadata.cachedContentTokenCount', 99_999))],
  ],
  responses: [
    ['item-same', 'its id', stream(set(24, 'item.id', 'fc_x'), set(15, 'item.id', 'fc_x'))],
    ['text-undone', 'of a part', stream(remove(12))],
    ['after-done', 'done again', stream(repeat(12, 13))],
    ['item-id', 'of another item', stream(set(14, 'item.id', 'msg_other'))],
    ['item-id', 'of another kind', stream(set(14, 'item.type', 'reasoning'))],
    ['final-output', 'nothing of what was said', stream(set(-1, 'response.output.0.content', []))],
    ['response-core', 'no object', stream(set(0, 'response.object'))],
    ['response-fields', 'no format', stream(set(0, 'response.text', {}))],
    ['error-shape', 'of a failed one', whole('status', 'failed')],
    ['item-shape', 'whole, none', whole('output', ['text'])],
    ['created-first', 'none at all', stream(remove(0, 99))],
    ['usage-shape', 'none', whole('usage.input_tokens', -1)],
    ['usage-missing', 'no object', whole('usage', 'text')],
    ['usage-shape', 'no details', whole('usage.input_tokens_details', {})],
    ['usage-sum', 'cached', whole('usage.input_tokens_details.cached_tokens', 99_999)],
    ['usage-sum', 'thought', whole('usage.output_tokens_details.reasoning_tokens', 99_999)],
  ],
};

function rulesBroken(format: FormatName, row: Row): string[] {
  if ('whole' in row) {
    const body = withValue(recordedWhole(format, row.whole), row.path, row.value);
    if (!isObject(body)) throw new Error('An answer is an object.');
    return RULEBOOKS[format].whole(body).violations.map(({ rule }) => rule);
  }
  const { of: name = 'parallel-tool-calls', edits, options } = row;
  const judged = validator(format, options);
  const events = edits.reduce((sofar, edit) => edit(sofar), recordedEvents(format, name));
  for (const event of events) judged.add(event);
  return judged.end().map(({ rule }) => rule);
}

/** A shell call between the beginning and the end of a stream. Its commands have events of their own. */
const SHELL = ((): readonly Sse[] => {
  const item = { id: 'sh_1', type: 'shell_call', call_id: 'call_1', status: 'completed' };
  const commands = ['ls', 'pwd'];
  const events = [
    { type: 'response.output_item.added', item: { ...item, action: { commands: [] } } },
    ...commands.flatMap((command, command_index) => [
      { type: 'response.shell_call_command.added', command_index, command: '' },
      { type: 'response.shell_call_command.delta', command_index, delta: command },
      { type: 'response.shell_call_command.done', command_index, command },
    ]),
    { type: 'response.output_item.done', item: { ...item, action: { commands } } },
  ];
  const recording = recordedEvents('responses', 'plain-text');
  const written = events.map((event) => named(event.type, { ...event, output_index: 0 }));
  const all = [...recording.slice(0, 2), ...written, ...recording.slice(-1)];
  const output = [{ ...item, action: { commands } }];
  return set(
    -1,
    'response.output',
    output,
  )(
    all.map((event, at) => ({
      ...event,
      data: JSON.stringify(withValue(parseJson(event.data), 'sequence_number', at)),
    })),
  );
})();

test.each<readonly [rule: string | undefined, edit: Edit]>([
  [undefined, (events) => events],
  ['item-shape', set(9, 'item.action')],
  ['part-unopened', set(4, 'command_index', 1)],
  ['part-index', set(6, 'command_index', 2)],
  ['done-text', set(5, 'command', 'rm')],
  ['done-text', set(9, 'item.action.commands.1', 'rm')],
  ['final-output', set(-1, 'response.output.0.action.commands.1', 'rm')],
])('commands of a shell: %s', (rule, edit) => {
  const judged = validator('responses');
  for (const event of edit(SHELL)) judged.add(event);
  const broken = judged.end().map((violation): string => violation.rule);
  if (rule === undefined) expect(broken).toEqual([]);
  else expect(broken).toContain(rule);
});

describe.each(Object.entries(TABLES))('%s', (name, table) => {
  const format = Object.keys(RULEBOOKS).find((known): known is FormatName => known === name);
  if (format === undefined) throw new Error(`There is no format ${name}.`);

  test.each(Object.entries(table))('%s is reported when broken', (rule, row) => {
    expect(rulesBroken(format, row)).toContain(rule);
  });

  test.each(FURTHER[format])('%s is reported when broken: %s', (rule, _way, row) => {
    expect(rulesBroken(format, row)).toContain(rule);
  });

  test('a rule that services may break is not reported if it is excused', () => {
    for (const [rule, row] of Object.entries(table)) {
      if (!Object.hasOwn(RULEBOOKS[format].excused, rule)) continue;
      const lenient: Row = 'whole' in row ? row : { ...row, options: { ...row.options, strict: false } };
      if (!('whole' in lenient)) expect(rulesBroken(format, lenient), rule).not.toContain(rule);
    }
  });

  test.each(['plain-text', 'tool-call', 'thinking', 'refusal', 'length', 'json-schema', 'error-in-stream'])(
    '%s, as recorded, breaks none',
    (recording) => {
      // In chat-completions, the recording with thoughts is DeepSeek's, which puts usage beside the finish.
      const judged = validator(format, { strict: recording !== 'thinking' });
      for (const event of recordedEvents(format, recording)) judged.add(event);
      expect(judged.end()).toEqual([]);
      expect(judged.failed()).toBe(recording === 'error-in-stream');
    },
  );
});

test.each(Object.values(FinishReason))("%s is a word of Gemini's for the end", (word) => {
  const row: Row = stream(set(-1, 'candidates.0.finishReason', word));
  expect(rulesBroken('generate-content', row)).not.toContain('finish-word');
});
