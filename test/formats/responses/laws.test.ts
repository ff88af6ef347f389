/** Laws that hold for every recorded answer, and for the settings that an answer repeats. */

import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/conversation/collect.ts';
import type { ReplyEvent } from '../../../src/conversation/reply.ts';
import { echoSettings } from '../../../src/formats/responses/inbound/echo-settings.ts';
import { renderReply } from '../../../src/formats/responses/inbound/render-reply.ts';
import { parseAdditionalFields } from '../../../src/formats/responses/outbound/additional-fields.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import { asObject, asObjects, asText, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { decodeSse } from '../../../src/streams/sse.ts';
import { run } from '../../../src/streams/step.ts';
import {
  expectInOrder,
  expectValid,
  expectValidWhole,
  lastResponse,
  parseData,
  parseObjects,
  parseStream,
  REQUEST,
  readStream,
  recorded,
  renderStream,
  throughJson,
  toBytes,
  withoutDetails,
} from './answers.ts';

const wholeEvents = (whole: string): ReplyEvent[] => parseObjects([parseJson(whole)]);

describe.each(recorded)('$name', ({ stream, whole }) => {
  const events = parseStream(stream);

  test('parses the same however its bytes are cut', () => {
    for (const size of [1, 2, 3, 5, 7, 64, 1000]) expect(parseStream(stream, size)).toEqual(events);
  });

  test('parses the same streamed and whole', () => {
    expect(withoutDetails(collect(events))).toEqual(withoutDetails(collect(wholeEvents(whole))));
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
  ])('%s: renders to a valid answer, which parses the same', (_, those) => {
    const again = renderStream(those);
    expectValid(again);
    expect(withoutDetails(collect(parseStream(toBytes(again))))).toEqual(withoutDetails(collect(those)));
    const answer = renderReply(collect(those), REQUEST);
    expectValidWhole(answer);
    expect(withoutDetails(collect(wholeEvents(JSON.stringify(answer))))).toEqual(
      withoutDetails(collect(those)),
    );
  });

  test('renders to a stream that ends with the whole answer', () => {
    expect(lastResponse(renderStream(events))).toEqual(throughJson(renderReply(collect(events), REQUEST)));
  });

  test("keeps the vendor's items, ids, end and usage", () => {
    const before = asObject(parseJson(whole)) ?? {};
    const after = renderReply(collect(events), REQUEST);
    for (const field of ['id', 'model', 'created_at', 'status', 'incomplete_details']) {
      expect(after[field]).toEqual(before[field]);
    }
    expect(after['completed_at'] ?? null).toBe(before['completed_at']);
    expect(after['output']).toEqual(before['output']);
    expect(after['usage']).toMatchObject(asObject(before['usage']) ?? {});
    expect(after['tool_usage']).toEqual(before['tool_usage']);
  });

  test('renders to the same events as OpenAI, in the same order', () => {
    const types = (list: readonly { readonly data: string }[]): readonly (string | undefined)[] =>
      list.map((event) => asText(parseData(event)['type']));
    expect(types(renderStream(events))).toEqual(types(run(decodeSse(), [stream])));
  });

  test('is an error wherever it is cut before its end', () => {
    const text = stream.toString('utf8');
    const ends = [...text.matchAll(/\n\n/g)].map(({ index }) => index + 2).slice(0, -1);
    for (const end of ends) {
      expect(() => parseStream(Buffer.from(text.slice(0, end)))).toThrow(GatewayError);
    }
  });
});

test('every delta has all fields that OpenAI sends', () => {
  const shown = (data: JsonObject): Json =>
    Object.keys(data)
      .filter((key) => key !== 'obfuscation')
      .sort();
  for (const { stream } of recorded) {
    const before = run(decodeSse(), [stream]).map(parseData);
    const after = renderStream(parseStream(stream)).map(parseData);
    for (const [at, data] of before.entries()) {
      expect(Object.keys(after[at] ?? {})).toEqual(expect.arrayContaining(asKeys(shown(data))));
    }
  }
});

test('an error within the stream is thrown', () => {
  expect(() => parseStream(readStream('error-in-stream'))).toThrow(
    new GatewayError(
      'upstream-broken',
      'The server had an error while processing your request. Sorry about that!',
    ),
  );
});

test('no two items of a response share an id', () => {
  for (const { stream } of recorded) {
    const ids = asObjects(renderReply(collect(parseStream(stream)), REQUEST)['output']).map(
      (item) => item['id'],
    );
    expect(new Set(ids).size).toBe(ids.length);
  }
});

function asKeys(value: Json): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

test.each(Object.keys(echoSettings({ user: 'somebody' })))(
  '%s, which a response repeats, is no answer',
  (name) => {
    expect(parseAdditionalFields({ [name]: 'as asked' }, 'stop')).toEqual({});
  },
);
