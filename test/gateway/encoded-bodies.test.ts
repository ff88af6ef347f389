/** Compressed request bodies: one coding, both paths, and at most the size limit. */

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';

const LIMIT = 1024 * 1024;

let upstream: TestUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((_, response) => json(response, {}));
  gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url), limits: { bodyBytes: LIMIT } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const send = (encoding: string, body: Uint8Array, key = KEY) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body: new Uint8Array(body),
  });

const body = (text: string, model = 'gpt-4.1'): string =>
  `{ "model":"${model}", "messages":[{"role":"user","content":"${text}"}], "n":1.0 }`;

const codings: [name: string, compress: (text: string | Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['X-Gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['deflate', deflateSync],
  // Without zlib's wrapper.
  ['Deflate', deflateRawSync],
];

describe.each(codings)('%s', (name, compress) => {
  test('a native request is forwarded decompressed, without its coding', async () => {
    const text = body('Grüße, 漢字 '.repeat(10_000));
    expect((await send(name, compress(text))).status).toBe(200);
    const got = upstream.received.at(-1);
    expect(got?.body.toString()).toBe(text);
    expect(got?.headers['content-encoding']).toBeUndefined();
    expect(got?.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  test('a translated one is read decompressed', async () => {
    await send(name, compress(body('Hello!', 'anthropic/claude-sonnet-4-5')));
    expect(upstream.received.at(-1)?.url).toBe('/v1/messages');
    expect(upstream.received.at(-1)?.body.toString()).toContain('Hello!');
  });

  test('a body that expands beyond the limit is refused, however small it is', async () => {
    const bomb = compress(Buffer.alloc(24 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(LIMIT);
    const before = upstream.received.length;
    const response = await send(name, bomb);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
    expect(upstream.received.length).toBe(before);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 8)],
    ['not compressed at all', () => Buffer.from(body('Hi'))],
    ['random', () => Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 7919) % 256))],
  ])('bytes that are %s are a 400', async (_, spoil) => {
    const response = await send(name, spoil(compress(body('Hi'.repeat(5000)))));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('Content-Encoding') },
    });
  });

  test('without a key, nothing is decompressed', async () => {
    expect((await send(name, Buffer.from('not compressed'), 'gw-not-a-key')).status).toBe(401);
  });
});

test('endless compressed data without content is refused from the limit on', async () => {
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  // An empty block that is not the last one (RFC 1951, 3.2.4).
  const blocks = Buffer.alloc(LIMIT, Buffer.from([0, 0, 0, 0xff, 0xff]));
  // In chunks: no length announces the size.
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(head));
      controller.enqueue(new Uint8Array(blocks));
      controller.close();
    },
  });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: stream,
    duplex: 'half',
  });
  expect(response.status).toBe(413);
});

/** A zstd frame with one raw block, whose header asks for a window of 2^`log` bytes (RFC 8878, 3.1.1). */
function zstdFrame(text: string, log: number): Buffer {
  const content = Buffer.from(text);
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3]), block, content]);
}

test.each([
  [23, 200],
  [24, 400],
  [27, 400],
])('zstd with a window of 2^%i bytes, which a decompressor would hold: %i', async (log, status) => {
  expect((await send('zstd', zstdFrame(body('Hello!'), log))).status).toBe(status);
});

test('data after the end of the compressed data does no harm', async () => {
  const text = body('Hi');
  const response = await send('gzip', Buffer.concat([gzipSync(text), Buffer.alloc(100_000)]));
  expect(response.status).toBe(200);
  expect(upstream.received.at(-1)?.body.toString()).toBe(text);
});

test.each(['gzip, gzip', 'gzip,br', 'compress', 'aes128gcm', 'gz', '__proto__'])(
  '%s: 415, with the accepted codings',
  async (coding) => {
    const response = await send(coding, gzipSync(body('Hi')));
    expect(response.status).toBe(415);
    expect(response.headers.get('accept-encoding')).toBe('gzip, br, zstd, deflate');
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining('compressed') },
    });
  },
);

test.each(['identity', 'Identity', ''])('%j means no coding', async (coding) => {
  expect((await send(coding, Buffer.from(body('Hi')))).status).toBe(200);
});

test.each(['gzip, identity', 'identity,Gzip'])('%s is one coding', async (coding) => {
  expect((await send(coding, gzipSync(body('Hi')))).status).toBe(200);
});
