/** Every recorded answer in every format: parsed by its own format, rendered by each other one, and parsed again. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { isObject, parseJson } from '../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../src/protocol/validate.ts';
import {
  ASKED,
  allFormats,
  bytesOf,
  eventsOf,
  eventsOfWhole,
  type Meaning,
  meaningOf,
  rendered,
  renderedWhole,
} from '../support/meaning.ts';
import { modelOf } from '../support/model-traits.ts';

const folder = join(import.meta.dirname, '../../fixtures/replies');

interface Case {
  readonly name: string;
  readonly from: (typeof allFormats)[number];
  readonly sse: Buffer | undefined;
  readonly json: string | undefined;
}

const read = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};

const cases: Case[] = allFormats.flatMap((from) =>
  [...new Set(readdirSync(join(folder, from.name)).map((file) => file.replace(/\.(sse|json)$/, '')))].map(
    (name) => ({
      name: `${from.name}/${name}`,
      from,
      sse: read(join(folder, from.name, `${name}.sse`)),
      json: read(join(folder, from.name, `${name}.json`))?.toString('utf8'),
    }),
  ),
);

const broken = (name: string): boolean => name.includes('error');

/** Words for the same end: a refusal is said as one part or as a reason, by format. */
const ending = (meaning: Meaning): Meaning => ({
  ...meaning,
  finish: meaning.finish === 'content-filter' ? 'stop' : meaning.finish,
});

describe.each(cases.filter(({ name }) => !broken(name)))('$name', ({ from, sse, json }) => {
  const streamed = sse && (() => eventsOf(from, sse));
  const whole = json === undefined ? undefined : () => eventsOfWhole(from, json);
  const sources = Object.entries({ streamed, whole }).flatMap(([kind, events]) =>
    events ? [{ kind, events }] : [],
  );

  test.runIf(streamed && whole)('says the same streamed and whole', () => {
    expect(meaningOf(collect(streamed?.() ?? []))).toEqual(meaningOf(collect(whole?.() ?? [])));
  });

  test.runIf(sse)('is the same however its bytes are cut', () => {
    const events = streamed?.();
    for (const size of [1, 2, 3, 7, 64, 1000])
      expect(eventsOf(from, sse ?? Buffer.of(), size)).toEqual(events);
  });

  describe.each(sources)('$kind', ({ events }) => {
    describe.each(allFormats)('to $name', (to) => {
      test('as a stream, keeps its meaning and the protocol', () => {
        const said = rendered(to, events());
        const judge = validator(to.name, { usageAsked: true });
        for (const event of said) judge.add(event);
        expect(judge.end()).toEqual([]);
        const understood = meaningOf(collect(eventsOf(to, bytesOf(said))));
        expect(ending(understood)).toEqual(ending(meaningOf(collect(events()))));
      });

      test('as a whole answer, keeps its meaning and the protocol', () => {
        const said = renderedWhole(to, events());
        expect(RULEBOOKS[to.name].whole(said).violations).toEqual([]);
        const understood = meaningOf(collect(eventsOfWhole(to, JSON.stringify(said))));
        expect(ending(understood)).toEqual(ending(meaningOf(collect(events()))));
      });
    });
  });
});

describe('streams that break off', () => {
  test.each(cases.filter(({ sse, name }) => sse && !broken(name)))(
    '$name cut before its end is an error, wherever it is cut',
    ({ from, sse = Buffer.of() }) => {
      const text = sse.toString('utf8');
      const ends = [...text.matchAll(/\r?\n\r?\n/g)].map((match) => match.index + match[0].length);
      // The last events may be past the terminal one (usage, [DONE]); the first half never is.
      for (const end of ends.slice(0, Math.floor(ends.length / 2))) {
        expect(() => eventsOf(from, Buffer.from(text.slice(0, end)))).toThrow(GatewayError);
      }
    },
  );

  test.each(cases.filter(({ name }) => name.endsWith('error-in-stream')))(
    '$name is said in every format as its own error event, the last thing of the stream',
    ({ from, sse = Buffer.of() }) => {
      for (const to of allFormats) {
        const renderer = to.inbound.renderEvents(ASKED);
        const said: { event?: string | undefined; data: string }[] = [];
        const out = { enqueue: (event: (typeof said)[number]) => void said.push(event) };
        let failure: unknown;
        try {
          for (const event of eventsBeforeFailure(from, sse)) renderer.transform(event, out);
          eventsOf(from, sse);
        } catch (error) {
          failure = error;
        }
        expect(failure).toBeInstanceOf(GatewayError);
        if (failure instanceof GatewayError) renderer.fail(failure, out);
        const judge = validator(to.name, { usageAsked: true });
        for (const event of said) judge.add(event);
        expect(judge.end()).toEqual([]);
        expect(judge.failed()).toBe(true);
      }
    },
  );
});

/** The events that come out before the stream fails. */
function eventsBeforeFailure(format: (typeof allFormats)[number], sse: Buffer) {
  const text = sse.toString('utf8');
  const cut = text.lastIndexOf('error');
  const kept = text.slice(0, Math.max(text.lastIndexOf('\n\n', cut), text.lastIndexOf('\r\n\r\n', cut)));
  const parser = format.outbound.parseEvents(ASKED.prompt, { ...targetOfTests });
  const events: Parameters<ReturnType<typeof format.inbound.renderEvents>['transform']>[0][] = [];
  for (const block of kept.split(/\r?\n\r?\n/)) {
    const data = block
      .split(/\r?\n/)
      .find((line) => line.startsWith('data: '))
      ?.slice(6);
    if (data !== undefined && isObject(parseJson(data)))
      parser.transform({ data }, { enqueue: (event) => void events.push(event) });
  }
  return events;
}

const targetOfTests = modelOf();

test('the input that a vendor counts first is reported first', () => {
  const sse = readFileSync(join(folder, 'generate-content/plain-text.sse'));
  const [start] = rendered(formats.messages, eventsOf(formats['generate-content'], sse));
  const message = start && parseJson(start.data);
  expect(message).toMatchObject({ type: 'message_start', message: { usage: { input_tokens: 14 } } });
});
