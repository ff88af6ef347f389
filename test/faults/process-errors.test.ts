/** Bugs in the program itself, injected into it: an exchange pays for its own, and no other exchange does. */

import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, call } from '../support/caller.ts';
import { preload } from '../support/preload.ts';
import { eventually } from '../support/raw.ts';
import { CANARY, openStage, requestOf, type Stage, streamEvents, ways } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const [native, translated] = ways;
const ask = (way: (typeof ways)[number], text = 'Hi'): Promise<Answer> =>
  call(stage.gateway.url, way.path, requestOf(way, true, text));

describe('P-08 an uncaught error outside any exchange', () => {
  test.each([
    ['thrown in a timer', `setTimeout(() => { throw new Error('planted'); }, 1)`],
    ['an unhandled rejection', `Promise.reject(new Error('planted'))`],
  ])('P-08 %s: logged once, live streams go on to their end, exit 1', async (_, fault) => {
    stage = await openStage(
      { timeouts: { preDrain: 60_000 } },
      preload(`process.on('SIGUSR2', () => { ${fault}; ${fault}; });`),
    );
    stage.respondWith((_request, response) => streamEvents(response, 10, 150));
    const live = await Promise.all([ask(native), ask(translated)]);
    stage.gateway.signal('SIGUSR2');
    await eventually(() => stage.gateway.output().includes('planted'), 'it is reported');
    for (const { over } of live)
      expect(await over).toMatchObject({ complete: true, text: expect.stringContaining('word 9') });
    expect(await stage.gateway.ended).toBe(1);
    expect(
      stage.gateway.output().match(/The process is ended by an uncaught error: Error: planted/g),
    ).toHaveLength(1);
  });
});

describe('an error that quotes its input, which may be a prompt', () => {
  test.each([
    ['a text that is not JSON', `JSON.parse(text)`, 'SyntaxError'],
    ['a text of several lines that is not JSON', `JSON.parse(text + '\\n    at ' + text)`, 'SyntaxError'],
    ['a property looked for in a text', `'x' in text`, 'TypeError'],
    ['a property set on a text', `(() => { 'use strict'; text.x = 1; })()`, 'TypeError'],
    ['an argument of the wrong type', `Buffer.alloc(text)`, 'TypeError'],
    ['a thrown text', `(() => { throw text; })()`, 'a thrown string'],
  ])('%s: logged without its message, but with its location', async (_, fault, name) => {
    stage = await openStage(
      { timeouts: { preDrain: 0 } },
      preload(`
        const text = ${JSON.stringify(CANARY)};
        process.on('SIGUSR2', () => setTimeout(function planted() { ${fault}; }, 1));
      `),
    );
    stage.gateway.signal('SIGUSR2');
    expect(await stage.gateway.ended).toBe(1);
    const output = stage.gateway.output();
    expect(output).toContain(`The process is ended by an uncaught error: ${name}`);
    if (name !== 'a thrown string') expect(output).toMatch(/\\n {4}at Timeout\.planted /);
    expect(output.replaceAll(/data:text\/javascript\S*/g, '')).not.toContain(CANARY);
  });
});

/** In the gateway's own code for messages, an event that contains BOOM fails in the given way. */
const renderer = (fault: string) =>
  preload(`
    const { formats } = await import('gateway:formats');
    const { messages } = formats;
    const { renderEvents } = messages.inbound;
    messages.inbound.renderEvents = (asked) => {
      const made = renderEvents(asked);
      const { transform } = made;
      made.transform = (event, out) => {
        if (JSON.stringify(event).includes('BOOM')) { ${fault} }
        transform.call(made, event, out);
      };
      return made;
    };
  `);

describe('a bug during an exchange', () => {
  test.each([
    ['P-09 thrown where an event is translated', `throw new TypeError('planted');`, false],
    [
      'P-08 thrown in a timer that was started there',
      `setTimeout(() => { throw new Error('planted'); }, 1);`,
      true,
    ],
    [
      'P-08 an unhandled rejection of a promise that was started there',
      `Promise.reject(new Error('planted'));`,
      true,
    ],
    [
      'P-08 thrown in a callback of the system',
      `setImmediate(() => process.nextTick(() => { throw new Error('planted'); }));`,
      true,
    ],
  ])(
    '%s: its stream ends with an error, the neighbours go on, and so does the process',
    async (_, fault, told) => {
      stage = await openStage({}, renderer(fault));
      stage.respondWith((received, response) => {
        // It never ends by itself: a halting process would otherwise see its end before the error.
        if (received.body.includes('bomb'))
          streamEvents(response, Number.POSITIVE_INFINITY, 120, (at) => (at === 4 ? 'BOOM' : `word ${at} `));
        else streamEvents(response, 12, 120);
      });
      // Its connection to the vendor is then used again, and belongs to an exchange that is over.
      await (await ask(translated)).over;
      const [bomb, neighbour, other] = await Promise.all([
        ask(translated, 'bomb'),
        ask(translated),
        ask(native),
      ]);
      const { text, complete } = await bomb.over;
      expect(complete).toBe(true);
      expect(text).toContain('word 3');
      expect(text).toMatch(/event: error\ndata: \{"type":"error","error":\{"type":"api_error"[^\n]*\}\n\n$/);
      expect(text).not.toMatch(/planted|message_stop/);
      for (const { over } of [neighbour, other]) {
        expect(await over).toMatchObject({ complete: true, text: expect.stringContaining('word 11') });
      }
      await eventually(() => stage.live() === 0, "the vendor's answer has been aborted");
      expect(stage.gateway.alive()).toBe(true);
      expect((await fetch(`${stage.gateway.url}/health/ready`)).status).toBe(200);
      expect(stage.gateway.output().includes('An exchange was ended by an uncaught error')).toBe(told);
      expect((await (await ask(translated)).over).complete).toBe(true);
    },
  );

  test("P-09 thrown before there is an answer: 500 in the caller's format", async () => {
    stage = await openStage(
      {},
      preload(`
        const { formats } = await import('gateway:formats');
        formats['chat-completions'].outbound.renderRequest = () => { throw new TypeError('planted'); };
      `),
    );
    const failed = await ask(translated);
    expect(failed.status).toBe(500);
    expect(JSON.parse((await failed.over).text)).toMatchObject({
      type: 'error',
      error: { type: 'api_error' },
    });
    expect((await ask(native)).status).toBe(200);
    expect(stage.gateway.alive()).toBe(true);
  });

  test('P-08 an exchange that such an error would leave hanging is ended', async () => {
    stage = await openStage(
      {},
      preload(`
        const { formats } = await import('gateway:formats');
        formats['chat-completions'].outbound.renderRequest = () => {
          setTimeout(() => { throw new Error('planted'); }, 1);
          return {};
        };
      `),
    );
    // The vendor sends nothing, and would not for minutes.
    stage.respondWith(() => undefined);
    const failed = await ask(translated);
    expect(failed.status).toBe(500);
    await eventually(() => stage.live() === 0, "the vendor's answer has been aborted");
  });

  test('P-08 if even an error cannot be sent, its connection is cut', async () => {
    stage = await openStage(
      {},
      preload(`
        import { ServerResponse } from 'node:http';
        const { formats } = await import('gateway:formats');
        formats['chat-completions'].outbound.renderRequest = () => {
          ServerResponse.prototype.end = function () { return this; };
          setTimeout(() => { throw new Error('planted'); }, 1);
          return {};
        };
      `),
    );
    stage.respondWith(() => undefined);
    await expect(ask(translated)).rejects.toThrow('socket hang up');
    await eventually(() => stage.live() === 0, "the vendor's answer has been aborted");
  });
});

describe('P-12 the system clock', () => {
  test('P-12 jumps an hour back and forth: streams, pauses and limits are not affected', async () => {
    stage = await openStage(
      { timeouts: { firstByte: 3_000, idle: 3_000, keepAlive: 500 } },
      preload(`
        const now = Date.now;
        let hours = 0;
        setInterval(() => { hours = hours === 1 ? -1 : 1; }, 50).unref();
        Date.now = () => now() + hours * 3_600_000;
      `),
    );
    stage.respondWith((_, response) => streamEvents(response, 15, 100));
    const live = await Promise.all([ask(native), ask(translated), ask(native), ask(translated)]);
    for (const { over } of live) {
      expect(await over).toMatchObject({ complete: true, text: expect.stringContaining('word 14') });
    }
    await stage.expectUnharmed();
  });
});
