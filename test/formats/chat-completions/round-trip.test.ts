/** Law: a request parsed and rendered again within this format means the same. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import { dialectNames } from '../../../src/formats/chat-completions/dialects.ts';
import { parseRequest } from '../../../src/formats/chat-completions/inbound/parse-request.ts';
import { type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { compatibleRequest } from '../../../src/sandbox/schemas/chat-completions.ts';
import { growthOf, SQUARE } from '../../support/cost.ts';
import { PERMISSIVE } from '../../support/meaning.ts';
import { modelOf } from '../../support/model-traits.ts';
import { again, fixtures, objectOf, REASONING } from './requests.ts';

/** A body without what changes in every request: the model's name, and that usage is always asked for. */
function meaning(body: JsonObject): Partial<Prompt> {
  const { model: _, includeUsage: _usage, ...said } = parseRequest(body, unreported);
  return said;
}

describe.each(fixtures)('$name', ({ name, body }) => {
  test('means the same, with nothing reported', () => {
    const notes: Note[] = [];
    expect(meaning(again(body, PERMISSIVE, notes))).toEqual(meaning(body));
    expect(notes).toEqual([]);
  });

  test('comes out the same every time, and byte for byte after the first time', () => {
    const once = JSON.stringify(again(body));
    expect(JSON.stringify(again(body))).toBe(once);
    expect(JSON.stringify(again(objectOf(parseJson(once))))).toBe(once);
  });

  test('is not changed by parsing', () => {
    const before = JSON.stringify(body);
    again(body);
    expect(JSON.stringify(body)).toBe(before);
  });

  test.runIf(name !== 'unknown-fields')('is what services take', () => {
    expect(compatibleRequest.safeParse(again(body, modelOf('openrouter'))).error).toBeUndefined();
    expect(compatibleRequest.safeParse(again(body, modelOf('litellm'))).error).toBeUndefined();
  });
});

test('unknown fields come out in their places', () => {
  const found = fixtures.find(({ name }) => name === 'unknown-fields');
  const body = again(objectOf(found?.body));
  expect(body).toMatchObject({
    x_top_level: true,
    repetition_penalty: 1.1,
    messages: [{ x_message: { a: [1, 2] }, content: [{ type: 'text', text: 'Hello', x_part: 1 }] }],
    tools: [{ x_tool: 'kept' }],
  });
});

test('unknown fields are reported', () => {
  const notes: Note[] = [];
  parseRequest({ model: 'm', messages: [{ role: 'user', content: 'a' }], nope: 1 }, reportInto(notes));
  expect(notes).toMatchObject([{ field: 'nope', outcome: 'passed-on' }]);
});

test('keys that have a meaning in JavaScript are keys like any other', () => {
  const text = `{"model":"m","__proto__":{"polluted":1},"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"__proto__":{"polluted":4}}},
    "tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{"__proto__":{"type":"string"}}},"constructor":"x"}}],
    "messages":[{"role":"user","__proto__":{"polluted":2},"content":[{"type":"text","text":"a","toString":"b"}]},
      {"role":"assistant","__proto__":{"polluted":3},"content":"c"}]}`;
  const said = JSON.stringify(again(objectOf(parseJson(text))));
  for (const kept of [
    '"__proto__":{"polluted":1}',
    '"__proto__":{"polluted":2}',
    '"__proto__":{"polluted":3}',
    '"__proto__":{"polluted":4}',
    '"__proto__":{"type":"string"}',
    '"toString":"b"',
    '"constructor":"x"',
  ]) {
    expect(said).toContain(kept);
  }
  expect({}).not.toHaveProperty('polluted');
});

describe('hostile bodies', () => {
  const anything = fc.jsonValue({ maxDepth: 3 });
  const mostly = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 40, arbitrary }, { weight: 1, arbitrary: anything });
  const word = fc.constantFrom(
    '',
    ' ',
    'a',
    'a b',
    '{"a":1}',
    '{',
    '__proto__',
    'google#x',
    'data:,x',
    '\ud800',
  );
  const kind = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom(
        'text',
        'refusal',
        'image_url',
        'video_url',
        'audio_url',
        'file_url',
        'document_url',
        'input_audio',
        'file',
      ),
    },
    // Only the assistant may have these parts.
    { weight: 1, arbitrary: fc.constantFrom('thinking', 'redacted_thinking', 'constructor') },
  );
  const link = mostly(fc.oneof(word, fc.record({ url: mostly(word), detail: mostly(word) })));
  const part = mostly(
    fc.record(
      {
        type: mostly(kind),
        text: mostly(word),
        refusal: mostly(word),
        image_url: link,
        video_url: link,
        audio_url: link,
        file_url: link,
        document_url: link,
        input_audio: mostly(fc.record({ data: mostly(word), format: mostly(word) })),
        file: mostly(
          fc.record({
            file_id: fc.oneof(anything, fc.constant('https://files.example/a.pdf')),
            file_data: mostly(word),
            filename: mostly(word),
            format: mostly(word),
          }),
        ),
        thinking: anything,
        data: mostly(word),
        cache_control: anything,
      },
      { requiredKeys: ['type'] },
    ),
  );
  const call = mostly(
    fc.record(
      {
        id: mostly(word),
        type: mostly(fc.constantFrom('function', 'custom')),
        function: mostly(fc.record({ name: mostly(word), arguments: mostly(word) })),
        custom: mostly(fc.record({ name: mostly(word), input: mostly(word) })),
        extra_content: anything,
      },
      { requiredKeys: ['type', 'function'] },
    ),
  );
  const detail = fc.record({ type: word, text: word, data: word, format: word, id: word, signature: word });
  const message = mostly(
    fc.record(
      {
        role: mostly(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'function')),
        content: mostly(fc.oneof(word, fc.array(part, { maxLength: 4 }))),
        name: mostly(word),
        tool_call_id: mostly(word),
        tool_calls: mostly(fc.array(call, { maxLength: 3 })),
        function_call: anything,
        thinking_blocks: mostly(fc.array(part, { maxLength: 2 })),
        reasoning_details: mostly(fc.array(detail, { maxLength: 3 })),
        reasoning_content: anything,
        extra_content: anything,
        annotations: anything,
        provider_specific_fields: mostly(fc.record({ messages: anything, responses: anything })),
        audio: anything,
        refusal: anything,
      },
      { requiredKeys: ['role', 'content', 'tool_call_id', 'name'] },
    ),
  );
  const object = mostly(fc.dictionary(word, anything, { maxKeys: 3 }));
  const tool = mostly(
    fc.record(
      {
        type: mostly(fc.constantFrom('function', 'custom', 'web_search')),
        function: mostly(fc.record({ name: mostly(word), parameters: object, strict: mostly(fc.boolean()) })),
        custom: mostly(fc.record({ name: mostly(word), format: object })),
      },
      { requiredKeys: ['type', 'function', 'custom'] },
    ),
  );
  const body = fc.record(
    {
      model: mostly(fc.constant('m')),
      messages: mostly(fc.array(message, { minLength: 1, maxLength: 6 })),
      tools: mostly(fc.array(tool, { maxLength: 3 })),
      tool_choice: anything,
      functions: mostly(fc.array(fc.record({ name: word, parameters: object }), { maxLength: 2 })),
      response_format: mostly(
        fc.record({
          type: mostly(fc.constantFrom('text', 'json_object', 'json_schema')),
          json_schema: mostly(fc.record({ name: word, schema: object })),
        }),
      ),
      reasoning: anything,
      thinking: anything,
      reasoning_effort: mostly(fc.constantFrom('none', 'low', 'max', 'ultra')),
      web_search_options: anything,
      stream_options: mostly(fc.record({ include_usage: mostly(fc.boolean()) })),
      stop: mostly(fc.oneof(word, fc.array(word))),
      max_tokens: mostly(fc.integer()),
      temperature: mostly(fc.double()),
      cache_control: anything,
      user: mostly(word),
      stream: mostly(fc.boolean()),
    },
    { requiredKeys: ['model', 'messages'] },
  );

  test('are parsed and rendered in every dialect, or refused with a typed error of status 400', () => {
    let read = 0;
    const targets = [...dialectNames, 'unheard-of'].map(modelOf);
    const dialect = fc.constantFrom(PERMISSIVE, REASONING, ...targets);
    fc.assert(
      fc.property(body, dialect, (value, target) => {
        try {
          again(objectOf(parseJson(JSON.stringify(value))), target);
          read++;
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect(error).toHaveProperty('status', 400);
        }
      }),
      { numRuns: 1000 },
    );
    expect(read).toBeGreaterThan(20);
    expect({}).not.toHaveProperty('polluted');
  });

  test('mean the same after parsing and rendering, or are refused', () => {
    let same = 0;
    fc.assert(
      fc.property(body, (value) => {
        const given = objectOf(parseJson(JSON.stringify(value)));
        let first: JsonObject;
        try {
          first = again(given);
        } catch {
          return;
        }
        // After the first rendering nothing changes any more.
        expect(again(first)).toEqual(first);
        same++;
      }),
      { numRuns: 500 },
    );
    expect(same).toBeGreaterThan(5);
  });
});

test('the cost of a long conversation is linear', () => {
  const read = (calls: number): void => {
    const messages = Array.from({ length: 2 * calls }, (_, at) =>
      at < calls
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: `call_${at}`, type: 'function', function: { name: `t${at % 7}`, arguments: '{}' } },
            ],
          }
        : { role: 'tool', tool_call_id: `call_${2 * calls - 1 - at}`, content: 'x' },
    );
    again({ model: 'm', messages }, modelOf('mistral'));
  };
  // Searching all calls for each result would cost the square of the length.
  expect(growthOf(read, 4_000)).toBeLessThan(SQUARE);
});

test('what the model spoke is not written a second time as text', () => {
  const audio = { id: 'audio_1', transcript: 'spoken' };
  const messages = [
    { role: 'user', content: 'say it' },
    { role: 'assistant', content: null, audio },
    { role: 'user', content: 'again' },
  ];
  expect(again({ model: 'a', messages }, PERMISSIVE)).toMatchObject({
    messages: [{}, { role: 'assistant', content: '', audio }, {}],
  });
});
