/** `text/x.enum`: the answer is one word out of a list, from every vendor's models, whole and streamed. */

import { Type } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asObjects, type JsonObject } from '../../src/lib/json.ts';
import {
  at,
  CLAUDE,
  CLAUDE_OLD,
  chatStream,
  chunk,
  completion,
  DEEPSEEK,
  GEMINI,
  json,
  OPENAI,
  useDoor,
} from '../checklist/support.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { googleClient, streamedText } from '../support/google-client.ts';

const WORDS = ['yes', 'no', 'perhaps'];
const config = {
  responseMimeType: 'text/x.enum',
  responseSchema: { type: Type.STRING, format: 'enum', enum: WORDS },
};

function asked(model: string, more: JsonObject = {}) {
  return { model, contents: 'Is it so?', config: { ...config, ...more } };
}

describe('with vendors that keep to schemas', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ generateContent: { models: 'all' } });
  });
  afterAll(() => gateway.close());

  test.each([GEMINI, OPENAI, 'openai/gpt-5.4', CLAUDE, CLAUDE_OLD])('%s', async (model) => {
    const whole = await googleClient(gateway.url).models.generateContent(asked(model));
    expect(WORDS).toContain(whole.text);
    expect(whole.candidates?.[0]?.finishReason).toBe('STOP');
    expect(WORDS).toContain(await streamedText(gateway.url, asked(model)));
  });
});

describe('with a scripted vendor', () => {
  const door = useDoor({ generateContent: { models: 'all' } });
  const wrapped = ['{"cho', 'ice"', ': "no"}'];
  const whole = async (model: string, more: JsonObject = {}) =>
    googleClient(door.url()).models.generateContent(asked(model, more));

  beforeEach(() => door.answers(json(completion({ content: wrapped.join('') }, 'stop'))));

  test('a schema asks for it where the vendor takes schemas', async () => {
    expect((await whole(OPENAI)).text).toBe('no');
    expect(at(door.sent(), 'response_format')).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        strict: true,
        schema: {
          type: 'object',
          properties: { choice: { type: 'string', enum: WORDS } },
          required: ['choice'],
          additionalProperties: false,
        },
      },
    });
  });

  test('words ask for it where the vendor takes none', async () => {
    expect((await whole(DEEPSEEK)).text).toBe('no');
    const [system] = asObjects(door.sent()['messages']);
    expect(system?.['content']).toContain(JSON.stringify(WORDS));
    expect(at(door.sent(), 'response_format.type')).toBe('json_object');
  });

  test('streamed, in pieces, with the reasoning before it', async () => {
    const deltas = wrapped.map((content) => chunk({ content }));
    door.answers(chatStream(chunk({ reasoning_content: '{"choice":"yes"}' }), ...deltas, chunk({}, 'stop')));
    expect(
      await streamedText(door.url(), asked(DEEPSEEK, { thinkingConfig: { includeThoughts: true } })),
    ).toBe('no');
  });

  test.each([
    ['a word alone', 'no', 'no'],
    ['a word among others', 'I say {no}.', 'I say {no}.'],
    ['a code fence', '```json\n{"choice":"no"}\n```', 'no'],
    ['another object', '{"answer":"no"}', '{"answer":"no"}'],
    ['an answer that a limit has cut', '{"choice":"per', 'per'],
    ['an empty choice', '{"choice":""}', '{"choice":""}'],
    [
      'an answer longer than any word',
      `{"choice":"${'x'.repeat(70_000)}"}`,
      `{"choice":"${'x'.repeat(70_000)}"}`,
    ],
    ['a member of the prototype', '{"__proto__":{"choice":"no"}}', '{"__proto__":{"choice":"no"}}'],
  ])('%s', async (_, content, expected) => {
    door.answers(json(completion({ content }, 'stop')));
    expect((await whole(OPENAI)).text).toBe(expected);
    const pieces =
      content.match(/.{1,5000}|\n/g)?.flatMap((piece) => (piece.length > 99 ? piece : [...piece])) ?? [];
    door.answers(chatStream(...pieces.map((piece) => chunk({ content: piece })), chunk({}, 'stop')));
    expect(await streamedText(door.url(), asked(OPENAI))).toBe(expected);
  });

  test('a call comes as it is', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"choice":"no"}' } };
    door.answers(json(completion({ tool_calls: [call] }, 'tool_calls')));
    const tools = [{ functionDeclarations: [{ name: 'f' }] }];
    const [called] = (await whole(OPENAI, { tools })).functionCalls ?? [];
    expect(called).toMatchObject({ name: 'f', args: { choice: 'no' } });
  });
});
