/** Laws of answers, over every recorded one. */

import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { renderReply } from '../../../src/formats/responses/inbound/render-reply.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { asObject, asObjects, asText, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { decodeSse } from '../../../src/streams/sse.ts';
import { run } from '../../../src/streams/step.ts';
import {
  ASKED,
  bytesOf,
  dataOf,
  essence,
  eventsOf,
  expectInOrder,
  expectValid,
  expectValidWhole,
  heard,
  lastResponse,
  onWire,
  readStream,
  recorded,
  told,
} from './answers.ts';

const wholeEvents = (whole: string): ReplyEvent[] => heard([parseJson(whole)]);

describe.each(recorded)('$name', ({ stream, whole }) => {
  const events = eventsOf(stream);

  test('is the same however its bytes are cut', () => {
    for (const size of [1, 2, 3, 5, 7, 64, 1000]) expect(eventsOf(stream, size)).toEqual(events);
  });

  test('is the same streamed and whole', () => {
    expect(essence(collect(events))).toEqual(essence(collect(wholeEvents(whole))));
  });

  test.each([
    ['streamed', events],
    ['whole', wholeEvents(whole)],
  ])('%s: parts come in order', (_, those) => {
    expectInOrder(those);
  });

  test.each([
    ['streamed', events],
    ['whole', wholeEvents(whole)],
  ])('%s: said again it is the same, and within the protocol', (_, those) => {
    const again = told(those);
    expectValid(again);
    expect(essence(collect(eventsOf(bytesOf(again))))).toEqual(essence(collect(those)));
    const answer = renderReply(collect(those), ASKED);
    expectValidWhole(answer);
    expect(essence(collect(wholeEvents(JSON.stringify(answer))))).toEqual(essence(collect(those)));
  });

  test('ends with the very response that a whole answer is', () => {
    expect(lastResponse(told(events))).toEqual(onWire(renderReply(collect(events), ASKED)));
  });

  test("keeps the vendor's items, ids, end and usage", () => {
    const before = asObject(parseJson(whole)) ?? {};
    const after = renderReply(collect(events), ASKED);
    for (const field of ['id', 'model', 'created_at', 'status', 'incomplete_details']) {
      expect(after[field]).toEqual(before[field]);
    }
    expect(after['completed_at'] ?? null).toBe(before['completed_at']);
    expect(after['output']).toEqual(before['output']);
    expect(after['usage']).toMatchObject(asObject(before['usage']) ?? {});
    expect(after['tool_usage']).toEqual(before['tool_usage']);
  });

  test('says the same events as OpenAI, in the same order', () => {
    const types = (list: readonly { readonly data: string }[]): readonly (string | undefined)[] =>
      list.map((event) => asText(dataOf(event)['type']));
    expect(types(told(events))).toEqual(types(run(decodeSse(), [stream])));
  });

  test('cut before its end, it is an error wherever it is cut', () => {
    const text = stream.toString('utf8');
    const ends = [...text.matchAll(/\n\n/g)].map(({ index }) => index + 2).slice(0, -1);
    for (const end of ends) {
      expect(() => eventsOf(Buffer.from(text.slice(0, end)))).toThrow(GatewayError);
    }
  });
});

test('every delta of a text has all that OpenAI gives it', () => {
  const shown = (data: JsonObject): Json =>
    Object.keys(data)
      .filter((key) => key !== 'obfuscation')
      .sort();
  for (const { stream } of recorded) {
    const before = run(decodeSse(), [stream]).map(dataOf);
    const after = told(eventsOf(stream)).map(dataOf);
    for (const [at, data] of before.entries()) {
      expect(Object.keys(after[at] ?? {})).toEqual(expect.arrayContaining(asKeys(shown(data))));
    }
  }
});

test('an error within the stream is thrown after what came before it', () => {
  expect(() => eventsOf(readStream('error-in-stream'))).toThrow(
    new GatewayError(
      'upstream-broken',
      'The server had an error while processing your request. Sorry about that!',
    ),
  );
});

test('no two items of a response have one id', () => {
  for (const { stream } of recorded) {
    const ids = asObjects(renderReply(collect(eventsOf(stream)), ASKED)['output']).map((item) => item['id']);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

function asKeys(value: Json): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
