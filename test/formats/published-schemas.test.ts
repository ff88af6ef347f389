/**
 * Every recorded answer in every other format, judged by others than the gateway: by what the vendors publish about their
 * answers (`published-schemas.ts`), and by a reader that shares nothing with the product (`read-answer.ts`).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Format, RequestContext } from '../../src/formats/format.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { asObject, asObjects, isObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import type { Sse } from '../../src/streams/sse.ts';
import {
  ASKED,
  allFormats,
  bytesOf,
  eventsOf,
  eventsOfWhole,
  rendered,
  renderedWhole,
} from '../support/meaning.ts';
import { type PublishedSchema, publishedSchema } from '../support/published-schemas.ts';
import { readStream, readWhole, type Said } from '../support/read-answer.ts';
import { FIXTURES } from '../support/recording.ts';

interface Recording {
  readonly name: string;
  readonly from: Format;
  readonly events: ReturnType<typeof eventsOf>;
  readonly said: Said;
}

const recordings: readonly Recording[] = allFormats.flatMap((from) =>
  readdirSync(join(FIXTURES, 'replies', from.name))
    .filter((file) => !file.includes('error'))
    .map((file) => {
      const bytes = readFileSync(join(FIXTURES, 'replies', from.name, file));
      const text = bytes.toString('utf8');
      return file.endsWith('.sse')
        ? { name: file, from, events: eventsOf(from, bytes), said: readStream(from.name, text) }
        : {
            name: file,
            from,
            events: eventsOfWhole(from, text),
            said: readWhole(from.name, parseJson(text)),
          };
    }),
);

const FAULTS = [
  'context-too-long',
  'quota-exceeded',
  'rate-limited',
  'upstream-timeout',
  'invalid-request',
] as const;

const overTheWire = (value: Json): Json => parseJson(JSON.stringify(value));

/** Fields whose values are words of a vendor. */
const WORDS = [
  ...['service_tier', 'finish_reason', 'native_finish_reason', 'object', 'role', 'status', 'reason', 'type'],
  ...['stop_reason', 'category', 'inference_geo', 'speed', 'phase'],
  ...['serviceTier', 'trafficType', 'finishReason', 'blockReason', 'modality', 'probability', 'model', 'id'],
];

/** The events of a whole answer; undefined if it is refused as broken. */
function eventsUnlessRefused(from: Format, text: string): ReturnType<typeof eventsOfWhole> | undefined {
  try {
    return eventsOfWhole(from, text);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Fields by which an answer of any format says what it is, or that it failed. */
const STEERING = ['error', 'type'];

/** The recorded answers that are no stream. */
const wholeAnswers = recordings
  .filter(({ name }) => name.endsWith('.json'))
  .map(({ name, from }) => {
    const body = asObject(parseJson(readFileSync(join(FIXTURES, 'replies', from.name, name), 'utf8')));
    if (body === undefined) throw new TypeError('An answer is an object.');
    return { name, from, body };
  });

/** An answer with a further field, which each of its choices has too. */
function withField(body: JsonObject, name: string, value: Json): JsonObject {
  const lists = Object.entries(body).filter(([key]) => key === 'choices' || key === 'candidates');
  const choices = lists.map(([key, list]) => [
    key,
    asObjects(list).map((choice) => ({ ...choice, [name]: value })),
  ]);
  return { ...body, ...Object.fromEntries(choices), [name]: value };
}

/** What the schemas find wrong in an answer, whole and as each event of a stream. */
function violations(
  to: Format,
  schema: PublishedSchema,
  { events }: Pick<Recording, 'events'>,
  context: RequestContext = ASKED,
): readonly string[] {
  return [
    ...new Set([
      ...schema.whole(overTheWire(renderedWhole(to, events, context))),
      ...rendered(to, events, context).flatMap((event) => schema.event(event)),
    ]),
  ];
}

/** The requests of a format that the gateway can translate, as their callers send them. */
function requestsOf(format: Format): readonly { readonly file: string; readonly body: JsonObject }[] {
  const folder = join(FIXTURES, 'requests', format.name);
  return readdirSync(folder).map((file) => {
    const body = parseJson(readFileSync(join(folder, file), 'utf8'));
    if (!isObject(body)) throw new TypeError(`${file} is no request.`);
    return { file, body };
  });
}

describe.each(allFormats)('answers in $name', (to) => {
  const schema = publishedSchema(to.name);
  const others = recordings.filter(({ from }) => from !== to);

  test('fit what its vendor publishes', () => {
    for (const recording of others)
      expect.soft(violations(to, schema, recording), `${recording.from.name}/${recording.name}`).toEqual([]);
    expect(others.length).toBeGreaterThan(70);
  });

  test('fit it whatever the request, which some answers repeat', () => {
    const [recording] = others.filter(({ name }) => name === 'parallel-tool-calls.sse');
    if (recording === undefined) throw new Error('There is no recording with calls.');
    for (const { file, body } of requestsOf(to)) {
      const prompt = { ...to.inbound.parseRequest(body, unreported), stream: true, includeUsage: true };
      const context = { ...ASKED, prompt: { ...ASKED.prompt, ...prompt }, body };
      expect.soft(violations(to, schema, recording, context), file).toEqual([]);
    }
  });

  test('fit it if the vendor has other fields of the same names', () => {
    expect(schema.fields.length).toBeGreaterThan(9);
    for (const { from, body } of wholeAnswers.filter(
      ({ from, name }) => from !== to && name === 'plain-text.json',
    )) {
      const known = publishedSchema(from.name).fields;
      for (const name of schema.fields.filter(
        (field) => !known.includes(field) && !STEERING.includes(field),
      )) {
        for (const odd of [7, 'odd', { odd: true }, ['odd']]) {
          const text = JSON.stringify(withField(body, name, odd));
          const recording = {
            name,
            from,
            events: eventsOfWhole(from, text),
            said: readWhole(from.name, body),
          };
          expect.soft(violations(to, schema, recording), `${from.name}: ${name}`).toEqual([]);
        }
      }
    }
  });

  test('fit it if the vendor has words that no format knows', () => {
    let answers = 0;
    for (const { name, from, body } of wholeAnswers.filter((answer) => answer.from !== to)) {
      for (const field of WORDS) {
        for (const odd of ['on_demand', 'ON_DEMAND']) {
          const text = JSON.stringify(body, (key, value) =>
            key === field && typeof value === 'string' ? odd : value,
          );
          const events = eventsUnlessRefused(from, text);
          if (text === JSON.stringify(body) || events === undefined) continue;
          answers += 1;
          expect.soft(violations(to, schema, { events }), `${from.name}/${name}: ${field}`).toEqual([]);
        }
      }
    }
    expect(answers).toBeGreaterThan(100);
  });

  test('say what the vendor said', () => {
    for (const { from, name, events, said } of recordings) {
      const at = `${from.name}/${name}`;
      expect.soft(readWhole(to.name, overTheWire(renderedWhole(to, events))), `${at}, whole`).toEqual(said);
      const stream = new TextDecoder().decode(bytesOf(rendered(to, events)));
      expect.soft(readStream(to.name, stream), `${at}, streamed`).toEqual(said);
    }
  });

  test('have no times and payers of OpenAI, unless it is its own format', () => {
    const left = others
      .flatMap(({ events }) => [
        JSON.stringify(renderedWhole(to, events)),
        ...rendered(to, events).map(({ data }) => data),
      ])
      .filter((text) => /"(?:billing|conversation|completed_at)":/.test(text));
    if (to.name === 'responses') expect(left).not.toEqual([]);
    else expect(left).toEqual([]);
  });
});

describe('the schemas object', () => {
  const schema = publishedSchema('responses');

  test.each(FAULTS)('not to a stream of responses that fails: %s', (fault) => {
    const events: Sse[] = [];
    const renderer = formats.responses.inbound.renderEvents(ASKED);
    renderer.fail(new GatewayError(fault, 'No.'), { enqueue: (event) => events.push(event) });
    expect(events.map(({ event }) => event).slice(-2)).toEqual(['error', 'response.failed']);
    for (const event of events) expect(schema.event(event)).toEqual([]);
  });
  const [to] = allFormats.filter(({ name }) => name === 'responses');
  const [recording] = recordings.filter(({ from }) => from.name === 'messages');

  test.each<[name: string, change: (answer: JsonObject) => JsonObject, says: RegExp]>([
    ['a field is missing', ({ completed_at: _, ...rest }) => rest, /completed_at/],
    ['a field has another type', (answer) => ({ ...answer, created_at: 'now' }), /created_at/],
    ['a word is unknown', (answer) => ({ ...answer, status: 'done' }), /status/],
    ['an item lacks a field', (answer) => ({ ...answer, output: [{ type: 'function_call' }] }), /output\/0/],
  ])('if %s', (_, change, says) => {
    if (to === undefined || recording === undefined) throw new Error('There is no recording.');
    const answer = overTheWire(change(renderedWhole(to, recording.events)));
    expect(schema.whole(answer).join('\n')).toMatch(says);
  });
});
