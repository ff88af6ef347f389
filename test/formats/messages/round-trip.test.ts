/** Law: a request that is parsed and rendered within this format keeps its meaning. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/messages/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/messages/outbound/render-request.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json.ts';
import { asObjects, isObject, parseJson } from '../../../src/lib/json.ts';
import { messagesRequest } from '../../../src/sandbox/schemas/messages.ts';
import { PERMISSIVE } from './targets.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/requests/messages');

const fixtures = readdirSync(FOLDER).map((file) => ({
  name: file.slice(0, -'.json'.length),
  body: objectOf(parseJson(readFileSync(join(FOLDER, file), 'utf8'))),
}));

/** Parses and renders a body, as it goes over the wire. */
function again(body: JsonObject, notes: Note[] = []): JsonObject {
  const prompt = { ...parseRequest(body, unreported), model: PERMISSIVE.model };
  return objectOf(parseJson(JSON.stringify(renderRequest(prompt, PERMISSIVE, reportInto(notes)))));
}

function objectOf(value: Json): JsonObject {
  if (!isObject(value)) throw new Error('A request is an object.');
  return value;
}

/** Writes each content that is a text as the one text block that it stands for. */
function spelledOut(body: JsonObject): JsonObject {
  const blocks = (content: Json | undefined): Json | undefined =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const messages = asObjects(body['messages']).map((message) => ({
    ...message,
    content: asObjects(blocks(message['content'])).map((block) =>
      block['type'] === 'tool_result' && block['content'] !== undefined
        ? { ...block, content: blocks(block['content']) }
        : block,
    ),
  }));
  return objectOf(parseJson(JSON.stringify({ ...body, model: PERMISSIVE.model, messages })));
}

/** Fixtures with fields that the vendor itself does not know, on purpose. */
const UNKNOWN = 'unknown-fields';

describe.each(fixtures)('$name', ({ name, body }) => {
  test('is unchanged, and nothing is reported', () => {
    const notes: Note[] = [];
    expect(again(body, notes)).toEqual(spelledOut(body));
    expect(notes).toEqual([]);
  });

  test('gives the same bytes every time', () => {
    const once = JSON.stringify(again(body));
    expect(JSON.stringify(again(body))).toBe(once);
    expect(JSON.stringify(again(objectOf(parseJson(once))))).toBe(once);
  });

  test('is accepted by the schema of the vendor', () => {
    const checked = messagesRequest.safeParse(again(body));
    expect(checked.success).toBe(name !== UNKNOWN);
  });
});

test('a document that consists of blocks keeps its images', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } };
  const content = [{ type: 'text', text: 'x' }, image];
  const document = { type: 'document', title: 'D', context: 'c', source: { type: 'content', content } };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [document] };
  const body = {
    max_tokens: 5,
    model: PERMISSIVE.model,
    messages: [
      { role: 'user', content: [document] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
      { role: 'user', content: [result] },
    ],
  };
  expect(again(body)).toEqual(body);
});

test('keys with a meaning in JavaScript are ordinary keys', () => {
  const text =
    '{"model":"m","max_tokens":5,"__proto__":{"polluted":1},"tools":[{"name":"t","input_schema":{"type":"object","properties":{"__proto__":{"type":"string"}}},"constructor":"x"}],"messages":[{"role":"user","__proto__":{"polluted":2},"content":[{"type":"text","text":"a","toString":"b"}]},{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"t","input":{"__proto__":{"polluted":3}}}]}]}';
  const said = JSON.stringify(again(objectOf(parseJson(text))));
  for (const kept of [
    '"__proto__":{"polluted":1}',
    '"__proto__":{"polluted":2}',
    '"__proto__":{"polluted":3}',
    '"__proto__":{"type":"string"}',
    '"toString":"b"',
    '"constructor":"x"',
  ]) {
    expect(said).toContain(kept);
  }
  expect({}).not.toHaveProperty('polluted');
});

describe('hostile bodies', () => {
  const types = [
    'text',
    'image',
    'document',
    'search_result',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'tool_result',
    'server_tool_use',
    'constructor',
  ];
  const anything = fc.jsonValue({ maxDepth: 3 });
  const mostly = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 80, arbitrary }, { weight: 1, arbitrary: anything });
  const word = fc.constantFrom(
    '',
    ' ',
    'a',
    'a b',
    'google#x',
    'openai#r.x',
    'anthropic',
    '__proto__',
    '\ud800',
  );
  const { block } = fc.letrec((tie) => ({
    block: mostly(
      fc.record(
        {
          type: mostly(fc.constantFrom(...types)),
          text: mostly(word),
          thinking: mostly(word),
          signature: mostly(word),
          data: mostly(word),
          id: mostly(word),
          tool_use_id: mostly(word),
          name: mostly(word),
          input: anything,
          is_error: mostly(fc.boolean()),
          source: mostly(
            fc.record({ type: word, data: word, url: word, media_type: word, content: anything }),
          ),
          content: mostly(fc.array(tie('block'), { maxLength: 3 })),
          cache_control: mostly(fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' })),
          citations: anything,
        },
        { requiredKeys: ['type', 'text', 'thinking', 'data', 'id', 'tool_use_id', 'name'] },
      ),
    ),
  }));
  const hostile = fc.record(
    {
      model: mostly(word),
      max_tokens: fc.integer({ min: 1, max: 5000 }),
      messages: mostly(
        fc.array(
          mostly(
            fc.record({
              role: mostly(fc.constantFrom('user', 'assistant', 'system')),
              content: mostly(fc.oneof(word, fc.array(block, { maxLength: 5 }))),
            }),
          ),
          { maxLength: 6 },
        ),
      ),
      system: mostly(fc.oneof(word, fc.array(block, { maxLength: 2 }))),
      tools: mostly(
        fc.array(mostly(fc.record({ name: mostly(word), input_schema: anything, strict: anything }))),
      ),
      tool_choice: mostly(
        fc.record({ type: mostly(fc.constantFrom('auto', 'any', 'tool', 'none')), name: mostly(word) }),
      ),
      thinking: mostly(
        fc.record({
          type: mostly(fc.constantFrom('enabled', 'adaptive', 'disabled')),
          budget_tokens: anything,
        }),
      ),
      output_config: anything,
      output_format: anything,
      metadata: anything,
      stop_sequences: mostly(fc.array(word)),
      temperature: mostly(fc.double()),
    },
    { requiredKeys: ['model', 'max_tokens', 'messages'] },
  );

  test('are parsed and rendered, or refused with a typed error of status 400', () => {
    let read = 0;
    fc.assert(
      fc.property(hostile, (value) => {
        try {
          again(objectOf(parseJson(JSON.stringify(value))));
          read++;
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
          expect(error).toHaveProperty('status', 400);
        }
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(150);
    expect({}).not.toHaveProperty('polluted');
  });
});
