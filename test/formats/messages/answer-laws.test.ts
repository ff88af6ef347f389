/** Laws of answers: parsing and rendering agree, streamed or whole, and wherever the bytes are cut. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { Reply, ReplyEvent } from '../../../src/conversation/reply.ts';
import { renderReply } from '../../../src/formats/messages/inbound/render-reply.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { isList, isObject, type Json, parseJson } from '../../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../../src/protocol/validate.ts';
import { ASKED, bytesOf, parsed, parsedBytes, parsedWhole, rendered, stream } from './answers.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/replies/messages');

const files = new Set(readdirSync(FOLDER));

/** Recordings in both forms. Those in one form only are in `test/formats/pairs.test.ts`. */
const cases = [...files]
  .flatMap((file) => (file.endsWith('.sse') ? [file.slice(0, -'.sse'.length)] : []))
  .filter((name) => files.has(`${name}.json`))
  .map((name) => ({
    name,
    sse: readFileSync(join(FOLDER, `${name}.sse`)),
    json: readFileSync(join(FOLDER, `${name}.json`), 'utf8'),
  }));

/** The same answer. Arguments with the same meaning are written alike. */
function meant(reply: Reply): Reply {
  const choices = reply.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) =>
      part.kind === 'tool-call'
        ? { ...part, arguments: JSON.stringify(parseJson(part.arguments || '{}')) }
        : part,
    ),
  }));
  return { ...reply, choices };
}

/** Without what Anthropic's document requires and Anthropic leaves out: fields with nothing in them. */
function like(recorded: Json | undefined, value: Json | undefined): Json | undefined {
  if (isList(value))
    return value.map((item, at) => like(isList(recorded) ? recorded[at] : undefined, item) ?? null);
  if (!isObject(value) || !isObject(recorded)) return value;
  const kept = Object.entries(value).filter(([key, held]) => key in recorded || !isNothing(held));
  return Object.fromEntries(kept.map(([key, held]) => [key, like(recorded[key], held) ?? null]));
}

const NOTHING = [null, [], { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }];
const isNothing = (value: Json | undefined): boolean =>
  NOTHING.some((nothing) => JSON.stringify(nothing) === JSON.stringify(value));

const meaning = (events: readonly ReplyEvent[]): Reply => meant(collect(events));

describe.each(cases)('$name', ({ sse, json }) => {
  test('a stream that is parsed and rendered again is the same answer', () => {
    const events = parsedBytes(sse);
    const again = rendered(events);
    const judge = validator('messages');
    for (const event of again) judge.add(event);
    expect(judge.end()).toEqual([]);
    expect(meaning(parsedBytes(bytesOf(again)))).toEqual(meaning(events));
  });

  test('a message that is parsed and rendered again is the same message', () => {
    const again = renderReply(collect(parsedWhole(json)), ASKED);
    expect(RULEBOOKS['messages'].whole(again).violations).toEqual([]);
    expect(like(parseJson(json), again)).toEqual(parseJson(json));
  });

  test('the streamed and the whole answer are equal', () => {
    expect(meaning(parsedBytes(sse))).toEqual(meaning(parsedWhole(json)));
  });

  test('the result does not depend on where the bytes are cut', () => {
    const events = parsedBytes(sse);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (size) => {
        expect(parsedBytes(sse, size)).toEqual(events);
      }),
      { numRuns: 20 },
    );
  });

  test('a stream that lacks its last events ends with an error', () => {
    const text = sse.toString('utf8');
    for (const { index } of text.matchAll(/\n\n(?=event)/g)) {
      expect(() => parsedBytes(Buffer.from(text.slice(0, index + 2)))).toThrow(GatewayError);
    }
  });

  test('parts come one after another, and none of their texts is empty', () => {
    let open = -1;
    let next = 0;
    for (const event of parsedBytes(sse)) {
      if (event.type === 'part-start') {
        expect([open, event.index]).toEqual([-1, next]);
        open = event.index;
        next += 1;
      } else if (event.type === 'part-delta' || event.type === 'part-detail') {
        expect(event.index).toBe(open);
        if (event.type === 'part-delta') expect(event.text).not.toBe('');
      } else if (event.type === 'part-end') {
        expect(event.index).toBe(open);
        open = -1;
      }
    }
    expect(open).toBe(-1);
  });
});

test('an error in a stream is thrown as the fault that it means', () => {
  const sse = readFileSync(join(FOLDER, 'error-in-stream.sse'));
  expect(() => parsedBytes(sse)).toThrow(expect.objectContaining({ fault: 'upstream-overloaded' }));
});

describe('arbitrary events', () => {
  const type = fc.constantFrom(
    ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta'],
    ...['message_stop', 'error', 'ping', 'message', 'text', 'thinking', 'tool_use', 'server_tool_use'],
    ...['redacted_thinking', 'text_delta', 'thinking_delta', 'input_json_delta', 'signature_delta'],
    ...['citations_delta', 'compaction_delta'],
  );
  const key = fc.constantFrom(
    ...['message', 'content', 'content_block', 'index', 'delta', 'usage', 'error', 'text', 'thinking', 'id'],
    ...['signature', 'partial_json', 'input', 'name', 'data', 'citation', 'citations', 'stop_reason', 'own'],
    ...['input_tokens', 'output_tokens', 'cache_creation', 'container', 'role', '__proto__', 'constructor'],
  );
  const { event } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'value' },
      fc.constantFrom(null, true, 0, -1, 1e300, '', 'google#p.x', 'google#', '{"a":1}', 'assistant'),
      fc.string(),
      tie('object'),
      fc.array(tie('object'), { maxLength: 3 }),
    ),
    object: fc
      .tuple(fc.option(type), fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }))
      .map(([name, entries]) => Object.fromEntries([...(name === null ? [] : [['type', name]]), ...entries])),
    event: tie('object'),
  }));

  test('are parsed and rendered again, or give a typed error, and pollute no prototype', () => {
    let answers = 0;
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const datas = stream(events.map((value) => JSON.parse(JSON.stringify(value))));
        try {
          const read = parsed(datas);
          rendered(read);
          JSON.stringify(renderReply(collect(read), ASKED));
          answers += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(answers).toBeGreaterThan(100);
  });
});
