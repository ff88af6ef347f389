/** Files with an answer: its shape and its format are detected. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { validateFile } from '../../src/protocol/validate-file.ts';
import { FIXTURES } from '../support/recording.ts';

const FORMATS: readonly FormatName[] = ['chat-completions', 'responses', 'messages', 'generate-content'];

const read = (format: string, file: string): string =>
  readFileSync(join(FIXTURES, 'replies', format, file), 'utf8');

describe.each(FORMATS)('%s', (format) => {
  test('a stream is recognised', () => {
    const result = validateFile(read(format, 'tool-call.sse'));
    expect(result).toMatchObject({ shape: 'sse', format, violations: [], failed: false });
  });

  test('a whole answer is recognised', () => {
    const result = validateFile(read(format, 'tool-call.json'));
    expect(result).toMatchObject({ shape: 'json-object', format, violations: [], failed: false });
  });

  test('an error body is recognised as a failure', () => {
    const recorded = parseJson(readFileSync(join(FIXTURES, 'errors', format, 'rate-limited.json'), 'utf8'));
    const body = isObject(recorded) ? recorded['body'] : undefined;
    expect(validateFile(JSON.stringify(body), format)).toMatchObject({
      format,
      violations: [],
      failed: true,
    });
  });

  test('a byte order mark and CRLF change nothing', () => {
    const text = `\uFEFF${read(format, 'tool-call.sse').replaceAll('\n', '\r\n')}`;
    expect(validateFile(text)).toMatchObject({ format, violations: [] });
  });
});

test('a list of chunks is generate-content without alt=sse', () => {
  const chunks = read('generate-content', 'plain-text.sse')
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice(6));
  const result = validateFile(`[${chunks.join(',\n')}]`);
  expect(result).toMatchObject({ shape: 'json-array', format: 'generate-content', violations: [] });
});

/** A body as an error of each format is recorded. */
function recordedError(format: FormatName): string {
  const recorded = parseJson(readFileSync(join(FIXTURES, 'errors', format, 'rate-limited.json'), 'utf8'));
  return JSON.stringify(isObject(recorded) ? recorded['body'] : undefined);
}

test.each<[string, FormatName]>([
  [recordedError('chat-completions'), 'chat-completions'],
  // The error bodies of OpenAI's two formats are the same.
  [recordedError('responses'), 'chat-completions'],
  [recordedError('messages'), 'messages'],
  [recordedError('generate-content'), 'generate-content'],
  [`[${recordedError('generate-content')}]`, 'generate-content'],
  ['event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Oh."}}\n\n', 'messages'],
  [
    'event: error\ndata: {"type":"error","sequence_number":0,"code":null,"message":"Oh.","param":null}\n\n',
    'responses',
  ],
  [
    'data: {"error":{"message":"Oh.","type":"server_error","param":null,"code":null}}\n\n',
    'chat-completions',
  ],
])('an error without its format is recognised: %s', (text, format) => {
  expect(validateFile(text)).toMatchObject({ format, failed: true });
});

test('a message that code continues comes whole in its start', () => {
  const call = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'f',
    input: {},
    caller: { type: 'code_execution_20260120' },
  };
  const message = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [call] },
    ...{ stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  };
  const streamOf = (start: JsonObject, ...types: readonly string[]): string =>
    [{ type: 'message_start', message: start }, ...types.map((type) => ({ type }))]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
  const rulesOf = (text: string): readonly string[] => validateFile(text).violations.map(({ rule }) => rule);
  expect(rulesOf(streamOf(message, 'message_stop'))).toEqual([]);
  expect(rulesOf(streamOf({ ...message, content: [] }, 'message_stop'))).toEqual(['stop-payload']);
  expect(rulesOf(streamOf(message, 'content_block_start', 'message_stop'))).toContain('after-delta');
});

test.each(['', 'hello', '{"a":1}', '<html></html>', 'data: {"a":1}\n\n'])('%j is not an answer', (text) => {
  expect(validateFile(text).violations.map(({ rule }) => rule)).toEqual(['unrecognised']);
});
