/** Bodies of megabytes are read, changed and sent in pieces: the vendor gets every byte of them. */

import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { createGunzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CallerResponse } from '../../src/access/caller.ts';
import { ByteAccumulator } from '../../src/lib/byte-accumulator.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { readBody } from '../../src/pipeline/body/read-body.ts';
import { releaseWhenOver } from '../../src/pipeline/body/release-body.ts';
import { getPort } from '../../src/upstream/net/bind.ts';
import { edited, Payload } from '../../src/upstream/payload.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';

/** 2 MB in which escapes are dense and characters have one to four bytes, so that every cut falls into something. */
const TEXT = 'He said "ja", then \\ é € 😀\n'.repeat(55_000);
const TURNS = [
  { role: 'user', content: TEXT },
  { role: 'assistant', content: 'Yes.' },
  { role: 'user', content: `Again: ${TEXT}` },
];

/** The model stands at the end, where the SDKs for Python put it. */
const BODIES: Readonly<Record<string, readonly [path: string, model: string, body: object]>> = {
  'chat-completions': ['/v1/chat/completions', 'gpt-4.1', { messages: TURNS, model: 'openai/gpt-4.1' }],
  responses: ['/v1/responses', 'gpt-4.1', { input: TURNS, model: 'openai/gpt-4.1' }],
  messages: [
    '/v1/messages',
    'claude-sonnet-4-5',
    { max_tokens: 100, messages: TURNS, model: 'anthropic/claude-sonnet-4-5' },
  ],
  'generate-content': [
    '/v1beta/models/gemini-2.5-flash:generateContent',
    'gemini-2.5-flash',
    { contents: TURNS.map(({ content }) => ({ role: 'user', parts: [{ text: content }] })) },
  ],
};

const MEASURED = 'gw-a-measured-key-of-this-test';

let vendor: TestUpstream;
let gateway: TestGateway;
let failures = 0;

beforeAll(async () => {
  // What the vendor answers is of no concern here: a refusal that no repair helps against ends the request.
  vendor = await startUpstream((_, response) => {
    failures -= 1;
    json(response, { error: { message: 'Closed.' } }, failures >= 0 ? 503 : 403);
  });
  gateway = await startGateway({
    vendors: vendorsAtUrl(vendor.url),
    keys: [{ name: 'measured', key: MEASURED, limits: { tokensPerMinute: 1e9 } }],
  });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

async function received(
  path: string,
  body: RequestInit['body'],
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  vendor.received.length = 0;
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
    body: body ?? null,
    duplex: 'half',
  });
  await answer.text();
  return vendor.received.map((each) => String(each.body));
}

describe.each(Object.entries(BODIES))('%s', (_, [path, model, body]) => {
  const written = JSON.stringify(body);
  const expected = JSON.stringify({ ...body, ...('model' in body && { model }) });
  const ways: Readonly<Record<string, () => Parameters<typeof received>[1]>> = {
    'with its length': () => written,
    'in chunks': () => ReadableStream.from([Buffer.from(written)]),
    compressed: () => gzipSync(written),
  };
  test.each(Object.entries(ways))('a long native body %s arrives byte for byte', async (way, made) => {
    const sent = await received(path, made(), way === 'compressed' ? { 'content-encoding': 'gzip' } : {});
    expect(sent).toHaveLength(1);
    expect(sent[0] === expected).toBe(true);
  });
});

test('a long body is sent again as it was', async () => {
  const [path, , body] = BODIES['messages'] ?? ['', '', {}];
  failures = 1;
  const [first, second] = await received(path, JSON.stringify(body));
  expect(first?.length).toBeGreaterThan(3_000_000);
  expect(first === second).toBe(true);
});

test('a long stream of a limited key asks for usage and names the model, and nothing else changes', async () => {
  const body = { messages: TURNS, stream: true, model: 'openai/gpt-4.1' };
  const [sent] = await received('/v1/chat/completions', JSON.stringify(body), {
    authorization: `Bearer ${MEASURED}`,
  });
  const asked = { stream_options: { include_usage: true }, ...body, model: 'gpt-4.1' };
  expect(sent === JSON.stringify(asked)).toBe(true);
});

test('a long dialogue is translated whole, with an image of 3 MB', async () => {
  const data = `iVBORw0KGgoAAAANSUhEUgAA${'QUJD'.repeat(750_000)}`;
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };
  const messages = [...TURNS.slice(0, 2), { role: 'user', content: [image] }];
  const body = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages };
  const [sent = ''] = await received('/v1/chat/completions', JSON.stringify(body));
  const value: { messages: { content: unknown }[] } = JSON.parse(sent);
  expect(JSON.stringify(value.messages[0]?.content).includes(JSON.stringify(TEXT))).toBe(true);
  expect(JSON.stringify(value.messages.at(-1)?.content).includes(`"${data}"`)).toBe(true);
});

test('a dialogue of many large texts is translated whole', async () => {
  const texts = Array.from({ length: 300 }, (_, at) => `${at}: ${TEXT.slice(0, 5_000 + (at % 7))} end`);
  const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
  const body = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages };
  const [sent = ''] = await received('/v1/chat/completions', JSON.stringify(body));
  const value: { messages: { content: unknown }[] } = JSON.parse(sent);
  const got = value.messages.map(({ content }) => JSON.stringify(content));
  expect(got).toHaveLength(texts.length);
  expect(texts.filter((text, at) => !got[at]?.includes(JSON.stringify(text)))).toEqual([]);
});

test('short pieces of a long body are sent together', async () => {
  const short = Array.from({ length: 1_000 }, (_, at) => Buffer.alloc(3_000, at % 251));
  const pieces = [...short, Buffer.alloc(900_000, 'a'), ...short];
  const slices: Uint8Array[] = [];
  for await (const slice of new Payload(pieces).slices()) slices.push(slice);
  expect(Buffer.concat(slices).equals(Buffer.concat(pieces))).toBe(true);
  // 3 MB, 0.9 MB and 3 MB, half a megabyte at a time.
  expect(slices.length).toBeLessThanOrEqual(14);
  expect(Math.max(...slices.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(512 * 1024);
});

test.each([
  [
    'no UTF-8',
    (whole: Buffer) => Buffer.concat([whole.subarray(0, -2), Buffer.from([0xf0, 0x9f]), Buffer.from('"}')]),
  ],
  ['not closed', (whole: Buffer) => whole.subarray(0, -1)],
  ['two models', (whole: Buffer) => Buffer.from(String(whole).replace(/}$/, ',"model":"b"}'))],
])('a long body that is wrong at its end is refused: %s', async (_, damaged) => {
  const whole = Buffer.from(JSON.stringify({ messages: TURNS, model: 'openai/gpt-4.1' }));
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: damaged(whole),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('a vendor that refuses a long body before it has read it is heard', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      const said = JSON.stringify({ error: { message: 'Too large for us.', type: 'invalid_request_error' } });
      socket.write(
        `HTTP/1.1 413 Payload Too Large\r\ncontent-type: application/json\r\ncontent-length: ${said.length}\r\nconnection: close\r\n\r\n${said}`,
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const strict = await startGateway({ vendors: vendorsAtUrl(`http://127.0.0.1:${getPort(server)}`) });
  try {
    const answer = await fetch(`${strict.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        model: 'openai/gpt-4.1',
        messages: [{ role: 'user', content: TEXT.repeat(8) }],
      }),
    });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toContain('Too large for us.');
  } finally {
    await strict.close();
    server.close();
  }
});

test('a vendor that breaks off, and a caller who leaves, while a long body is sent', async () => {
  let breaks = true;
  const opened = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (breaks) socket.resetAndDestroy();
      else opened.resolve(socket.pause());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const broken = await startGateway({ vendors: vendorsAtUrl(`http://127.0.0.1:${getPort(server)}`) });
  const ask = (signal: AbortSignal | null = null) =>
    fetch(`${broken.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        model: 'openai/gpt-4.1',
        messages: [{ role: 'user', content: TEXT.repeat(8) }],
      }),
      signal,
    });
  try {
    const answer = await ask();
    expect(answer.status).toBe(502);
    await answer.text();
    // The gateway leaves the vendor with its caller, and serves on.
    breaks = false;
    const left = new AbortController();
    const leaving = expect(ask(left.signal)).rejects.toThrow('abort');
    const vendorsEnd = await opened.promise;
    left.abort();
    await leaving;
    // The vendor notices once it reads on.
    await once(vendorsEnd.resume(), 'close');
    breaks = true;
    const next = await ask();
    expect(next.status).toBe(502);
    await next.text();
  } finally {
    await broken.close();
    server.close();
  }
});

test('the memory of a long body is given back when its response closes', async () => {
  const body = new ByteAccumulator(8e6, 0, true);
  for (let at = 0; at < 50; at += 1) body.add(Buffer.alloc(100_000, at));
  const whole = body.whole();
  expect(whole.byteLength).toBe(5_000_000);
  const response = new EventEmitter();
  releaseWhenOver(whole, Object.assign(response, closed()));
  expect(whole.byteLength).toBe(5_000_000);
  response.emit('close');
  await vi.waitFor(() => expect(whole.byteLength).toBe(0));
});

describe('the memory of a body that is refused is given back at once', () => {
  const LIMIT = 4e6;
  const piece = Buffer.alloc(100_000, 'a');

  function* endless(): Generator<Buffer> {
    for (;;) yield piece;
  }

  const ways: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    'it is too large': (url) =>
      fetch(url, { method: 'POST', body: ReadableStream.from(endless()), duplex: 'half' }),
    'it is too large, compressed': (url) =>
      fetch(url, { method: 'POST', body: gzipSync(Buffer.alloc(2 * LIMIT)) }),
    'its caller leaves': async (url) => {
      const sending = request(url, { method: 'POST' }).on('error', () => undefined);
      for (let sent = 0; sent < LIMIT / 2; sent += piece.length)
        await new Promise((resolve) => sending.write(piece, resolve));
      sending.destroy();
    },
  };

  test.each(Object.entries(ways))('%s', async (way, send) => {
    const resized = vi.spyOn(ArrayBuffer.prototype, 'resize');
    onTestFinished(() => resized.mockRestore());
    const refused = Promise.withResolvers<unknown>();
    const server = createHttpServer((asked, response) => {
      const decompress = way.endsWith('compressed') ? () => createGunzip() : undefined;
      readBody(asked, response, { limit: LIMIT, decompress }).then(refused.reject, (error) => {
        response.writeHead(413, { connection: 'close' }).end();
        refused.resolve(error);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await send(`http://127.0.0.1:${getPort(server)}`).catch(() => undefined);
      expect(await refused.promise).toBeInstanceOf(GatewayError);
      // The gateway of the tests above may still give back that of its own requests.
      const ofBody = (memory: unknown) => memory instanceof ArrayBuffer && memory.maxByteLength === LIMIT;
      const memory = new Set(resized.mock.contexts.filter(ofBody));
      expect(memory.size).toBe(1);
      await vi.waitFor(() => {
        for (const each of memory) expect(each).toHaveProperty('byteLength', 0);
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('the pieces of a body', () => {
  const written = Buffer.alloc(1_000_000, 'abcdefg');

  /** Reads a body from a connection. @returns the body, and the pieces of it that Node's parser has made. */
  async function pieces(alsoReads?: (piece: Buffer) => void): Promise<readonly [Buffer, readonly Buffer[]]> {
    const read = Promise.withResolvers<readonly [Buffer, readonly Buffer[]]>();
    const server = createHttpServer((request, response) => {
      const made: Buffer[] = [];
      const push = request.push.bind(request);
      request.push = (piece: Buffer | null, encoding) => {
        if (piece !== null) made.push(piece);
        return push(piece, encoding);
      };
      if (alsoReads !== undefined) request.on('data', alsoReads);
      readBody(request, response, { limit: 2e6, decompress: undefined }).then((body) => {
        read.resolve([body, made]);
        response.end();
      }, read.reject);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await fetch(`http://127.0.0.1:${getPort(server)}`, { method: 'POST', body: written });
      return await read.promise;
    } finally {
      server.close();
    }
  }

  test('give their memory back once they are copied', async () => {
    const [body, made] = await pieces();
    expect(body.equals(written)).toBe(true);
    expect(made.filter(({ byteLength }) => byteLength === 0).length).toBeGreaterThan(4);
    // A read may be short, and to free what is small is not worth its time.
    expect(made.every(({ byteLength }) => byteLength < 16 * 1024)).toBe(true);
  });

  test('are left as they are where somebody else reads them too', async () => {
    const heard: Buffer[] = [];
    const [body] = await pieces((piece) => heard.push(piece));
    expect(body.equals(written)).toBe(true);
    expect(Buffer.concat(heard).equals(written)).toBe(true);
  });
});

/** What a response is besides its events. */
function closed(): Omit<CallerResponse, 'on' | 'once' | 'off' | 'prependListener'> {
  return {
    closed: true,
    destroyed: false,
    writableFinished: true,
    writableLength: 0,
    headersSent: true,
    writeContinue: () => undefined,
    setMaxListeners: () => undefined,
  };
}

describe('a payload', () => {
  const long = Buffer.alloc(3_000_000, 'abc');

  test('of a few bytes is one piece, and a long one keeps the memory of its parts', () => {
    const edits = [
      { start: 2_000_000, end: 2_000_001, text: 'Y' },
      { start: 100_000, end: 100_000, text: 'XX' },
    ];
    expect(String(edited(Buffer.from('abcdef'), [{ start: 1, end: 2, text: 'é' }]))).toBe('aécdef');
    expect(edited(Buffer.from('abcdef'), [{ start: 1, end: 2, text: 'é' }]).pieces).toHaveLength(1);
    const made = edited(long, edits);
    expect(made.pieces.filter(({ buffer }) => buffer === long.buffer)).toHaveLength(3);
    const text = String(long);
    const expected = `${text.slice(0, 100_000)}XX${text.slice(100_000, 2_000_000)}Y${text.slice(2_000_001)}`;
    expect(String(made) === expected).toBe(true);
  });

  test('is compared by its bytes, wherever it is cut', () => {
    const cut = (...places: number[]) =>
      new Payload(places.map((place, at) => long.subarray(place, places[at + 1] ?? long.length)));
    expect(cut(0, 7, 1_000_000).equals(cut(0, 500_000, 2_999_999))).toBe(true);
    const other = Buffer.from(long);
    other[2_999_999] = 0;
    expect(cut(0, 7).equals(new Payload([other]))).toBe(false);
    expect(cut(0).equals(cut(1))).toBe(false);
  });

  test('is given in slices, in order', async () => {
    const parts: Uint8Array[] = [];
    for await (const slice of new Payload([long.subarray(0, 10), long.subarray(10)]).slices())
      parts.push(slice);
    expect(parts.length).toBeGreaterThan(4);
    expect(Buffer.concat(parts).equals(long)).toBe(true);
  });
});
