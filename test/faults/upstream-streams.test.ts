/** Streams that end too early, contain what they should not, or contain it in another order. */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Wire } from '../support/fault-upstream.ts';
import { KEY } from '../support/gateway.ts';
import { useFaultDoor } from './upstream-door.ts';
import {
  ask,
  eventsIn,
  eventTexts,
  isErrorEvent,
  isFinished,
  native,
  said,
  streamedAnswer,
  translated,
  type UpstreamWay,
  ways,
  wholeAnswer,
} from './upstream-ways.ts';

const door = useFaultDoor();

/** Answers by `script`; resolves with what the caller of `way` has read, and whether the stream came to its end. */
async function read(
  way: UpstreamWay,
  script: (wire: Wire) => void,
): Promise<{ readonly status: number; readonly text: string }> {
  door.upstream.script(script);
  const response = await ask(door.url, way, true);
  return { status: response.status, text: await response.text() };
}

/** Where the error is; checks that everything before it is the beginning of `whole`, event by event. */
function expectPrefixAndError(way: UpstreamWay, text: string, whole: string): void {
  const events = eventsIn(text);
  const errors = events.flatMap((event, at) => (isErrorEvent(way.format, event) ? [at] : []));
  expect(errors, text).toHaveLength(1);
  const before = said(text).slice(0, errors[0]);
  expect(before).toEqual(said(whole).slice(0, before.length));
  const after = events.slice((errors[0] ?? 0) + 1);
  expect(after.every(({ event }) => event === 'response.failed')).toBe(true);
  expect(isFinished(way.format, text)).toBe(false);
  expect(text).not.toContain('[DONE]');
}

/** Premature ends. Each receives the vendor's answer so far, which ends with a whole event. */
const cuts: [row: string, name: string, cut: (wire: Wire, said: string) => void][] = [
  ['U-17', 'an end of the body, as if it were all', (wire, text) => wire.wholeStream([text])],
  [
    'U-17',
    'a connection closed, for a body without another end',
    (wire, text) => {
      wire.raw(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${text}`);
      wire.fin();
    },
  ],
  [
    'U-18',
    'a reset',
    (wire, text) => {
      wire.stream([text]);
      setTimeout(() => wire.reset(), 20);
    },
  ],
  [
    'U-18',
    'a reset in the middle of an event',
    (wire, text) => {
      wire.stream([`${text}data: {"half`]);
      setTimeout(() => wire.reset(), 20);
    },
  ],
  [
    'U-19',
    'a body without its last chunk',
    (wire, text) => {
      wire.stream([text]);
      wire.fin();
    },
  ],
  [
    'U-19',
    'a chunk that is shorter than declared',
    (wire, text) => {
      wire.head(200, { 'content-type': 'text/event-stream' });
      wire.raw(`ffff\r\n${text}`);
      wire.fin();
    },
  ],
];

/**
 * Words that opencode and pi look for as a reason to retry: for a stream that has begun, they have nothing else to go
 * by.
 */
const PASSING = /connection (?:error|lost)/i;

describe.each(cuts)('%s %s', (_, name, cut) => {
  test.each(ways)('$name: what arrived, then an error event at which agents retry', async (way) => {
    const good = streamedAnswer(way.spoken);
    const { text: whole } = await read(way, (wire) => wire.wholeStream([good]));
    const events = eventTexts(good);
    for (const count of [1, Math.ceil(events.length / 2)]) {
      const { status, text } = await read(way, (wire) => cut(wire, events.slice(0, count).join('')));
      expect(text).toMatch(PASSING);
      // Until the answer has visibly begun, the caller gets an honest status.
      if (status !== 200) {
        expect(status).toBe(502);
        expect(JSON.parse(text)).toHaveProperty('error.message');
        continue;
      }
      // Half an event, which a native stream passes unchanged, is no event of the good answer.
      const clean = name.endsWith('of an event') ? text.replace(/^data: \{"half\n\n/m, '') : text;
      expectPrefixAndError(way, clean, whole);
    }
  });
});

test.each(translated)(
  '$name: events with empty data, as some services keep a stream open, are none',
  async (way) => {
    const good = streamedAnswer(way.spoken);
    const { text: whole } = await read(way, (wire) => wire.wholeStream([good]));
    const empty = ['data:\n\n', 'event: ping\ndata: \n\n'];
    const events = eventTexts(good).flatMap((event, at) => [empty[at % 2] ?? '', event]);
    const { status, text } = await read(way, (wire) => wire.wholeStream([events.join(''), ...empty]));
    // What came in one read may be one event, so the words are compared and not the events.
    const words = (stream: string): string =>
      eventsIn(stream)
        .map(({ data }) => /"(?:text|content|delta)":"((?:[^"\\]|\\.)*)"/.exec(data)?.[1] ?? '')
        .join('');
    expect([status, words(text)]).toEqual([200, words(whole)]);
    expect(isFinished(way.format, text)).toBe(true);
    expect(words(whole).length).toBeGreaterThan(20);
  },
);

describe('U-17 an end without a single event', () => {
  test.each(translated)('$name: 502, asked once', async (way) => {
    const { status } = await read(way, (wire) => wire.wholeStream([]));
    expect(status).toBe(502);
    expect(door.upstream.requests).toHaveLength(1);
  });
  test.each(native)('$name: an error event', async (way) => {
    const { status, text } = await read(way, (wire) => wire.wholeStream([]));
    expect(status).toBe(200);
    expect(eventsIn(text).map((event) => isErrorEvent(way.format, event))).toEqual([true]);
  });
});

describe('U-17 an end without a whole event', () => {
  const table: [name: string, sent: (good: string) => string][] = [
    ['comments alone', () => ': still there\n\n: still there\n\n'],
    ['many comments', () => ': still there\n\n'.repeat(400)],
    ['a name without data', () => 'event: ping\n\n'],
    ['half of the first event', (good) => good.slice(0, good.indexOf('data:') + 20)],
    ['a page instead of events', () => '<html>Bad gateway</html>'],
  ];
  describe.each(table)('%s', (_, sent) => {
    test.each(native)('$name: an error event', async (way) => {
      const { text } = await read(way, (wire) => wire.wholeStream([sent(streamedAnswer(way.spoken))]));
      const events = eventsIn(text);
      expect(events.filter((event) => isErrorEvent(way.format, event))).toHaveLength(1);
      expect(isErrorEvent(way.format, events.at(-1) ?? { data: '' })).toBe(true);
    });
    test.each(translated)('$name: 502', async (way) => {
      const { status } = await read(way, (wire) => wire.wholeStream([sent(streamedAnswer(way.spoken))]));
      expect(status).toBe(502);
    });
  });

  test.each(native)("$name: the vendor's own error in place of a stream stays as it is", async (way) => {
    const error = '{"error":{"type":"invalid_request_error","message":"The prompt is bad."}}';
    const { text } = await read(way, (wire) => wire.wholeStream([error]));
    expect(text).toBe(error);
  });
});

describe('U-17, U-18 an end in the middle of the last event, whose beginning says that it is the last', () => {
  const ends: [name: string, end: (wire: Wire) => void][] = [
    ['as a complete body', (wire) => wire.lastChunk()],
    ['by a reset', (wire) => void setTimeout(() => wire.reset(), 20)],
  ];
  describe.each(ends)('%s', (_, end) => {
    test.each(native)('$name: an error event', async (way) => {
      const last = formats[way.spoken].outbound.marks.ending;
      const events = eventTexts(streamedAnswer(way.spoken)).filter((event) => !event.includes('[DONE]'));
      const half = events.slice(0, events.findLastIndex((event) => last.test(event)) + 1).join('');
      const { text } = await read(way, (wire) => {
        wire.stream([half.replace(/[}\]\s]+$/, '')]);
        end(wire);
      });
      const errors = eventsIn(text).map((event) => isErrorEvent(way.format, event));
      expect(errors.filter((is) => is)).toHaveLength(1);
      expect(errors.at(-1)).toBe(true);
    });
  });
});

describe('U-17 ends that are not premature', () => {
  const table: [name: string, native: (good: string) => string][] = [
    ['a last event without its empty line', (good) => good.trimEnd()],
    ['lines that end by CRLF', (good) => good.replaceAll('\n', '\r\n')],
    ['comments after the end', (good) => `${good}: bye\n\n`],
  ];
  test.each(table)('%s', async (_, change) => {
    for (const way of native) {
      const sent = change(streamedAnswer(way.spoken));
      const { text } = await read(way, (wire) => wire.wholeStream([sent]));
      if (!sent.endsWith(': bye\n\n')) expect(text).toBe(sent);
      expect(text).not.toContain('"error":{');
    }
  });

  test('streams of every kind of answer, byte by byte and whole', async () => {
    for (const way of native) {
      for (const name of ['plain-text', 'tool-call', 'length', 'refusal', 'thinking', 'long-text']) {
        const sent = streamedAnswer(way.spoken, name);
        const { text } = await read(way, (wire) => wire.wholeStream([sent]));
        expect(text, `${way.name}, ${name}`).toBe(sent);
      }
      const sent = streamedAnswer(way.spoken);
      const { text } = await read(way, (wire) => wire.wholeStream([...sent]));
      expect(text).toBe(sent);
    }
  });

  test('an answer longer than everything that is kept of it, in one last event', async () => {
    const [, responses] = native;
    if (responses === undefined) throw new Error('There is no way.');
    const long = JSON.stringify({ type: 'response.completed', response: { output: 'x'.repeat(300_000) } });
    const sent = `event: response.created\ndata: {"type":"response.created"}\n\nevent: response.completed\ndata: ${long}\n\n`;
    for (const said of [sent, sent.trimEnd()]) {
      const { text } = await read(responses, (wire) => {
        wire.stream(said.match(/.{1,1000}|\n/g) ?? []);
        wire.lastChunk();
      });
      expect(text).toBe(said);
    }
  });

  test('a stream of another format', async () => {
    for (const way of native) {
      const { text } = await read(way, (wire) => wire.wholeStream(['data: hello\n\n']));
      expect(text).toBe('data: hello\n\n');
    }
  });
});

describe('U-17, U-18 an end in the middle of an event after the terminal one', () => {
  const closed = native.filter(({ spoken }) => formats[spoken].outbound.marks.closing !== undefined);
  const halves = ['event: pi', 'event: ping\ndata: {"type"', ': by', 'data:'];
  test.each(closed)('$name: nothing is added', async (way) => {
    for (const half of halves) {
      const sent = streamedAnswer(way.spoken) + half;
      const complete = await read(way, (wire) => wire.wholeStream([sent]));
      expect(complete.text).toBe(sent);
      const reset = await read(way, (wire) => {
        wire.stream([sent]);
        setTimeout(() => wire.reset(), 20);
      });
      expect(reset.text).toBe(sent);
    }
  });
});

describe('U-18 a reset after the terminal event is ignored', () => {
  test.each(ways.filter(({ spoken }) => spoken !== 'generate-content'))('$name', async (way) => {
    const good = streamedAnswer(way.spoken);
    const { text: whole } = await read(way, (wire) => wire.wholeStream([good]));
    const { text } = await read(way, (wire) => {
      wire.stream([good]);
      setTimeout(() => wire.reset(), 20);
    });
    expect(said(text)).toEqual(said(whole));
  });
});

test('U-18 a stream that is one JSON list has no place for an error: the caller’s connection breaks as the vendor’s did', async () => {
  door.upstream.script((wire) => {
    wire.head(200);
    wire.chunk('[{"candidates":[{"content":{"parts":[{"text":"Hel');
    setTimeout(() => wire.reset(), 20);
  });
  const response = await fetch(`${door.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent`, {
    method: 'POST',
    body: '{"contents":[]}',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
  });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

describe('U-20 an error event of the vendor in the middle of a stream', () => {
  test.each(native)('$name: as the vendor wrote it, and no other', async (way) => {
    const sent = streamedAnswer(way.spoken, 'error-in-stream');
    const { text } = await read(way, (wire) => wire.wholeStream([sent]));
    expect(text).toBe(sent);
  });
  test.each(translated)('$name: in the caller’s format', async (way) => {
    const sent = streamedAnswer(way.spoken, 'error-in-stream');
    const { status, text } = await read(way, (wire) => wire.wholeStream([sent]));
    if (status !== 200) return expect(JSON.parse(text)).toHaveProperty('error.message');
    expect(eventsIn(text).filter((event) => isErrorEvent(way.format, event))).toHaveLength(1);
    expect(isFinished(way.format, text)).toBe(false);
  });
});

describe('U-20 an error that is in no event, as Gemini writes it', () => {
  const body = (format: FormatName): JsonObject => ({
    ...(format === 'messages' && { type: 'error' }),
    error: { code: 503, type: 'overloaded_error', message: 'A spike in demand.', status: 'UNAVAILABLE' },
  });
  const writings: [name: string, write: (value: JsonObject) => string][] = [
    ['over several lines', (value) => `${JSON.stringify(value, undefined, 2)}\n`],
    ['over lines that end by CRLF', (value) => JSON.stringify(value, undefined, 2).replaceAll('\n', '\r\n')],
    ['in one line, with an empty one', (value) => `${JSON.stringify(value)}\n\n`],
  ];
  const sends: [name: string, send: (wire: Wire, sent: string) => void][] = [
    ['at once', (wire, sent) => wire.wholeStream([sent])],
    ['byte by byte', (wire, sent) => wire.wholeStream([...sent])],
  ];
  const begun = (format: FormatName): string => {
    const events = eventTexts(streamedAnswer(format));
    return events.slice(0, Math.ceil(events.length / 2)).join('');
  };

  describe.each(writings)('%s', (_, write) => {
    describe.each(sends)('%s', (_name, send) => {
      test.each(translated)('$name: the vendor’s own words', async (way) => {
        const sent = begun(way.spoken) + write(body(way.spoken));
        const { status, text } = await read(way, (wire) => send(wire, sent));
        expect(text).toContain('A spike in demand.');
        expect(text).not.toMatch(PASSING);
        if (status !== 200) return expect(status).toBeGreaterThanOrEqual(500);
        expect(eventsIn(text).filter((event) => isErrorEvent(way.format, event))).toHaveLength(1);
      });
      test.each(native)('$name: as the vendor wrote it', async (way) => {
        const sent = begun(way.spoken) + write(body(way.spoken));
        const { text } = await read(way, (wire) => send(wire, sent));
        expect(text.slice(0, sent.length)).toBe(sent);
      });
    });
  });

  test.each(translated)(
    '$name: other lines of JSON mean nothing, nor do those that do not end',
    async (way) => {
      const good = streamedAnswer(way.spoken);
      const { text: whole } = await read(way, (wire) => wire.wholeStream([good]));
      for (const line of ['{"error":null}\n\n', '{"note":"hi"}\n', '{"error": {\n', '{}\n{}\n']) {
        const sent = eventTexts(good).map((event) => line + event);
        const { text } = await read(way, (wire) => wire.wholeStream([sent.join('')]));
        expect(said(text), line).toEqual(said(whole));
      }
    },
  );
});

/** How each format says inside a 200 that it is overloaded. */
const OVERLOADED = {
  'chat-completions':
    'data: {"error":{"message":"The server is overloaded","type":"server_error","code":503}}\n\n',
  responses:
    'event: error\ndata: {"type":"error","error":{"type":"server_error","code":"server_error","message":"overloaded"}}\n\n',
  messages:
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  'generate-content':
    'data: {"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}\n\n',
} as const;

describe('U-21 an error as the first event of a 200', () => {
  test.each(translated)('$name: its own status', async (way) => {
    const { status, text } = await read(way, (wire) => {
      wire.stream([OVERLOADED[way.spoken]]);
      wire.lastChunk();
    });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(JSON.parse(text)).toHaveProperty('error.message');
  });

  test('also if an event without content came a moment before it', async () => {
    for (const way of translated.filter(({ spoken }) => spoken === 'messages' || spoken === 'responses')) {
      const [start = ''] = eventTexts(streamedAnswer(way.spoken));
      const { status } = await read(way, (wire) => {
        wire.stream([start]);
        setTimeout(() => {
          wire.chunk(OVERLOADED[way.spoken]);
          wire.lastChunk();
        }, 50);
      });
      expect(status, way.name).toBeGreaterThanOrEqual(500);
    }
  });

  test('an overload is a reason to retry', async () => {
    const [, way] = translated;
    if (way === undefined) throw new Error('There is no way.');
    door.upstream.script(
      (wire) => wire.wholeStream([OVERLOADED.messages]),
      (wire) => wire.wholeStream([streamedAnswer('messages')]),
    );
    const response = await ask(door.url, way, true);
    expect(response.status).toBe(200);
    expect(isFinished(way.format, await response.text())).toBe(true);
    expect(door.upstream.requests).toHaveLength(2);
  });

  /** What OpenAI sends before it is known whether there will be an answer. */
  const PREAMBLE =
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","status":"queued","error":null,"output":[]}}\n\n' +
    'event: response.in_progress\ndata: {"type":"response.in_progress","sequence_number":1,"response":{"id":"r","status":"in_progress","error":null,"output":[]}}\n\n';
  const overloaded = (spoken: FormatName): string =>
    OVERLOADED[spoken].replace('"server_error","message"', '"server_is_overloaded","message"');
  const failing = (spoken: FormatName): string =>
    `${spoken === 'responses' ? PREAMBLE : ': processing\n\n'}${overloaded(spoken)}`;

  describe.each(native)('$name', (way) => {
    test.each([
      ['at once', (wire: Wire) => wire.wholeStream([failing(way.spoken)])],
      ['byte by byte', (wire: Wire) => wire.wholeStream(Array.from(failing(way.spoken)))],
      [
        'with CRLF line ends',
        (wire: Wire) => wire.wholeStream([failing(way.spoken).replaceAll('\n', '\r\n')]),
      ],
    ])('an overload is a reason to retry: %s', async (_, fails) => {
      door.upstream.script(fails, (wire) => wire.wholeStream([streamedAnswer(way.spoken)]));
      const response = await ask(door.url, way, true);
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(streamedAnswer(way.spoken));
      expect(door.upstream.requests).toHaveLength(2);
    });

    test.each([
      [
        'in no event',
        JSON.stringify(JSON.parse(overloaded(way.spoken).replace(/^.*data: /s, '')), undefined, 2),
      ],
      ['in an event without its empty line', overloaded(way.spoken).trimEnd()],
    ])('an overload is a reason to retry: %s', async (_, said) => {
      door.upstream.script(
        (wire) => wire.wholeStream([`: processing\n\n${said}`]),
        (wire) => wire.wholeStream([streamedAnswer(way.spoken)]),
      );
      const response = await ask(door.url, way, true);
      expect(await response.text()).toBe(streamedAnswer(way.spoken));
      expect(door.upstream.requests).toHaveLength(2);
    });

    test('as the vendor wrote it, if that does not help', async () => {
      const { status, text } = await read(way, (wire) => wire.wholeStream([failing(way.spoken)]));
      expect(status).toBe(200);
      expect(text).toBe(failing(way.spoken));
      expect(door.upstream.requests).toHaveLength(2);
    });

    test('also if the vendor leaves its stream open behind it', async () => {
      const gone: Promise<number>[] = [];
      const { status, text } = await read(way, (wire) => {
        gone.push(wire.gone);
        wire.stream([failing(way.spoken)]);
      });
      expect(status).toBe(200);
      expect(text).toBe(failing(way.spoken));
      expect(gone).toHaveLength(2);
      await Promise.all(gone);
    });

    test('with what comes a moment later, too', async () => {
      const { text } = await read(way, (wire) => {
        wire.stream([failing(way.spoken)]);
        setTimeout(() => {
          wire.chunk(': the end\n\n');
          wire.lastChunk();
        }, 100);
      });
      expect(text).toBe(`${failing(way.spoken)}: the end\n\n`);
    });

    test('not if the answer has begun', async () => {
      const [...events] = eventTexts(streamedAnswer(way.spoken));
      const begun = `${events.slice(0, -2).join('')}${OVERLOADED[way.spoken]}`;
      const { text } = await read(way, (wire) => wire.wholeStream([begun]));
      expect(text).toBe(begun);
      expect(door.upstream.requests).toHaveLength(1);
    });
  });
});

describe('U-21 a beginning without content that is too long', () => {
  const patient = useFaultDoor({ timeouts: { hold: 600_000 } });
  const [chat] = native;
  const responses = native.find(({ format }) => format === 'responses') ?? chat;

  test.each([
    ['it is the answer’s', chat, `data: {"choices":[{"delta":{"content":"${'x'.repeat(20_000)}`],
    [
      'no more of it is held back, though it is not',
      responses,
      `event: response.created\ndata: {"type":"response.created","response":{"instructions":"${'x'.repeat(300_000)}`,
    ],
  ])('%s: it is not waited for', async (_, way, beginning) => {
    patient.upstream.script((wire) => wire.stream([beginning]));
    const caller = new AbortController();
    // If it were waited for, there would be no answer within the time of this test.
    const response = await ask(patient.url, way, true, { signal: caller.signal });
    expect(response.status).toBe(200);
    caller.abort();
  });
});

describe('U-21 an error as the whole body of a 200', () => {
  const SAID: Readonly<Record<FormatName, string>> = {
    'chat-completions': '{"error":{"message":"Provider returned error","code":503},"user_id":"user_1"}',
    responses:
      '{"id":"r","object":"response","status":"failed","error":{"code":"server_is_overloaded","message":"Overloaded"}}',
    messages: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    'generate-content': '{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}',
  };

  test.each(native)('$name: a reason to retry; passed unchanged if that does not help', async (way) => {
    const body = SAID[way.spoken];
    door.upstream.script(
      (wire) => wire.answer(200, body),
      (wire) => wire.answer(200, wholeAnswer(way.spoken)),
    );
    const good = await ask(door.url, way, false);
    expect(await good.text()).toBe(wholeAnswer(way.spoken));
    door.upstream.script((wire) => wire.answer(200, body));
    const bad = await ask(door.url, way, false);
    expect(bad.status).toBe(200);
    expect(await bad.text()).toBe(body);
    expect(door.upstream.requests).toHaveLength(4);
  });
});

test.each(native)(
  "U-21 $name: a refusal of the key inside a 200 is handled like a 401: without the vendor's message",
  async (way) => {
    const error = {
      message: 'Incorrect API key provided: sk-1234.',
      type: 'authentication_error',
      code: 401,
    };
    const body = JSON.stringify({ type: 'error', error });
    for (const stream of [true, false]) {
      door.upstream.script((wire) =>
        stream ? wire.wholeStream([`event: error\ndata: ${body}\n\n`]) : wire.answer(200, body),
      );
      const response = await ask(door.url, way, stream);
      expect(response.status).toBe(502);
      expect(await response.text()).not.toContain('Incorrect');
    }
  },
);

describe('U-22 more after the terminal event', () => {
  const [...says] = translated.filter(({ spoken }) => spoken !== 'generate-content');

  test.each(says)('$name: is ignored', async (way) => {
    const good = streamedAnswer(way.spoken);
    const { text: whole } = await read(way, (wire) => wire.wholeStream([good]));
    for (const more of [good, OVERLOADED[way.spoken], 'data: {nonsense\n\n', 'data: [DONE]\n\n']) {
      const { text } = await read(way, (wire) => wire.wholeStream([good, more]));
      expect(said(text)).toEqual(said(whole));
    }
  });

  test.each(says)(
    '$name: a vendor that does not close the connection is disconnected, and the caller has not waited',
    async (way) => {
      const good = streamedAnswer(way.spoken);
      let gone: Promise<number> | undefined;
      const { text } = await read(way, (wire) => {
        gone = wire.gone;
        wire.stream([good]);
      });
      expect(isFinished(way.format, text)).toBe(true);
      await gone;
    },
  );

  test.each(says)('$name: a vendor that goes on and on is disconnected', async (way) => {
    const good = streamedAnswer(way.spoken);
    let gone: Promise<number> | undefined;
    const { text } = await read(way, (wire) => {
      gone = wire.gone;
      wire.stream([good]);
      const timer = setInterval(() => wire.chunk(`: ${'x'.repeat(20_000)}\n\n`), 1);
      void wire.gone.then(() => clearInterval(timer));
    });
    expect(isFinished(way.format, text)).toBe(true);
    await gone;
  });

  test('a connection that ends in time is kept', async () => {
    const [way] = says;
    if (way === undefined) throw new Error('There is no way.');
    const before = door.upstream.connections();
    for (let at = 0; at < 10; at += 1) {
      await read(way, (wire) => {
        wire.stream([streamedAnswer(way.spoken)]);
        setTimeout(() => wire.lastChunk(), 5);
      });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    // On a slow machine, a request may come before the end of the previous one.
    expect(door.upstream.connections() - before).toBeLessThan(5);
  });
});

describe('U-23 an event that is not JSON', () => {
  const broken = (way: UpstreamWay): readonly string[] => {
    const events = eventTexts(streamedAnswer(way.spoken));
    return [...events.slice(0, 2), 'data: {"text": nonsense}\n\n', ...events.slice(2)];
  };
  test.each(native)('$name: passes unchanged', async (way) => {
    const sent = broken(way);
    const { text } = await read(way, (wire) => wire.wholeStream(sent));
    expect(text).toBe(sent.join(''));
  });
  test.each(translated)('$name: an error, never dropped silently', async (way) => {
    const { status, text } = await read(way, (wire) => wire.wholeStream(broken(way)));
    if (status !== 200) return expect(status).toBe(502);
    expect(eventsIn(text).filter((event) => isErrorEvent(way.format, event))).toHaveLength(1);
    expect(isFinished(way.format, text)).toBe(false);
  });
  test.each(translated)(
    '$name: words, with which relays keep a stream open: they say nothing',
    async (way) => {
      const events = eventTexts(streamedAnswer(way.spoken));
      const plain = await read(way, (wire) => wire.wholeStream(events));
      for (const words of [': OPENROUTER PROCESSING', ':keep-alive', 'ping', 'heartbeat 1']) {
        const kept = events.flatMap((event) => [`data: ${words}\n\n`, event]);
        const { status, text } = await read(way, (wire) => wire.wholeStream(kept));
        expect(status).toBe(200);
        expect(said(text)).toEqual(said(plain.text));
      }
    },
  );
  test.each(translated)('$name: words in the place of the rest, or in an error: an error', async (way) => {
    const [first = ''] = eventTexts(streamedAnswer(way.spoken));
    const rest = eventTexts(streamedAnswer(way.spoken)).slice(1);
    const words = 'data: upstream connect error or disconnect before headers\n\n';
    for (const sent of [[first, words], [words], [first, `event: error\n${words}`, ...rest]]) {
      const { status, text } = await read(way, (wire) => wire.wholeStream(sent));
      if (status !== 200) expect(status).toBe(502);
      else expect(isFinished(way.format, text)).toBe(false);
    }
  });
  test.each(translated)('$name: one nested too deeply to be written again: 502', async (way) => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const answer = wholeAnswer(way.spoken).replace('{', `{"x_unheard_of":${deep},`);
    const { status, text } = await read(way, (wire) => wire.answer(200, answer));
    expect(status, text).toBe(502);
  });
});

describe('U-24 unknown events and fields', () => {
  const strange = (way: UpstreamWay): readonly string[] => {
    const events = eventTexts(streamedAnswer(way.spoken)).map((event) =>
      event.replace(/^data: \{/m, 'data: {"x_unheard_of":{"deep":[1,null,"x"]},'),
    );
    const added =
      way.spoken === 'messages' || way.spoken === 'responses'
        ? 'event: unheard.of\ndata: {"type":"unheard.of","value":1}\n\n'
        : 'data: {"x_only":"this"}\n\n';
    return [...events.slice(0, 1), added, ...events.slice(1)];
  };
  test.each(native)('$name: pass unchanged', async (way) => {
    const sent = strange(way);
    const { text } = await read(way, (wire) => wire.wholeStream(sent));
    expect(text).toBe(sent.join(''));
  });
  test.each(translated)('$name: do no harm', async (way) => {
    const { status, text } = await read(way, (wire) => wire.wholeStream(strange(way)));
    expect(status).toBe(200);
    expect(isFinished(way.format, text)).toBe(true);
    expect(text).not.toContain('"error":{');
  });
});

describe('U-42 interleaved tool calls', () => {
  const [chat] = native;
  const [toMessages] = translated;
  if (chat === undefined || toMessages === undefined) throw new Error('There are no ways.');
  const sent = streamedAnswer('chat-completions', 'interleaved-calls');

  test('native: byte for byte', async () => {
    const { text } = await read(chat, (wire) => wire.wholeStream([sent]));
    expect(text).toBe(sent);
  });

  test('translated: each has its own arguments, in order', async () => {
    const whole = JSON.parse(wholeCalls());
    const { text } = await read(toMessages, (wire) => wire.wholeStream([sent]));
    const calls = new Map<number, { name: string; json: string }>();
    for (const { data } of eventsIn(text)) {
      const event = JSON.parse(data);
      if (event.content_block?.type === 'tool_use')
        calls.set(event.index, { name: event.content_block.name, json: '' });
      const call = calls.get(event.index);
      if (call !== undefined && event.delta?.type === 'input_json_delta')
        call.json += event.delta.partial_json;
    }
    const got = [...calls.values()].map(({ name, json }) => [name, JSON.parse(json || '{}')]);
    expect(got).toEqual(whole);
  });

  /** The same calls, as the whole answer has them. */
  function wholeCalls(): string {
    const answer = JSON.parse(wholeAnswer('chat-completions', 'interleaved-calls'));
    const calls: { function: { name: string; arguments: string } }[] = answer.choices[0].message.tool_calls;
    return JSON.stringify(
      calls.map(({ function: { name, arguments: text } }) => [name, JSON.parse(text || '{}')]),
    );
  }
});
