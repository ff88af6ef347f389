/** The same answers as other bytes: cut anywhere, with any line end, compressed, endless, or of another kind. */

import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_EVENT_LENGTH } from '../../src/streams/sse.ts';
import type { Script, Wire } from '../support/fault-upstream.ts';
import { arrayBuffersHeld } from '../support/held.ts';
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

const door = useFaultDoor({ retries: { limit: 0 } });

async function read(
  way: UpstreamWay,
  script: Script,
  stream = true,
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  door.upstream.script(script);
  const response = await ask(door.url, way, stream);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Sends as fast as the other side reads, for as long as it is connected. @returns the number of pieces sent. */
async function flood(wire: Wire, piece: Uint8Array, most: number): Promise<number> {
  let sent = 0;
  while (sent < most && wire.socket.writable) {
    sent += 1;
    wire.chunk(piece);
    if (wire.socket.writableNeedDrain) {
      await Promise.race([new Promise((resolve) => wire.socket.once('drain', resolve)), wire.gone]);
    }
  }
  return sent;
}

describe('U-25 events without an end', () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  const floods: [name: string, opening: string, piece: Buffer][] = [
    ['a line', 'data: {"x":"', mebibyte],
    ['lines of data', '', Buffer.from(`data: ${'x'.repeat(64 * 1024)}\n`.repeat(16))],
    ['a line that is not a field', 'x', mebibyte],
  ];
  describe.each(floods)('%s', (_, opening, piece) => {
    test.each(translated)('$name: is stopped, with an error, and takes little memory', async (way) => {
      const [first = ''] = eventTexts(streamedAnswer(way.spoken));
      let sent = Promise.resolve(0);
      const before = await arrayBuffersHeld();
      const { status, text } = await read(way, (wire) => {
        wire.stream([first + opening]);
        sent = flood(wire, piece, 64);
      });
      if (status === 200) {
        expect(eventsIn(text).filter((event) => isErrorEvent(way.format, event))).toHaveLength(1);
        expect(isFinished(way.format, text)).toBe(false);
      } else expect(status).toBe(502);
      // Some MiB are in socket buffers when it is stopped.
      expect(await sent).toBeLessThan((2 * MAX_EVENT_LENGTH) / piece.length + 24);
      expect((await arrayBuffersHeld()) - before).toBeLessThan(64 * 1024 * 1024);
    });
  });

  test('a large event that has an end passes, translated and native', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const event = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
    for (const way of ways.filter(({ spoken }) => spoken === 'chat-completions')) {
      const got = await read(way, (wire) => wire.wholeStream([event]));
      expect(got.text).toContain(text);
      expect(isFinished(way.format, got.text)).toBe(true);
    }
  });
});

/** Streams that are equivalent by the rules of WHATWG HTML, 9.2. */
const spellings: [name: string, spell: (stream: string) => string][] = [
  ['CRLF', (stream) => stream.replaceAll('\n', '\r\n')],
  ['lone CR', (stream) => stream.replaceAll('\n', '\r')],
  ['a byte order mark', (stream) => `\ufeff${stream}`],
  ['comments', (stream) => `:\n\n${stream.replaceAll('\n\n', '\n: x: y\n:\n\n: z\n\n')}`],
  ['retry and id', (stream) => stream.replaceAll('\n\n', '\nretry: 10\nid: 1\u0000\nid\n\n')],
  ['no space after the colon', (stream) => stream.replaceAll(/^(data|event): /gm, '$1:')],
  [
    'data on several lines',
    (stream) => stream.replaceAll(/^data: \{(.*)\}$/gm, 'data: {\ndata: $1\ndata: }'),
  ],
  ['unknown fields', (stream) => stream.replaceAll('\n\n', '\nfoo: bar\nfoo\n\n')],
  ['no last empty line', (stream) => stream.replace(/\n+$/, '\n')],
];

describe.each(spellings)('U-26 %s', (_, spell) => {
  test.each(translated)('$name: is read the same', async (way) => {
    const good = streamedAnswer(way.spoken);
    const plain = await read(way, (wire) => wire.wholeStream([good]));
    const spelled = await read(way, (wire) => wire.wholeStream([spell(good)]));
    expect(said(spelled.text)).toEqual(said(plain.text));
    expect(isFinished(way.format, spelled.text)).toBe(true);
    // The gateway writes one kind of line end, whatever it reads.
    expect(spelled.text).not.toContain('\r');
  });
  test.each(native)('$name: passes unchanged', async (way) => {
    const sent = spell(streamedAnswer(way.spoken));
    door.upstream.script((wire) => wire.wholeStream([sent]));
    const response = await ask(door.url, way, true);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(sent))).toBe(true);
  });
});

describe('U-27 cut into pieces of any size', () => {
  test.each(ways)('$name: is read the same', async (way) => {
    const bytes = Buffer.from(streamedAnswer(way.spoken, 'tool-call'));
    const plain = await read(way, (wire) => wire.wholeStream([bytes]));
    expect(isFinished(way.format, plain.text)).toBe(true);
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      const cut = await read(way, (wire) => wire.wholeStream(pieces));
      expect(said(cut.text), `pieces of ${size}`).toEqual(said(plain.text));
    }
  });
});

describe('U-28 multi-byte characters, cut anywhere', () => {
  const words = 'Grüße, 漢字, 😀👨‍👩‍👧, עברית, \\u2028, \u2028, e\u0301, \ud83d\ude00';
  const answer = (text: string): string =>
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"${text}"},"finish_reason":null}]}\n\ndata: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

  test('cut at every position, the text arrives whole', async () => {
    const bytes = Buffer.from(answer(words));
    const start = bytes.indexOf('Gr');
    const end = bytes.indexOf('"},"finish_reason":null');
    for (const way of ways.filter(({ spoken }) => spoken === 'chat-completions')) {
      for (let at = start; at <= end; at += 1) {
        const { text } = await read(way, (wire) =>
          wire.wholeStream([bytes.subarray(0, at), bytes.subarray(at)]),
        );
        expect(text).not.toContain('\ufffd');
        const got = eventsIn(text).map(({ data }) => (data === '[DONE]' ? {} : JSON.parse(data)));
        const parts = got.map((event) => event.choices?.[0]?.delta?.content ?? event.delta?.text ?? '');
        expect(parts.join('')).toBe(JSON.parse(`"${words}"`));
      }
    }
  });
});

describe('U-29 compressed without being asked', () => {
  const codings: [coding: string, compress: (text: string) => Buffer][] = [
    ['gzip', (text) => gzipSync(text)],
    ['x-gzip', (text) => gzipSync(text)],
    ['GZIP', (text) => gzipSync(text)],
    ['identity, gzip', (text) => gzipSync(text)],
    ['deflate', (text) => deflateSync(text)],
    ['Deflate', (text) => deflateRawSync(text)],
    ['br', (text) => brotliCompressSync(text)],
    ['zstd', (text) => zstdCompressSync(text)],
  ];
  describe.each(codings)('%s', (coding, compress) => {
    test.each(ways)('$name: a stream and a whole answer are read the same', async (way) => {
      const stream = streamedAnswer(way.spoken);
      const plain = await read(way, (wire) => wire.wholeStream([stream]));
      const packed = await read(way, (wire) => {
        wire.stream([compress(stream)], { 'content-encoding': coding });
        wire.lastChunk();
      });
      expect(said(packed.text)).toEqual(said(plain.text));
      expect(packed.headers.get('content-encoding')).toBeNull();
      const whole = wholeAnswer(way.spoken);
      const answer = await read(
        way,
        (wire) => wire.answer(200, compress(whole), { 'content-encoding': coding }),
        false,
      );
      expect(answer.status).toBe(200);
      if (way.format === way.spoken) expect(answer.text).toBe(whole);
      else expect(JSON.parse(answer.text)).toBeTruthy();
    });
  });

  test.each(ways)('$name: each event arrives when it is sent', async (way) => {
    const events = eventTexts(streamedAnswer(way.spoken));
    let next: (() => void) | undefined;
    door.upstream.script((wire) => {
      wire.stream([], { 'content-encoding': 'gzip' });
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.on('data', (piece: Buffer) => wire.chunk(piece));
      gzip.once('end', () => wire.lastChunk());
      const rest = [...events];
      next = () => {
        const event = rest.shift();
        if (event === undefined) gzip.end();
        else gzip.write(event, () => gzip.flush());
      };
      // The vendor's first events may have no counterpart in the caller's format.
      for (let at = 0; at < 6; at += 1) next();
    });
    const response = await ask(door.url, way, true);
    let text = '';
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      next?.();
      next?.();
    }
    expect(isFinished(way.format, text)).toBe(true);
  });

  test.each(['compress', 'gzip, gzip', 'gzip, br', 'nonsense', 'constructor'])('%s: 502', async (coding) => {
    for (const way of ways) {
      const { status } = await read(way, (wire) =>
        wire.answer(200, gzipSync(wholeAnswer(way.spoken)), { 'content-encoding': coding }),
      );
      expect(status).toBe(502);
    }
  });

  test('cut short, or not compressed at all: an error, never half an answer that looks whole', async () => {
    for (const way of ways) {
      const packed = gzipSync(streamedAnswer(way.spoken));
      for (const bytes of [packed.subarray(0, packed.length - 20), Buffer.from(streamedAnswer(way.spoken))]) {
        const { status, text } = await read(way, (wire) => {
          wire.stream([bytes], { 'content-encoding': 'gzip' });
          wire.lastChunk();
        });
        if (status !== 200) expect(status).toBe(502);
        else expect(eventsIn(text).filter((event) => isErrorEvent(way.format, event))).toHaveLength(1);
      }
    }
  });
});

describe('U-29 compressed for the transfer, which no request allows', () => {
  test.each(['gzip, chunked', 'br,chunked', 'Deflate, Chunked'])('%s: is read', async (coding) => {
    const compress = { g: gzipSync, b: brotliCompressSync, D: deflateSync }[coding[0] ?? ''];
    if (compress === undefined) throw new Error('Unknown coding.');
    for (const way of ways) {
      const stream = streamedAnswer(way.spoken);
      const plain = await read(way, (wire) => wire.wholeStream([stream]));
      const packed = await read(way, (wire) => {
        wire.stream([compress(stream)], { 'transfer-encoding': coding });
        wire.lastChunk();
      });
      expect(packed.status).toBe(200);
      expect(said(packed.text)).toEqual(said(plain.text));
    }
  });

  test('of the content as well, or by an unknown coding: 502', async () => {
    for (const headers of [
      { 'content-encoding': 'gzip', 'transfer-encoding': 'gzip, chunked' },
      { 'transfer-encoding': 'nonsense, chunked' },
    ]) {
      const { status } = await read(native[0], (wire) => {
        wire.head(200, headers);
        wire.chunk(gzipSync(wholeAnswer(native[0].spoken)));
        wire.lastChunk();
      });
      expect(status).toBe(502);
    }
  });
});

describe('U-29 bytes behind the end of the compressed data', () => {
  const codings = {
    br: brotliCompressSync,
    deflate: deflateSync,
    Deflate: deflateRawSync,
    zstd: zstdCompressSync,
  };

  test.each(Object.entries(codings))(
    '%s: are ignored, and the connection goes on',
    async (coding, compress) => {
      for (const way of [native[0], translated[0]]) {
        for (const stream of [true, false]) {
          const sent = stream ? streamedAnswer(way.spoken) : wholeAnswer(way.spoken);
          const type = stream ? 'text/event-stream' : 'application/json';
          const plain = await read(way, (wire) => wire.answer(200, sent, { 'content-type': type }), stream);
          const packed = await read(
            way,
            async (wire) => {
              wire.head(200, { 'content-type': type, 'content-encoding': coding });
              wire.chunk(compress(sent));
              for (let piece = 0; piece < 3; piece += 1) {
                await new Promise((resolve) => setTimeout(resolve, 10));
                wire.chunk(Buffer.alloc(300_000, 'x'));
              }
              wire.lastChunk();
            },
            stream,
          );
          expect(packed.status).toBe(200);
          if (stream) expect(said(packed.text)).toEqual(said(plain.text));
          // A translated stream is over with the vendor's last event, and its connection may be closed then.
          if (way !== native[0]) continue;
          const connections = door.upstream.connections();
          await read(way, (wire) => wire.answer(200, sent, { 'content-type': type }), stream);
          expect(door.upstream.connections()).toBe(connections);
        }
      }
    },
  );
});

describe('U-30 a small answer that expands to a very large one', () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));

  test.each(translated)('$name: 502', async (way) => {
    for (const type of ['application/json', 'text/event-stream']) {
      const { status } = await read(way, (wire) =>
        wire.answer(200, bomb, { 'content-encoding': 'gzip', 'content-type': type }),
      );
      expect(status).toBe(502);
    }
  });

  test('native: is stopped at 64 MiB', async () => {
    const [way] = native;
    if (way === undefined) throw new Error('There is no way.');
    door.upstream.script((wire) => wire.answer(200, bomb, { 'content-encoding': 'gzip' }));
    const response = await ask(door.url, way, false);
    let size = 0;
    await expect(
      (async () => {
        for await (const piece of response.body ?? []) size += piece.byteLength;
      })(),
    ).rejects.toThrow();
    expect(size).toBeLessThanOrEqual(64 * 1024 * 1024);
  });
});

describe('U-31 another kind than the one requested', () => {
  test.each(translated)('$name: a whole answer to a request for a stream becomes one', async (way) => {
    const { status, text, headers } = await read(way, (wire) => wire.answer(200, wholeAnswer(way.spoken)));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(isFinished(way.format, text)).toBe(true);
    expect(eventsIn(text).length).toBeGreaterThan(2);
  });

  test.each(translated)(
    '$name: a stream in answer to a request for a whole answer becomes one',
    async (way) => {
      const good = await read(way, (wire) => wire.answer(200, wholeAnswer(way.spoken)), false);
      const got = await read(way, (wire) => wire.wholeStream([streamedAnswer(way.spoken)]), false);
      expect(got.status).toBe(200);
      expect(got.headers.get('content-type')).toBe('application/json');
      expect(Object.keys(JSON.parse(got.text))).toEqual(
        expect.arrayContaining(Object.keys(JSON.parse(good.text)).slice(0, 3)),
      );
    },
  );

  test.each(translated)('$name: a stream with a missing or wrong content type', async (way) => {
    const stream = streamedAnswer(way.spoken);
    const good = await read(way, (wire) => wire.wholeStream([stream]));
    for (const type of ['text/plain; charset=utf-8', 'application/octet-stream', 'application/json', '']) {
      for (const begin of ['', '\n\n', ': alive\n\n', '\ufeff']) {
        const got = await read(way, (wire) => wire.answer(200, begin + stream, { 'content-type': type }));
        expect(got.status, `${type}, ${JSON.stringify(begin)}`).toBe(200);
        expect(got.headers.get('content-type')).toBe(good.headers.get('content-type'));
        expect(said(got.text)).toEqual(said(good.text));
        expect(isFinished(way.format, got.text)).toBe(true);
      }
    }
    const whole = wholeAnswer(way.spoken);
    const answer = await read(way, (wire) => wire.answer(200, `\n\n${whole}`, { 'content-type': '' }), false);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.status).toBe(200);
  });

  test.each(translated)('$name: a whole answer that is called a stream', async (way) => {
    const whole = wholeAnswer(way.spoken);
    for (const stream of [true, false]) {
      const good = await read(way, (wire) => wire.answer(200, whole), stream);
      for (const begin of ['', '\n\n', '\ufeff']) {
        const type = { 'content-type': 'text/event-stream; charset=utf-8' };
        const got = await read(way, (wire) => wire.answer(200, begin + whole, type), stream);
        expect(got.status, `${stream}, ${JSON.stringify(begin)}: ${got.text}`).toBe(200);
        expect(got.headers.get('content-type')).toBe(good.headers.get('content-type'));
        if (stream) expect(said(got.text)).toEqual(said(good.text));
        else expect(Object.keys(JSON.parse(got.text))).toEqual(Object.keys(JSON.parse(good.text)));
      }
    }
  });

  test.each(ways)('$name: a content type in any case', async (way) => {
    const stream = streamedAnswer(way.spoken);
    const good = await read(way, (wire) => wire.wholeStream([stream]));
    const got = await read(way, (wire) =>
      wire.answer(200, stream, { 'content-type': 'Text/Event-Stream; Charset=UTF-8' }),
    );
    expect(said(got.text)).toEqual(said(good.text));
    expect(got.headers.get('cache-control')).toBe(good.headers.get('cache-control'));
    const whole = await read(
      way,
      (wire) => wire.answer(200, wholeAnswer(way.spoken), { 'content-type': 'Application/JSON' }),
      false,
    );
    expect(whole.status).toBe(200);
    const page = await read(way, (wire) => wire.answer(200, '<p>', { 'content-type': 'Text/HTML' }), false);
    expect(page.status).toBe(502);
  });

  test.each(native)('$name: passes unchanged', async (way) => {
    const whole = await read(way, (wire) => wire.answer(200, wholeAnswer(way.spoken)));
    expect(whole.text).toBe(wholeAnswer(way.spoken));
    const stream = await read(way, (wire) => wire.wholeStream([streamedAnswer(way.spoken)]), false);
    expect(stream.text).toBe(streamedAnswer(way.spoken));
  });
});
