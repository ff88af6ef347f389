/** The laws of an answer: parsed, rendered and parsed again it is the same, streamed and whole, however it is cut. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { generateContent } from '../../../src/formats/generate-content/index.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../../src/protocol/validate.ts';
import { decodeSse, type Sse } from '../../../src/streams/sse.ts';
import { fuse, run } from '../../../src/streams/step.ts';
import { ASKED, LEVELS, object, PROMPT } from './fixtures.ts';

const folder = join(import.meta.dirname, '../../../fixtures/replies/generate-content');
const files = new Set(readdirSync(folder));
/** The recordings that exist streamed and whole. `test/formats/pairs.test.ts` has those that exist in one form only. */
const names = [...files]
  .flatMap((file) => (file.endsWith('.sse') ? [file.slice(0, -'.sse'.length)] : []))
  .filter((name) => files.has(`${name}.json`) && !name.includes('error'));
const read = (file: string): Buffer => readFileSync(join(folder, file));

const { inbound, outbound } = generateContent;
const parse = () => outbound.parseEvents(PROMPT, LEVELS);
const streamed = (name: string, size = Number.POSITIVE_INFINITY): ReplyEvent[] => {
  const bytes = read(`${name}.sse`);
  const step = Math.min(size, bytes.length);
  const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) =>
    bytes.subarray(at * step, (at + 1) * step),
  );
  return run(fuse(decodeSse(), parse()), pieces);
};
const whole = (name: string): ReplyEvent[] => run(parse(), [{ data: read(`${name}.json`).toString('utf8') }]);
const said = (events: readonly ReplyEvent[]): Sse[] => run(inbound.renderEvents(ASKED), events);
const written = (events: readonly ReplyEvent[]): JsonObject =>
  object(JSON.stringify(inbound.renderReply(collect(events), ASKED)));

describe.each(names)('%s', (name) => {
  test('has the order that renderers rely on', () => {
    expectOrder(streamed(name));
    expectOrder(whole(name));
  });

  test('folds to the same reply, streamed and whole', () => {
    expect(collect(streamed(name))).toEqual(collect(whole(name)));
  });

  test('is the same however its bytes are cut', () => {
    const events = streamed(name);
    for (const size of [1, 3, 50, 1021]) expect(streamed(name, size)).toEqual(events);
  });

  test('keeps everything when it is rendered as a stream, which follows the rules', () => {
    const events = streamed(name);
    const chunks = said(events);
    const judge = validator('generate-content');
    for (const chunk of chunks) judge.add(chunk);
    expect(judge.end()).toEqual([]);
    expect(collect(run(parse(), chunks))).toEqual(collect(events));
  });

  test('keeps everything when it is rendered whole, and follows the rules', () => {
    const events = whole(name);
    const body = written(events);
    expect(RULEBOOKS['generate-content'].whole(body).violations).toEqual([]);
    // Calls that came without ids have ids now.
    expect(body).toMatchObject(object(read(`${name}.json`).toString('utf8')));
    expect(collect(run(parse(), [{ data: JSON.stringify(body) }]))).toEqual(collect(events));
  });
});

function expectOrder(events: readonly ReplyEvent[]): void {
  expect(events.find(({ type }) => type !== 'usage')?.type).toBe('reply-start');
  expect(events.at(-1)?.type).toBe('reply-end');
  const next = new Map<number, number>();
  const open = new Map<number, number>();
  const ended = new Set<number>();
  for (const event of events) {
    if (!('choice' in event)) continue;
    expect(ended.has(event.choice)).toBe(false);
    if (event.type === 'part-start') {
      expect(open.has(event.choice)).toBe(false);
      expect(event.index).toBe(next.get(event.choice) ?? 0);
      open.set(event.choice, event.index);
      next.set(event.choice, event.index + 1);
    } else if (event.type === 'part-end') {
      expect(open.get(event.choice)).toBe(event.index);
      open.delete(event.choice);
    } else if (event.type === 'part-delta' || event.type === 'part-detail') {
      expect(open.get(event.choice)).toBe(event.index);
      if (event.type === 'part-delta') expect(event.text).not.toBe('');
    } else if (event.type === 'choice-end') {
      expect(open.has(event.choice)).toBe(false);
      ended.add(event.choice);
    }
  }
}

describe('any answer', () => {
  const part = fc.oneof(
    fc.record({ text: fc.string() }),
    fc.record({ text: fc.string({ minLength: 1 }), thought: fc.constant(true) }),
    fc.record({ text: fc.string(), thoughtSignature: fc.base64String({ minLength: 4 }) }),
    fc.record({
      text: fc.string(),
      thought: fc.constant(true),
      thoughtSignature: fc.base64String({ minLength: 4 }),
    }),
    fc.record({
      functionCall: fc.record({
        name: fc.constantFrom('f', 'g'),
        args: fc.dictionary(fc.string(), fc.jsonValue()),
      }),
    }),
    fc.record({ executableCode: fc.record({ code: fc.string() }) }),
  );
  const chunks = fc
    .array(fc.tuple(fc.nat(2), fc.array(part, { maxLength: 3 })), { minLength: 1, maxLength: 8 })
    .map((pieces) => {
      const sent = pieces.map(([index, parts]) => ({
        candidates: [{ content: { parts, role: 'model' }, index }],
        responseId: 'R',
      }));
      const ends = [...new Set(pieces.map(([index]) => index))].map((index) => ({
        candidates: [{ finishReason: 'STOP', index }],
        responseId: 'R',
      }));
      return [...sent, ...ends].map((chunk): Sse => ({ data: JSON.stringify(chunk) }));
    });

  test('keeps its order and everything in it', () => {
    fc.assert(
      fc.property(chunks, (sent) => {
        const events = run(parse(), sent);
        expectOrder(events);
        // Silent candidates between others are rendered as empty ones, since a list has no gaps.
        const reply = collect(events);
        const start = { ...reply.start, model: PROMPT.model };
        expect(collect(run(parse(), said(events))).choices.map((choice) => choice.parts)).toEqual(
          reply.choices.map((choice) => choice.parts),
        );
        expect(collect(run(parse(), [{ data: JSON.stringify(written(events)) }])).start).toEqual(start);
      }),
      { numRuns: 200 },
    );
  });
});

describe('any input', () => {
  const key = fc.constantFrom(
    ...[
      'candidates',
      'content',
      'parts',
      'text',
      'thought',
      'thoughtSignature',
      'functionCall',
      'name',
      'args',
      'id',
      'index',
    ],
    ...[
      'partialArgs',
      'jsonPath',
      'stringValue',
      'numberValue',
      'willContinue',
      'finishReason',
      'finishMessage',
      'promptFeedback',
      'blockReason',
    ],
    ...[
      'usageMetadata',
      'promptTokenCount',
      'totalTokenCount',
      'groundingMetadata',
      'groundingSupports',
      'groundingChunks',
      'segment',
    ],
    ...[
      'logprobsResult',
      'chosenCandidates',
      'token',
      'error',
      'code',
      'details',
      'createTime',
      'responseId',
      '__proto__',
      'constructor',
    ],
  );
  const leaf = fc.oneof(
    fc.constantFrom('STOP', '$.a.__proto__.b', '$.a', '2026-01-01', 1, 0, true, null),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      leaf,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const likely = fc.record({
    candidates: fc.array(
      fc.dictionary(
        fc.constantFrom(
          'content',
          'finishReason',
          'index',
          'logprobsResult',
          'groundingMetadata',
          'citationMetadata',
          '__proto__',
        ),
        tree,
      ),
      { maxLength: 3 },
    ),
    usageMetadata: tree,
  });
  const event = fc.oneof(
    fc.oneof(tree, likely).map((value): Sse => ({ data: JSON.stringify(value) ?? 'null' })),
    fc.string().map((data): Sse => ({ data })),
  );

  test('the parser throws only GatewayErrors, and its events can be rendered', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 4 }), (sent) => {
        try {
          const events = run(parse(), sent);
          said(events);
          written(events);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test('an answer that is nested too deeply is broken', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const part of [`{"functionCall":{"name":"f","args":{"a":${deep}}}}`, `{"executableCode":${deep}}`]) {
      const data = `{"candidates":[{"content":{"parts":[${part}]},"finishReason":"STOP"}]}`;
      expect(() => run(parse(), [{ data }])).toThrow('nested too deep');
    }
  });
});
