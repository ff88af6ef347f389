/** Files with an answer: its shape and its format are detected. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { isObject, parseJson } from '../../src/lib/json.ts';
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

test.each(['', 'hello', '{"a":1}', '<html></html>', 'data: {"a":1}\n\n'])('%j is not an answer', (text) => {
  expect(validateFile(text).violations.map(({ rule }) => rule)).toEqual(['unrecognised']);
});
