/** Laws of parsing and rendering answers, over all recorded answers of the format and over generated ones. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { Reply } from '../../../src/conversation/reply.ts';
import { renderReply } from '../../../src/formats/chat-completions/inbound/render-reply.ts';
import { parseEvents } from '../../../src/formats/chat-completions/outbound/parse-events.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { RULEBOOKS } from '../../../src/protocol/validate.ts';
import { decodeSse, type Sse, sseText } from '../../../src/streams/sse.ts';
import { fuse, run } from '../../../src/streams/step.ts';
import { ASKED, isOrdered, PROMPT, parsed, rendered, TARGET, violations } from './answers.ts';

const folder = join(import.meta.dirname, '../../../fixtures/replies/chat-completions');
const files = readdirSync(folder).filter((file) => !file.startsWith('error'));
const streams = files.filter((file) => file.endsWith('.sse'));
const wholes = files.filter((file) => file.endsWith('.json'));

const bytesOf = (file: string): Buffer => readFileSync(join(folder, file));

function eventsOf(file: string, size = Number.POSITIVE_INFINITY) {
  const bytes = bytesOf(file);
  if (file.endsWith('.json')) return parsed([{ data: bytes.toString('utf8') }]);
  return eventsIn(bytes, Math.min(size, bytes.length));
}

function eventsIn(bytes: Buffer, size = bytes.length) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return run(fuse(decodeSse(), parseEvents(PROMPT, TARGET)), chunks);
}

/** A reply without the difference between early and late fields, which depends on its form. */
const content = ({ start, choices, usage }: Reply) => ({
  id: start.id,
  model: start.model,
  created: start.created,
  choices: choices.map(({ parts, end, logprobs }) => ({
    parts,
    logprobs,
    finish: end.finish,
    native: end.native,
  })),
  usage,
});

test('there are recorded answers', () => {
  expect(streams.length).toBeGreaterThanOrEqual(8);
  expect(wholes.length).toBeGreaterThanOrEqual(8);
});

describe.each(files)('%s', (file) => {
  test('keeps the order of events', () => {
    expect(isOrdered(eventsOf(file))).toBe(true);
  });

  test('rendered again follows the protocol, streamed and whole', () => {
    const events = eventsOf(file);
    expect(violations(rendered(events), true)).toEqual([]);
    expect(RULEBOOKS['chat-completions'].whole(renderReply(collect(events), ASKED)).violations).toEqual([]);
  });

  test('rendered and parsed again is the same to a client', () => {
    const reply = collect(eventsOf(file));
    const body = renderReply(reply, ASKED);
    expect(renderReply(collect(parsed(rendered(eventsOf(file)))), ASKED)['choices']).toEqual(body['choices']);
    expect(collect(parsed([{ data: JSON.stringify(body) }])).choices).toEqual(reply.choices);
    // Rendered as a stream and parsed again, its text, calls, usage and ids are identical.
    const again = content(collect(parsed(rendered(eventsOf(file)))));
    // OpenAI reports cached and reasoning tokens in every answer, even if there are none.
    expect(again.usage).toEqual({ cacheRead: 0, reasoning: 0, ...reply.usage });
    expect(again.created).toBe(reply.start.created);
    expect(again.choices.map(({ finish }) => finish)).toEqual(reply.choices.map(({ end }) => end.finish));
  });
});

describe.each(streams.filter((file) => wholes.includes(file.replace('.sse', '.json'))))('%s', (file) => {
  test('collected equals the whole answer', () => {
    expect(content(collect(eventsOf(file)))).toEqual(
      content(collect(eventsOf(file.replace('.sse', '.json')))),
    );
  });
});

describe.each(streams)('%s', (file) => {
  test.each([1, 2, 3, 5, 17, 100, 4096])('cut into pieces of %i bytes is the same', (size) => {
    expect(eventsOf(file, size)).toEqual(eventsOf(file));
  });

  test('cut off before its finish reason is an error', () => {
    const text = bytesOf(file).toString('utf8');
    const finish = text.search(/"finish_reason":"/);
    const ends = [...text.matchAll(/\n\n/g)].map((match) => match.index + 2).filter((end) => end < finish);
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends) {
      expect(() => eventsIn(Buffer.from(text.slice(0, end)))).toThrow(GatewayError);
    }
  });

  test('needs no [DONE]', () => {
    const text = bytesOf(file).toString('utf8').replace('data: [DONE]\n\n', '');
    expect(eventsIn(Buffer.from(text))).toEqual(eventsOf(file));
  });
});

test('error-in-stream.sse gives the events before the error, and throws the error', () => {
  const told: string[] = [];
  const step = fuse(decodeSse(), parseEvents(PROMPT, TARGET));
  const out = { enqueue: (event: { type: string }) => void told.push(event.type) };
  expect(() => step.transform(bytesOf('error-in-stream.sse'), out)).toThrow(GatewayError);
  expect(told).toContain('part-delta');
});

describe('generated answers', () => {
  const words = fc.constantFrom(
    '',
    'a',
    '{}',
    '{"x":',
    '1}',
    'stop',
    'tool_calls',
    'function',
    'custom',
    'google-gemini-v1',
    'reasoning.text',
    'reasoning.encrypted',
    'thinking',
    'redacted_thinking',
  );
  const odd = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), words, fc.jsonValue({ maxDepth: 2 }));
  const maybe = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: odd });
  const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
  const list = (item: fc.Arbitrary<unknown>) => maybe(fc.array(maybe(item), { maxLength: 3 }));
  const fn = maybe(record({ name: maybe(words), arguments: maybe(words) }));
  const call = record({
    index: maybe(fc.nat({ max: 3 })),
    id: maybe(words),
    type: maybe(words),
    function: fn,
    custom: maybe(record({ name: maybe(words), input: maybe(words) })),
    extra_content: maybe(record({ google: maybe(record({ thought_signature: maybe(words) })) })),
  });
  const detail = record({
    type: maybe(words),
    text: maybe(words),
    data: maybe(words),
    signature: maybe(words),
    format: maybe(words),
    index: maybe(fc.nat({ max: 2 })),
  });
  const block = record({
    type: maybe(words),
    thinking: maybe(words),
    signature: maybe(words),
    data: maybe(words),
  });
  const message = record({
    role: maybe(words),
    content: maybe(
      fc.oneof(
        words,
        list(record({ type: maybe(words), text: maybe(words), thinking: list(record({ text: words })) })),
      ),
    ),
    refusal: maybe(words),
    reasoning_content: maybe(words),
    reasoning: maybe(words),
    reasoning_details: list(detail),
    thinking_blocks: list(block),
    tool_calls: list(call),
    function_call: fn,
    annotations: list(
      record({
        type: words,
        url_citation: maybe(record({ url: words, start_index: fc.integer(), end_index: fc.integer() })),
      }),
    ),
    extra_content: maybe(record({ google: maybe(record({ thought_signature: maybe(words) })) })),
    provider_specific_fields: maybe(record({ messages: list(record({ type: words })), odd })),
    ['__proto__']: odd,
  });
  const choice = record({
    index: maybe(fc.nat({ max: 2 })),
    delta: maybe(message),
    message: maybe(message),
    finish_reason: maybe(words),
    logprobs: odd,
    stop_reason: odd,
  });
  const chunk = record({
    id: maybe(words),
    created: odd,
    model: odd,
    choices: list(choice),
    usage: maybe(
      record({ prompt_tokens: odd, completion_tokens: odd, total_tokens: odd, prompt_tokens_details: odd }),
    ),
    service_tier: odd,
    ['constructor']: odd,
  });

  const read = (events: readonly Sse[]): ReturnType<typeof parsed> | undefined => {
    try {
      return parsed(events);
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      return undefined;
    }
  };

  test('are parsed in order or refused, and can be rendered again', () => {
    fc.assert(
      fc.property(fc.array(maybe(chunk), { maxLength: 6 }), fc.boolean(), (bodies, done) => {
        const last = done ? [{ data: '[DONE]' }] : [];
        const events = read([...bodies.map((body) => ({ data: JSON.stringify(body) })), ...last]);
        if (events === undefined) return;
        expect(isOrdered(events)).toBe(true);
        const said = rendered(events);
        expect(said.map(sseText).join('')).toMatch(/data: \[DONE\]\n\n$/);
        const reply = collect(events);
        JSON.stringify(renderReply(reply, ASKED));
        expect(read(said)).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });

  test('some of them are valid answers', () => {
    const reads = fc
      .sample(fc.array(chunk, { minLength: 1, maxLength: 3 }), { numRuns: 500, seed: 1 })
      .filter((bodies) =>
        read([...bodies.map((body) => ({ data: JSON.stringify(body) })), { data: '[DONE]' }]),
      );
    expect(reads.length).toBeGreaterThan(50);
  });
});
