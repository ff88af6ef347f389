/** What renderers write while a vendor is silent, wherever in an answer that is. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { outlinePrompt } from '../../src/conversation/prompt-outline.ts';
import type { OpenPart, ReplyEvent } from '../../src/conversation/reply.ts';
import { unreported } from '../../src/formats/format.ts';
import { parseRequest } from '../../src/formats/responses/inbound/parse-request.ts';
import { renderEvents } from '../../src/formats/responses/inbound/render-events.ts';
import { asObject, asObjects, type JsonObject, parseJson, tryParseJson } from '../../src/lib/json.ts';
import { validator } from '../../src/protocol/validate.ts';
import type { Sse } from '../../src/streams/sse.ts';
import { ASKED, allFormats, eventsOf, rendered } from '../support/meaning.ts';

// Answers in responses say when they ended.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const folder = join(import.meta.dirname, '../../fixtures/replies');
const cases = allFormats.flatMap((from) =>
  readdirSync(join(folder, from.name))
    .filter((file) => file.endsWith('.sse') && !file.includes('error'))
    .map((file) => ({
      name: `${from.name}/${file}`,
      from,
      sse: readFileSync(join(folder, from.name, file)),
    })),
);

/** An event without its number. */
function withoutNumber({ event, data }: Sse): unknown {
  const { sequence_number: _, ...rest } = asObject(tryParseJson(data)) ?? { data };
  return { event, rest };
}

/** The parts of Gemini's chunks, without empty texts. */
function partsIn(said: readonly Sse[]): readonly JsonObject[] {
  return said
    .flatMap(({ data }) => asObjects(asObject(parseJson(data))?.['candidates']))
    .flatMap(({ content }) => asObjects(asObject(content)?.['parts']))
    .filter(({ text }) => text !== '');
}

describe.each(allFormats)('in $name', (to) => {
  test.each(cases)('they change nothing else in an answer: $name', ({ from, sse }) => {
    const events = eventsOf(from, sse);
    const renderer = to.inbound.renderEvents(ASKED);
    const said: Sse[] = [];
    const withPings: Sse[] = [];
    const out = {
      enqueue(event: Sse) {
        said.push(event);
        withPings.push(event);
      },
    };
    let begun = false;
    for (const event of events) {
      renderer.transform(event, out);
      begun ||= event.type === 'reply-start';
      // Before that an answer in responses begins with an id of its own.
      if (begun) renderer.ping?.({ enqueue: (ping) => void withPings.push(ping) });
    }
    renderer.flush?.(out);
    const judge = validator(to.name);
    for (const event of withPings) judge.add(event);
    expect(judge.end()).toEqual([]);
    const plain = rendered(to, events);
    // Gemini's chunks have whole calls: a keep-alive passes on what waits for the next event.
    if (to.name === 'generate-content') expect(partsIn(withPings)).toEqual(partsIn(plain));
    else expect(said.map(withoutNumber)).toEqual(plain.map(withoutNumber));
  });
});

/** Claude on Azure sends an empty list (langchain4j/langchain4j#5353). */
describe.each(['', 'null', '[]'])("a vendor's keep-alive with the data %j", (data) => {
  test.each(cases)('changes nothing in an answer: $name', ({ from, sse }) => {
    const text = sse.toString('utf8').replaceAll('\r\n', '\n');
    const kept = text.replaceAll('\n\n', `\n\ndata: ${data}\n\n`);
    expect(eventsOf(from, Buffer.from(kept))).toEqual(eventsOf(from, Buffer.from(text)));
  });
});

const tools = [{ type: 'function', name: 'look' }, { type: 'custom', name: 'write' }, { type: 'shell' }];
const prompt = outlinePrompt(parseRequest({ model: 'm', input: 'Hi', tools }, unreported));

/** The last keep-alive of an answer in responses that has come as far as these events. */
function lastPing(...events: ReplyEvent[]): JsonObject {
  const renderer = renderEvents({ ...ASKED, prompt });
  const pings: Sse[] = [];
  for (const event of [{ type: 'reply-start', id: 'a', model: 'm' } as const, ...events]) {
    renderer.transform(event, { enqueue() {} });
    renderer.ping?.({ enqueue: (ping) => void pings.push(ping) });
  }
  return asObject(parseJson(pings.at(-1)?.data ?? '')) ?? {};
}

const start = (part: OpenPart, index = 0): ReplyEvent => ({ type: 'part-start', choice: 0, index, part });
const delta: ReplyEvent = { type: 'part-delta', choice: 0, index: 0, text: '{' };
const end: ReplyEvent = { type: 'part-end', choice: 0, index: 0 };
const call = (name: string, custom = false): OpenPart => ({ kind: 'tool-call', id: 'c', name, custom });

describe('in responses they belong to what is open', () => {
  test.each<[OpenPart, string]>([
    [{ kind: 'text' }, 'response.output_text.delta'],
    [{ kind: 'refusal' }, 'response.refusal.delta'],
    [{ kind: 'thinking' }, 'response.reasoning_summary_text.delta'],
    [call('look'), 'response.function_call_arguments.delta'],
    [call('write', true), 'response.custom_tool_call_input.delta'],
  ])('%j', (part, type) => {
    expect(lastPing(start(part), delta)).toMatchObject({ type, delta: '', output_index: 0 });
  });

  test('or show the response as it is, where nothing is', () => {
    const output = (...events: ReplyEvent[]): unknown => {
      const { type, response } = lastPing(...events);
      expect(type).toBe('response.in_progress');
      return asObject(response)?.['output'];
    };
    expect(output()).toEqual([]);
    // Neither has an event yet.
    expect(output(start({ kind: 'thinking' }))).toMatchObject([{ type: 'reasoning', summary: [] }]);
    expect(output(start(call('shell')), delta)).toEqual([]);
    expect(output(start({ kind: 'text' }), delta, end)).toMatchObject([
      { type: 'message', status: 'in_progress', content: [{ text: '{' }] },
    ]);
    expect(output(start({ kind: 'refusal' }), delta, end)).toMatchObject([{ content: [{ refusal: '{' }] }]);
    expect(output(start(call('shell')), end)).toMatchObject([{ type: 'shell_call', status: 'in_progress' }]);
  });
});
