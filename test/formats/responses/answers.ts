/** Shared by the tests of answers. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Prompt } from '../../../src/conversation/prompt.ts';
import type { PromptOutline } from '../../../src/conversation/prompt-outline.ts';
import type { Reply, ReplyEvent } from '../../../src/conversation/reply.ts';
import type { RequestContext } from '../../../src/formats/format.ts';
import { renderEvents } from '../../../src/formats/responses/inbound/render-events.ts';
import { parseEvents } from '../../../src/formats/responses/outbound/parse-events.ts';
import { asObject, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../../src/protocol/validate.ts';
import { decodeSse, type Sse, sseText } from '../../../src/streams/sse.ts';
import { fuse, run } from '../../../src/streams/step.ts';
import { modelOf } from '../../support/model-traits.ts';

export const PROMPT: Prompt & PromptOutline = { model: 'a-model', turns: [], calls: [], stream: true };

export const REQUEST: RequestContext = { prompt: PROMPT, body: {}, id: 'q7abc', created: 1_790_000_000 };

const TARGET = modelOf();

const folder = join(import.meta.dirname, '../../../fixtures/replies/responses');

const files = new Set(readdirSync(folder));

/** All answers that are recorded both streamed and whole; the others are in `test/formats/pairs.test.ts`. */
export const recorded = [...files]
  .flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))
  .filter((name) => files.has(`${name}.sse`))
  .map((name) => ({
    name,
    stream: readFileSync(join(folder, `${name}.sse`)),
    whole: readFileSync(join(folder, `${name}.json`), 'utf8'),
  }));

export function readStream(name: string): Buffer {
  return readFileSync(join(folder, `${name}.sse`));
}

/** Parses the bytes of a stream, in chunks of `size`. */
export function parseStream(
  bytes: Uint8Array,
  size = bytes.length,
  prompt: PromptOutline = PROMPT,
): ReplyEvent[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return run(fuse(decodeSse(), parseEvents(prompt, TARGET)), chunks);
}

/** Parses what a vendor sends, one object for each event; a whole answer is one object without a type. */
export function parseObjects(said: readonly Json[], prompt: PromptOutline = PROMPT): ReplyEvent[] {
  return run(
    parseEvents(prompt, TARGET),
    said.map((value) => ({ data: JSON.stringify(value) })),
  );
}

/** Parses events until the parser throws. Returns the neutral events before that, and the error. */
export function parseUntilError(said: readonly string[]): { events: ReplyEvent[]; error: unknown } {
  const events: ReplyEvent[] = [];
  try {
    const step = parseEvents(PROMPT, TARGET);
    const out = { enqueue: (event: ReplyEvent) => void events.push(event) };
    for (const data of said) step.transform({ data }, out);
    step.flush?.(out);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

export function renderStream(events: readonly ReplyEvent[], asked = REQUEST): Sse[] {
  return run(renderEvents(asked), events);
}

export function toBytes(events: readonly Sse[]): Uint8Array {
  return new TextEncoder().encode(events.map(sseText).join(''));
}

export function parseData(event: Sse | undefined): JsonObject {
  return asObject(parseJson(event?.data ?? 'null')) ?? {};
}

/** The response in the last event of a stream. */
export function lastResponse(events: readonly Sse[]): JsonObject {
  return asObject(parseData(events.at(-1))['response']) ?? {};
}

export function expectValid(events: readonly Sse[]): void {
  const judge = validator('responses');
  for (const event of events) judge.add(event);
  expect(judge.end()).toEqual([]);
}

export function expectValidWhole(body: JsonObject): void {
  expect(RULEBOOKS['responses'].whole(body).violations).toEqual([]);
}

/** A value after it was serialized and parsed. */
export function throughJson(value: JsonObject): Json {
  return parseJson(JSON.stringify(value));
}

/** Makes a response object as a vendor sends it. */
export function makeResponse(fields: JsonObject = {}): JsonObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    model: 'gpt-5.4',
    output: [],
    error: null,
    ...fields,
  };
}

/** Makes a vendor's stream with `events` inside. */
export function makeStream(events: readonly JsonObject[], end: JsonObject = {}): JsonObject[] {
  return [
    { type: 'response.created', response: makeResponse({ status: 'in_progress' }) },
    ...events,
    { type: 'response.completed', response: makeResponse(end) },
  ];
}

/** Makes the neutral events of one answer with `parts` inside. */
export function makeReply(
  parts: readonly ReplyEvent[],
  end: Partial<ReplyEvent & { type: 'choice-end' }> = {},
): ReplyEvent[] {
  return [
    { type: 'reply-start', id: 'msg_01XyZ', model: 'some-model' },
    ...parts,
    { type: 'usage', usage: { input: 10, output: 5 } },
    { type: 'choice-end', choice: 0, finish: 'stop', ...end },
    { type: 'reply-end' },
  ];
}

/** A reply without what a detour through two formats cannot keep: the tier, and whether a figure was zero or absent. */
export function withoutDetails(reply: Reply) {
  const { serviceTier: _, ...start } = reply.start;
  const { formatSpecific: own, ...usage } = reply.usage;
  return {
    start,
    usage: { cacheRead: 0, cacheWrite: 0, reasoning: 0, ...usage, own },
    choices: reply.choices,
  };
}

/** Expects that parts are numbered from 0 and come one after another, and that their events come while they are open. */
export function expectInOrder(events: readonly ReplyEvent[]): void {
  const [first, ...rest] = events;
  expect(first?.type).toBe('reply-start');
  let next = 0;
  let open: number | undefined;
  let ended = false;
  for (const [at, event] of rest.entries()) {
    switch (event.type) {
      case 'part-start':
        expect([open, event.index, ended]).toEqual([undefined, next, false]);
        open = event.index;
        next += 1;
        break;
      case 'part-delta':
        expect(event.text).not.toBe('');
        expect(event.index).toBe(open);
        break;
      case 'part-detail':
        expect(event.index).toBe(open);
        break;
      case 'part-end':
        expect(event.index).toBe(open);
        open = undefined;
        break;
      case 'choice-end':
        expect([open, ended]).toEqual([undefined, false]);
        ended = true;
        break;
      case 'reply-end':
        expect([ended, at]).toEqual([true, rest.length - 1]);
        break;
      case 'reply-start':
        expect(event).toBe('only once');
        break;
      case 'logprobs':
      case 'usage':
        break;
    }
  }
  expect(rest.at(-1)?.type).toBe('reply-end');
}
