/**
 * No input, from either side, makes the gateway throw anything but its own error, write anything but its formats, or
 * change a prototype. 20,000 inputs; `FUZZ=50` makes a million, different ones each time.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { defaultModels } from '../../src/catalog/default.ts';
import { collector } from '../../src/conversation/collect.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { isObject, type Json, parseJson, tryParseJson } from '../../src/lib/json.ts';
import { scanObject } from '../../src/lib/json-scan.ts';
import { parseBody } from '../../src/pipeline/body/parse-body.ts';
import { scanned, withTree } from '../../src/pipeline/body/scanned.ts';
import { notSupported } from '../../src/pipeline/model/not-supported.ts';
import { framedAsEvents } from '../../src/streams/framing.ts';
import { decodeSse } from '../../src/streams/sse.ts';
import { fuse } from '../../src/streams/step.ts';
import { ASKED, PERMISSIVE, PROMPT } from '../support/meaning.ts';
import { cutAt, mutatedBytes, mutatedJson } from '../support/mutations.ts';
import { post, rawClient, statusOf } from '../support/raw.ts';
import { FIXTURES } from '../support/recording.ts';
import { requestOf, STREAM_END, useStage, ways } from './stage.ts';

const times = Number(process.env['FUZZ'] ?? 0);

/** How `share` of the 20,000 inputs run: always the same ones, unless more are requested. */
const runs = (share: number): fc.Parameters<unknown> =>
  times > 0 ? { numRuns: share * times } : { numRuns: share, seed: 20_000 };
const timeout = 60_000 * Math.max(1, times);

const names: readonly FormatName[] = ['chat-completions', 'responses', 'messages', 'generate-content'];
const formatName = fc.constantFrom(...names);

const filesOf = (folder: string, ending: string): Buffer[] =>
  readdirSync(join(FIXTURES, folder))
    .filter((name) => name.endsWith(ending) && name.split('.').length === 2)
    .map((name) => readFileSync(join(FIXTURES, folder, name)));
const jsonOf = (folder: string): Json[] =>
  filesOf(folder, '.json').map((bytes) => parseJson(bytes.toString()));

/** One generator per format, with the format's name. */
const perFormat = <T>(made: (name: FormatName) => fc.Arbitrary<T>): fc.Arbitrary<[FormatName, T]> =>
  fc.oneof(...names.map((name) => fc.tuple(fc.constant(name), made(name))));

/** Runs code that may throw, but nothing other than a GatewayError; undefined if it threw. */
function orRefused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

const prototypes = [Object, Array, String, Number, Function].map(({ prototype }) => prototype);
const untouched = prototypes.map((prototype) => Object.getOwnPropertyNames(prototype).join());
afterEach(() => {
  expect(prototypes.map((prototype) => Object.getOwnPropertyNames(prototype).join())).toEqual(untouched);
  expect('polluted' in {}).toBe(false);
});

describe('requests', () => {
  test('5,000 damaged requests: refused, or rendered for every vendor as JSON', { timeout }, () => {
    const request = perFormat((name) => mutatedJson(jsonOf(`requests/${name}`)));
    fc.assert(
      fc.property(request, ([name, body]) => {
        const bytes = Buffer.from(JSON.stringify(body));
        const parsed = orRefused(() => parseBody(scanned(bytes)));
        if (parsed === undefined) return;
        const prompt = orRefused(() => formats[name].inbound.parseRequest(parsed, unreported));
        if (prompt === undefined) return;
        for (const vendor of names) {
          const rendered = orRefused(() =>
            formats[vendor].outbound.renderRequest(prompt, PERMISSIVE, unreported),
          );
          if (rendered !== undefined) expect(isObject(tryParseJson(JSON.stringify(rendered)))).toBe(true);
        }
      }),
      runs(5_000),
    );
  });

  test('3,000 with cut and changed bytes: the scanner and JSON.parse agree on them', {
    timeout,
  }, () => {
    const bytes = mutatedBytes(names.flatMap((name) => filesOf(`requests/${name}`, '.json')));
    fc.assert(
      fc.property(bytes, (body) => {
        const scan = orRefused(() => scanObject(body));
        const value = tryParseJson(body.toString('utf8'));
        if (scan === undefined) return;
        if (value === undefined) {
          // The scanner looks at no more than it must; the rest is refused when it is parsed.
          expect(orRefused(() => parseBody(withTree(body, scan)))).toBeUndefined();
          return;
        }
        expect(isObject(value)).toBe(true);
        expect([...scan.fields.keys()].sort()).toEqual(Object.keys(value ?? {}).sort());
        for (const [key, { start, end }] of scan.fields) {
          expect(tryParseJson(body.toString('utf8', start, end))).toEqual(
            isObject(value) ? value[key] : undefined,
          );
        }
      }),
      runs(3_000),
    );
  });
});

describe('answers', () => {
  /**
   * The output of a renderer is a stream of one format: frames of at most two lines, each with JSON or the terminal
   * event.
   */
  const expectFrames = (text: string): void => {
    for (const frame of text.split('\n\n').slice(0, -1)) {
      const data = /^(?:event: [\w.]+\n)?data: ([^\n\r]*)$/.exec(frame)?.[1];
      expect(data === '[DONE]' || tryParseJson(data ?? '') !== undefined, frame).toBe(true);
    }
    expect(text === '' || text.endsWith('\n\n')).toBe(true);
  };

  test('5,000 streams with cut and changed bytes: translated to their end, or to an error event', {
    timeout,
  }, () => {
    const stream = perFormat((name) => mutatedBytes(filesOf(`replies/${name}`, '.sse')));
    fc.assert(
      fc.property(
        stream,
        formatName,
        fc.array(fc.nat(1_000_000), { maxLength: 6 }),
        ([name, bytes], caller, cuts) => {
          const renderer = formats[caller].inbound.renderEvents(ASKED);
          const encoder = framedAsEvents('');
          const parse = fuse(decodeSse(), formats[name].outbound.parseEvents(PROMPT, PERMISSIVE));
          const step = fuse(fuse(parse, renderer), encoder);
          let text = '';
          const out = {
            enqueue: (piece: string) => {
              text += piece;
            },
          };
          try {
            for (const piece of cutAt(bytes, cuts)) step.transform(piece, out);
            step.flush?.(out);
          } catch (error) {
            if (!(error instanceof GatewayError)) throw error;
            const before = text;
            renderer.fail(error, { enqueue: (event) => encoder.transform(event, out) });
            expect(text.length).toBeGreaterThan(before.length);
          }
          expectFrames(text);
        },
      ),
      runs(5_000),
    );
  });

  test('2,000 damaged whole answers: translated, or refused', { timeout }, () => {
    const answer = perFormat((name) => mutatedJson(jsonOf(`replies/${name}`)));
    fc.assert(
      fc.property(answer, formatName, ([name, body], caller) => {
        const folded = collector();
        const parse = formats[name].outbound.parseEvents(PROMPT, PERMISSIVE);
        const rendered = orRefused(() => {
          const out = { enqueue: folded.add };
          parse.transform({ data: JSON.stringify(body) }, out);
          parse.flush?.(out);
          return formats[caller].inbound.renderReply(folded.reply(), ASKED);
        });
        if (rendered !== undefined) expect(isObject(tryParseJson(JSON.stringify(rendered)))).toBe(true);
      }),
      runs(2_000),
    );
  });

  test('1,000 errors of any shape: each is rendered in every format', { timeout }, () => {
    const error = perFormat((name) =>
      fc.oneof(
        mutatedJson(jsonOf(`errors/${name}`)).map((value) => JSON.stringify(value)),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(error, fc.integer({ min: 400, max: 599 }), ([name, body], status) => {
        const fault = formats[name].outbound.parseError(status, body);
        expect(fault).toBeInstanceOf(GatewayError);
        expect(typeof fault.message).toBe('string');
        for (const caller of names)
          expect(isObject(tryParseJson(JSON.stringify(formats[caller].renderError(fault, 'id'))))).toBe(true);
      }),
      runs(1_000),
    );
  });
});

describe('model names', () => {
  test('2,500 of them: only a model of the catalog resolves, and no error shows more than 64 safe characters', {
    timeout,
  }, () => {
    const catalog = makeCatalog(defaultModels());
    const ids = catalog.models.map(({ id }) => id);
    const known = mutatedBytes(ids.map((id) => Buffer.from(id))).map((bytes) => bytes.toString());
    fc.assert(
      fc.property(
        fc.oneof(
          known,
          fc.string({ unit: 'binary', maxLength: 300 }),
          fc.constantFrom('__proto__', 'constructor'),
        ),
        fc.constantFrom('openai', 'anthropic', 'google'),
        (name, vendor) => {
          const model = catalog.resolve(name, vendor);
          if (model !== undefined) {
            const asked = name.includes('/') ? name.toLowerCase() : `${vendor}/${name.toLowerCase()}`;
            expect([model.id, ...(model.aliases ?? [])]).toContain(asked);
          }
          expect(notSupported(name, vendor).message).toMatch(/^Model not supported: [\w.:/@?-]{0,64}$/);
        },
      ),
      runs(2_500),
    );
  });
});

describe('over HTTP', () => {
  const stage = useStage();

  test('1,000 requests with changed bytes: each is answered or cut, and the next one is served', {
    timeout,
  }, async () => {
    stage.respondWith((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM_END),
    );
    const requests = ways.flatMap((way) =>
      [true, false].map((stream) =>
        Buffer.from(post(way.path, requestOf(way, stream), ['Connection: close'])),
      ),
    );
    const google = Buffer.from(
      post('/v1beta/models/gemini-2.5-pro:generateContent', '{"contents":[{"parts":[{"text":"x"}]}]}', [
        'Connection: close',
      ]),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutatedBytes([...requests, google]), { minLength: 10, maxLength: 10 }),
        async (changed) => {
          await Promise.all(
            changed.map(async (bytes) => {
              const client = rawClient(stage.gateway.port, bytes);
              // A server that waits for more than was sent gets a FIN, in one direction: an answer may still come.
              client.socket.end();
              const answer = await client.over;
              expect(answer === '' || statusOf(answer) >= 100, answer.slice(0, 200)).toBe(true);
              expect(statusOf(answer)).not.toBe(500);
            }),
          );
          expect(stage.gateway.alive()).toBe(true);
        },
      ),
      { ...runs(100), endOnFailure: true },
    );
  });

  test('500 vendor answers with changed bytes, head included: each caller gets an answer or an error', {
    timeout,
  }, async () => {
    const stream = filesOf('replies/chat-completions', '.sse')[0]?.toString() ?? '';
    const whole = filesOf('replies/chat-completions', '.json')[0]?.toString() ?? '';
    const answers = [
      `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${stream}`,
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(whole)}\r\nConnection: close\r\n\r\n${whole}`,
      `HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 29\r\n\r\n{"error":{"message":"later"}}`,
    ].map((text) => Buffer.from(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutatedBytes(answers), { minLength: 10, maxLength: 10 }),
        fc.boolean(),
        async (changed, streamed) => {
          stage.respondWith(({ body }, response, request) => {
            const at = Number(/n(\d+)/.exec(body.toString())?.[1]);
            request.socket.end(changed[at] ?? '', () => response.destroy());
          });
          await Promise.all(
            changed.map(async (bytes, at) => {
              const way = ways[at % 2] ?? ways[0];
              const request = post(way.path, requestOf(way, streamed, `n${at}`), ['Connection: close']);
              const status = statusOf(await rawClient(stage.gateway.port, request).over);
              expect(status, `${way.way}, ${streamed}: ${bytes}`).toBeGreaterThanOrEqual(200);
              expect(status, `${way.way}, ${streamed}: ${bytes}`).not.toBe(500);
            }),
          );
          expect(stage.gateway.alive()).toBe(true);
        },
      ),
      { ...runs(50), endOnFailure: true },
    );
  });
});
