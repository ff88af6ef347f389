/** Slow vendors. Time limits are scaled down; the tests check which of them ends what, and how. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type FaultUpstream, type Script, startFaultUpstream, type Wire } from '../support/fault-upstream.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { eventually } from '../support/raw.ts';
import {
  ask,
  eventsIn,
  eventTexts,
  isErrorEvent,
  isFinished,
  native,
  streamedAnswer,
  translated,
  type UpstreamWay,
  ways,
  wholeAnswer,
} from './upstream-ways.ts';

const open: { readonly gateway: TestGateway; readonly upstream: FaultUpstream }[] = [];

afterAll(async () => {
  for (const { gateway, upstream } of open) {
    await gateway.close();
    await eventually(() => upstream.open() === 0, 'no connection to the vendor is left');
    await upstream.close();
  }
});

/** A vendor, and a gateway of whose limits only those of `timeouts` can be reached. */
async function waiting(timeouts: ConfigInput['timeouts']): Promise<(typeof open)[number]> {
  const upstream = await startFaultUpstream();
  const gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url), timeouts });
  const pair = { gateway, upstream };
  open.push(pair);
  return pair;
}

/** The script, and when its connection ended. */
function followed(script: (wire: Wire) => void | Promise<void>): { script: Script; gone(): Promise<number> } {
  let gone: Promise<number> | undefined;
  return {
    script(wire) {
      gone = wire.gone;
      return script(wire);
    },
    gone: async () => (await gone) ?? Number.NaN,
  };
}

/** The first events of a good answer, including content: a failure before that has its own status. */
function begun({ spoken }: UpstreamWay): readonly string[] {
  return eventTexts(streamedAnswer(spoken)).slice(0, spoken === 'responses' ? 5 : 3);
}

/** Expects that a stream ended correctly after a failure: with an error event of its format as its last event. */
function expectBroken(way: UpstreamWay, text: string): void {
  const events = eventsIn(text);
  const errors = events.filter((event) => isErrorEvent(way.format, event));
  expect(errors, text).toHaveLength(1);
  const last = events.at(-1);
  const isLast = last !== undefined && (isErrorEvent(way.format, last) || last.event === 'response.failed');
  expect(isLast, text).toBe(true);
  expect(text).not.toContain('[DONE]');
  expect(isFinished(way.format, text)).toBe(false);
}

describe.concurrent('U-06 no head of an answer: 504, the vendor is aborted, and there is no retry', () => {
  test.each(ways)('$name', async (way) => {
    const { gateway, upstream } = await waiting({ firstByte: 150 });
    for (const stream of [true, false]) {
      const hang = followed(() => undefined);
      upstream.script(hang.script);
      const response = await ask(gateway.url, way, stream);
      const text = await response.text();
      expect(response.status, text).toBe(504);
      expect(JSON.parse(text).error.message).toBe(
        'Response timed out: the upstream took too long to answer.',
      );
      expect(await hang.gone()).toBeGreaterThan(0);
    }
    expect(upstream.requests).toHaveLength(2);
  });
});

describe.concurrent('U-07 a head, and then nothing', () => {
  const headOnly = (): ReturnType<typeof followed> => followed((wire) => wire.stream([]));

  test.each(translated)('$name: 504 while the head of the answer is held back', async (way) => {
    const { gateway, upstream } = await waiting({ firstByte: 150, hold: 10_000 });
    const hang = headOnly();
    upstream.script(hang.script);
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(504);
    await response.text();
    await hang.gone();
  });

  test.each(translated)('$name: later keep-alives, then an error in the stream', async (way) => {
    const { gateway, upstream } = await waiting({ firstByte: 2_000, hold: 50, keepAlive: 100 });
    const hang = headOnly();
    upstream.script(hang.script);
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(200);
    const text = await response.text();
    const signs = text.match(/ping|event: response\.in_progress/g) ?? [];
    expect(signs.length, text).toBeGreaterThanOrEqual(3);
    expectBroken(way, text.replaceAll(/event: ping\ndata: .*\n\n/g, ''));
    await hang.gone();
  });

  test.each(native)('$name: an error in the stream', async (way) => {
    const { gateway, upstream } = await waiting({ firstByte: 150 });
    const hang = headOnly();
    upstream.script(hang.script);
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(200);
    expectBroken(way, await response.text());
    await hang.gone();
  });

  test.each(ways)('$name: a slow first byte does not count as silence between events', async (way) => {
    const { gateway, upstream } = await waiting({ firstByte: 60_000, idle: 300 });
    upstream.script(async (wire) => {
      wire.stream([]);
      await sleep(1_000);
      for (const event of eventTexts(streamedAnswer(way.spoken))) wire.chunk(event);
      wire.lastChunk();
    });
    const text = await (await ask(gateway.url, way, true)).text();
    expect(isFinished(way.format, text)).toBe(true);
  });
});

describe.concurrent('U-08 silence between two events: an error in the stream, and the vendor is aborted', () => {
  test.each(ways)('$name', async (way) => {
    const { gateway, upstream } = await waiting({ idle: 150 });
    const stall = followed((wire) => wire.stream(begun(way)));
    upstream.script(stall.script);
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(200);
    expectBroken(way, await response.text());
    await stall.gone();
  });

  test('of a whole answer: 504 if it is translated, a cut if its beginning has been sent', async () => {
    const { gateway, upstream } = await waiting({ idle: 150 });
    for (const way of ways) {
      const stall = followed((wire) => {
        wire.head(200, { 'content-length': '99999' });
        wire.raw(wholeAnswer(way.spoken).slice(0, 40));
      });
      upstream.script(stall.script);
      const response = await ask(gateway.url, way, false);
      if (way.format === way.spoken) await expect(response.text()).rejects.toThrow();
      else {
        expect(response.status).toBe(504);
        await response.text();
      }
      await stall.gone();
    }
  });

  test('a caller who reads slowly does not count as a silent vendor', async () => {
    const { gateway, upstream } = await waiting({ idle: 150, unread: 60_000 });
    const [way] = native;
    if (way === undefined) throw new Error('There is no way.');
    const event = `data: {"choices":[{"delta":{"content":"${'x'.repeat(60_000)}"}}]}\n\n`;
    upstream.script(async (wire) => {
      wire.stream([]);
      for (let at = 0; at < 200; at += 1) {
        wire.chunk(event);
        if (wire.socket.writableNeedDrain) await new Promise((resolve) => wire.socket.once('drain', resolve));
      }
      wire.chunk('data: [DONE]\n\n');
      wire.lastChunk();
    });
    const response = await ask(gateway.url, way, true);
    await sleep(1_000);
    const text = await response.text();
    expect(text.length).toBe(200 * event.length + 'data: [DONE]\n\n'.length);
  });
});

describe.concurrent('U-09 keep-alives, and nothing else', () => {
  const ping = (way: UpstreamWay): string =>
    way.spoken === 'messages' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': still there\n\n';

  /** Some events, then a ping every 30 ms for as long as the connection is open. */
  const pinging = (way: UpstreamWay): ReturnType<typeof followed> =>
    followed((wire) => {
      wire.stream(begun(way));
      const timer = setInterval(() => wire.chunk(ping(way)), 30);
      void wire.gone.then(() => clearInterval(timer));
    });

  test.each(ways)('$name: an error in the stream when it has been quiet for too long', async (way) => {
    const { gateway, upstream } = await waiting({ idle: 60_000, quiet: 250 });
    const pings = pinging(way);
    upstream.script(pings.script);
    const text = await (await ask(gateway.url, way, true)).text();
    expectBroken(way, text);
    await pings.gone();
  });

  /** Every form of silence: one of each in turn, some of them cut in two, or several in a piece. */
  const SILENCE = [
    '\n',
    '\r\n\r\n',
    `: ${'x'.repeat(500)}\n\n`,
    'event: ping\n\n',
    'retry: 3000\n\n',
    'id: 7\n\n',
    'data:\n\n',
    'event: ping\nda',
    'ta: {"type": "ping"}\n\n',
    ': a\n\nevent: ping\ndata: {"type": "ping"}\n\n: b\n\n',
  ];

  /** The pieces in turn, one every 20 ms, for as long as the connection is open. */
  const saying = (head: (wire: Wire) => void, pieces: readonly string[]): ReturnType<typeof followed> =>
    followed((wire) => {
      head(wire);
      let at = 0;
      const timer = setInterval(() => wire.chunk(pieces[at++ % pieces.length] ?? ''), 20);
      void wire.gone.then(() => clearInterval(timer));
    });

  test.each(ways)('$name: no form of silence counts as content', async (way) => {
    const { gateway, upstream } = await waiting({ idle: 10_000, quiet: 250 });
    const silence = saying((wire) => wire.stream(begun(way)), SILENCE);
    upstream.script(silence.script);
    expectBroken(way, await (await ask(gateway.url, way, true)).text());
    await silence.gone();
  });

  test.each(ways)('$name: nor do empty lines in a whole answer', async (way) => {
    const { gateway, upstream } = await waiting({ idle: 10_000, quiet: 250 });
    const lines = saying(
      (wire) => {
        wire.head(200);
        wire.chunk(wholeAnswer(way.spoken).slice(0, 20));
      },
      ['\n', '\r\n', '  '],
    );
    upstream.script(lines.script);
    const answer = ask(gateway.url, way, false);
    await lines.gone();
    if (native.includes(way)) await expect(answer.then((response) => response.text())).rejects.toThrow();
    else expect((await answer).status).toBe(504);
  });

  test.each(ways)('$name: and when it has taken too long in total', async (way) => {
    const { gateway, upstream } = await waiting({ idle: 60_000, quiet: 0, total: 400 });
    const pings = pinging(way);
    upstream.script(pings.script);
    expectBroken(way, await (await ask(gateway.url, way, true)).text());
    await pings.gone();
  });

  test('occasional content is enough', async () => {
    const { gateway, upstream } = await waiting({ idle: 60_000, quiet: 2_000 });
    const [way] = native;
    if (way === undefined) throw new Error('There is no way.');
    const [first = '', second = ''] = eventTexts(streamedAnswer(way.spoken));
    upstream.script(async (wire) => {
      wire.stream([first]);
      for (let at = 0; at < 30; at += 1) {
        wire.chunk(at % 5 === 0 ? second : ping(way));
        await sleep(100);
      }
      wire.chunk('data: [DONE]\n\n');
      wire.lastChunk();
    });
    const text = await (await ask(gateway.url, way, true)).text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('"error"');
  });
});

/** Expects a whole answer of a vendor that sends these events and does not end, whether or not keep-alives follow. */
async function expectWhole(way: UpstreamWay, events: readonly string[], keepAlive: string): Promise<void> {
  const { gateway, upstream } = await waiting({ idle: 20_000, quiet: 20_000 });
  for (const beat of [true, false]) {
    const parked = followed((wire) => {
      wire.stream(events);
      const timer = setInterval(() => beat && wire.chunk(keepAlive), 100);
      void wire.gone.then(() => clearInterval(timer));
    });
    upstream.script(parked.script);
    const text = await (await ask(gateway.url, way, true)).text();
    expect(isFinished(way.format, text), text).toBe(true);
    expect(eventsIn(text).filter((event) => isErrorEvent(way.format, event))).toEqual([]);
    await parked.gone();
  }
}

describe.concurrent('U-43 a vendor that has sent its finish reason, and then ends neither its stream nor the connection', () => {
  const [chat] = native;
  const callers = translated.filter(({ spoken }) => spoken === 'chat-completions');
  const whole = eventTexts(streamedAnswer('chat-completions')).filter((event) => !event.includes('[DONE]'));

  test.each(callers)('$name: the answer is whole, with or without keep-alives', async (way) => {
    await expectWhole(way, whole, ': still there\n\n');
  });

  test.each(callers)('$name: late events are included', async (way) => {
    const { gateway, upstream } = await waiting({});
    const usage = whole.findIndex((event) => event.includes('"choices":[]'));
    upstream.script(async (wire) => {
      wire.stream(whole.slice(0, usage));
      await sleep(1_000);
      for (const event of whole.slice(usage)) wire.chunk(event);
    });
    const text = await (await ask(gateway.url, way, true)).text();
    const { data = '' } = eventsIn(text).find(({ event }) => event === 'message_delta') ?? {};
    expect(JSON.parse(data).usage.output_tokens).toBeGreaterThan(0);
  });

  test.each(callers)(
    '$name: a finish reason in every event does not end the answer, however long it takes',
    async (way) => {
      const { gateway, upstream } = await waiting({ idle: 20_000, quiet: 20_000 });
      upstream.script(async (wire) => {
        const hasty = whole.map((event) => event.replace(/"finish_reason": ?null/, '"finish_reason":"stop"'));
        wire.stream(hasty.slice(0, 3));
        await sleep(6_000);
        for (const event of [...hasty.slice(3), 'data: [DONE]\n\n']) wire.chunk(event);
      });
      const events = eventsIn(await (await ask(gateway.url, way, true)).text());
      const said = whole.map(
        (event) => JSON.parse(event.slice('data: '.length)).choices[0]?.delta.content ?? '',
      );
      expect(events.map(({ data }) => JSON.parse(data).delta?.text ?? '').join('')).toBe(said.join(''));
      expect(said.slice(3).join('')).not.toBe('');
    },
  );

  test(`${chat.name}: nothing is added, since it is complete`, async () => {
    const { gateway, upstream } = await waiting({ idle: 150 });
    upstream.script((wire) => wire.stream(whole));
    const text = await (await ask(gateway.url, chat, true)).text();
    expect(text).toBe(whole.join(''));
  });
});

describe.concurrent('U-43 a Gemini stream, which has no end marker, ends in the same way', () => {
  const whole = eventTexts(streamedAnswer('generate-content'));
  const spoken = ways.filter((way) => way.spoken === 'generate-content');

  test.each(spoken.filter((way) => way.format !== way.spoken))(
    '$name: the answer is whole, with or without keep-alives',
    async (way) => {
      await expectWhole(way, whole, ': still there\n\n');
    },
  );

  test.each(spoken.filter((way) => way.format !== way.spoken))(
    '$name: a finish reason in every event does not end the answer, however long it takes',
    async (way) => {
      const { gateway, upstream } = await waiting({ idle: 20_000, quiet: 20_000 });
      const piece = (text: string): string =>
        `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } })}\n\n`;
      upstream.script(async (wire) => {
        wire.stream([piece('One, '), piece('two, ')]);
        await sleep(6_000);
        wire.chunk(piece('three.'));
        wire.lastChunk();
      });
      const text = await (await ask(gateway.url, way, true)).text();
      expect(text).toContain('three.');
    },
  );

  test.each(spoken.filter((way) => way.format === way.spoken))(
    '$name: nothing is added, since it is complete',
    async (way) => {
      const { gateway, upstream } = await waiting({ idle: 150 });
      upstream.script((wire) => wire.stream(whole));
      expect(await (await ask(gateway.url, way, true)).text()).toBe(whole.join(''));
    },
  );
});

describe.concurrent('U-43 a message that has said why it stopped, and then never says that it is over', () => {
  const events = eventTexts(streamedAnswer('messages'));
  const stopped = events.slice(0, -1);
  const callers = translated.filter(({ spoken }) => spoken === 'messages');

  test.each(callers)('$name: the answer is whole, with or without pings', async (way) => {
    expect(events.at(-1)).toContain('message_stop');
    await expectWhole(way, stopped, 'event: ping\ndata: {"type":"ping"}\n\n');
  });

  test.each(callers)('$name: what comes after a reason to stop is included', async (way) => {
    const { gateway, upstream } = await waiting({ idle: 20_000, quiet: 20_000 });
    const [last = '', stop = ''] = events.slice(-2);
    const more = [
      { type: 'content_block_start', index: 7, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'And more.' } },
      { type: 'content_block_stop', index: 7 },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    upstream.script(async (wire) => {
      wire.stream([...stopped, ...more]);
      await sleep(6_000);
      wire.chunk(last);
      wire.chunk(stop);
    });
    const text = await (await ask(gateway.url, way, true)).text();
    expect(text).toContain('And more.');
    expect(isFinished(way.format, text), text).toBe(true);
  });
});

describe.concurrent('U-41 an answer that goes on after its time', () => {
  test.each(ways)('$name, streamed: an error in the stream', async (way) => {
    const { gateway, upstream } = await waiting({ total: 400 });
    const endless = followed((wire) => {
      wire.stream(begun(way));
      // Repeated events make no difference to how it ends.
      const timer = setInterval(() => wire.chunk(': and on\n\n'), 20);
      void wire.gone.then(() => clearInterval(timer));
    });
    upstream.script(endless.script);
    expectBroken(way, await (await ask(gateway.url, way, true)).text());
    await endless.gone();
  });

  test.each(translated)('$name, whole: 504', async (way) => {
    const { gateway, upstream } = await waiting({ total: 300 });
    const trickle = followed((wire) => {
      wire.head(200, { 'content-length': '99999' });
      const timer = setInterval(() => wire.raw(' '), 20);
      void wire.gone.then(() => clearInterval(timer));
    });
    upstream.script(trickle.script);
    const response = await ask(gateway.url, way, false);
    expect(response.status).toBe(504);
    await response.text();
    await trickle.gone();
  });

  test('the time limit covers all attempts', async () => {
    const { gateway, upstream } = await waiting({ total: 8_000 });
    const [way] = native;
    if (way === undefined) throw new Error('There is no way.');
    upstream.script(
      async (wire) => {
        await sleep(4_000);
        wire.answer(503, '{"error":{"message":"busy"}}', { 'retry-after-ms': '1' });
      },
      async (wire) => {
        // In time if each attempt had all of it; far too late for the one second that is left.
        await sleep(6_000);
        wire.answer(200, wholeAnswer(way.spoken));
      },
    );
    const response = await ask(gateway.url, way, false);
    expect(response.status).toBe(504);
    await response.text();
    expect(upstream.requests).toHaveLength(2);
  });
});
