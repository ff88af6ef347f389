/** What must hold for every format and every pair of formats, whatever the content. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { Prompt } from '../../src/conversation/prompt.ts';
import type { Reply } from '../../src/conversation/reply.ts';
import { unreported } from '../../src/formats/format.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import type { Json } from '../../src/lib/json.ts';
import { isObject, parseJson } from '../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../src/protocol/validate.ts';
import { answer, dialogue, dialogueMeaning, mixedAnswer } from '../support/dialogues.ts';
import {
  allFormats,
  bytesOf,
  eventsOf,
  eventsOfWhole,
  meaningOf,
  PERMISSIVE,
  rendered,
  renderedWhole,
} from '../support/meaning.ts';

const RUNS = Number(process.env['FUZZ'] ?? 150);

const pairs = allFormats.flatMap((from) =>
  allFormats.map((to) => ({ from, to, name: `${from.name} → ${to.name}` })),
);

const overTheWire = (value: Json): Json => parseJson(JSON.stringify(value));

describe.each(pairs)('$name', ({ from, to }) => {
  test('a dialogue keeps its meaning there and back', () => {
    fc.assert(
      fc.property(dialogue, ({ stop, ...rest }) => {
        // OpenAI's responses has no stop sequences.
        const stops = stop !== undefined && from.name !== 'responses' && to.name !== 'responses';
        const prompt: Prompt = stops ? { ...rest, stop } : rest;
        const there = from.outbound.renderRequest(prompt, PERMISSIVE, unreported);
        const read = { ...from.inbound.parseRequest(asBody(there), unreported), model: 'a-model' };
        const on = to.outbound.renderRequest(read, PERMISSIVE, unreported);
        const back = to.inbound.parseRequest(asBody(on), unreported);
        expect(dialogueMeaning(back)).toEqual(dialogueMeaning(prompt));
      }),
      { numRuns: RUNS },
    );
  });

  test('an answer keeps its meaning and the protocol, streamed', () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 1, max: 400 }), (events, size) => {
        const first = rendered(from, events);
        const again = rendered(to, eventsOf(from, bytesOf(first), size));
        const judge = validator(to.name, { usageAsked: true });
        for (const event of again) judge.add(event);
        expect(judge.end()).toEqual([]);
        expect(meaningOf(collect(eventsOf(to, bytesOf(again), size)))).toEqual(meaningOf(collect(events)));
      }),
      { numRuns: RUNS },
    );
  });

  test('an answer keeps its meaning and the protocol, whole', () => {
    fc.assert(
      fc.property(answer, (events) => {
        const first = JSON.stringify(renderedWhole(from, events));
        const again = renderedWhole(to, eventsOfWhole(from, first));
        expect(RULEBOOKS[to.name].whole(again).violations).toEqual([]);
        expect(meaningOf(collect(eventsOfWhole(to, JSON.stringify(again))))).toEqual(
          meaningOf(collect(events)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

/** What is in a reply, part by part, with the signature of each. */
function partsIn({ choices }: Reply): readonly Json[] {
  return (choices[0]?.parts ?? []).map((part) => [
    part.kind,
    part.kind === 'text' || part.kind === 'thinking' ? part.text : '',
    part.signature?.value ?? '',
  ]);
}

describe.each(allFormats)('$name', (format) => {
  test('an answer of parts in any order is the same streamed and whole', () => {
    fc.assert(
      fc.property(mixedAnswer, (events) => {
        const streamed = collect(eventsOf(format, bytesOf(rendered(format, events))));
        const whole = collect(eventsOfWhole(format, JSON.stringify(renderedWhole(format, events))));
        expect(meaningOf(streamed)).toEqual(meaningOf(whole));
        // A whole message of chat-completions does not tell the order of its parts.
        if (format.name !== 'chat-completions') expect(partsIn(streamed)).toEqual(partsIn(whole));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  const anything = fc.jsonValue({ maxDepth: 4 }).map(overTheWireOf);

  test('a request of any shape is read, or refused with a typed error', () => {
    fc.assert(
      fc.property(anything, anything, anything, (turns, tools, rest) => {
        const body = {
          ...(isObject(rest) && rest),
          messages: turns,
          contents: turns,
          input: turns,
          tools,
          max_tokens: 5,
        };
        onlyTyped(() => {
          const prompt = format.inbound.parseRequest(body, unreported);
          for (const to of allFormats) to.outbound.renderRequest(prompt, PERMISSIVE, unreported);
        });
      }),
      { numRuns: RUNS * 5 },
    );
  });

  test('events of any shape are read, or refused with a typed error', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            anything.map((value) => JSON.stringify(value)),
            fc.string(),
          ),
        ),
        (datas) => {
          onlyTyped(() =>
            eventsOf(format, bytesOf(datas.map((data) => ({ data: data.replace(/[\r\n]/g, ' ') })))),
          );
        },
      ),
      { numRuns: RUNS * 5 },
    );
  });

  test('an error answer of any shape becomes a typed error with a message', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 400, max: 599 }),
        fc.oneof(
          anything.map((v) => JSON.stringify(v)),
          fc.string(),
        ),
        (status, body) => {
          const error = format.outbound.parseError(status, body);
          expect(error).toBeInstanceOf(GatewayError);
          expect(error.message).not.toBe('');
        },
      ),
      { numRuns: RUNS * 2 },
    );
  });
});

function overTheWireOf(value: unknown): Json {
  return overTheWire(parseJson(JSON.stringify(value)));
}

function asBody(value: Json) {
  const body = overTheWire(value);
  if (!isObject(body)) throw new Error('A request is an object.');
  return body;
}

/** Runs a function. Anything it throws fails the test, except a GatewayError. */
function onlyTyped(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}
