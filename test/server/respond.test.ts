/** What the server does with a body whose source it drives itself. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { respond } from '../../src/server/http/respond.ts';
import { type ByteSink, type ByteSource, SourceStream } from '../../src/streams/source-stream.ts';
import { getPort } from '../../src/upstream/net/bind.ts';
import { eventually } from '../support/raw.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Asks a server that answers with such a body. */
async function ask(source: ByteSource): Promise<IncomingMessage> {
  const server = createServer((_, response) =>
    respond(response, {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: new SourceStream(source),
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close().closeAllConnections());
  const request = sendRequest({ port: getPort(server), agent: false }).end();
  return (await once(request, 'response'))[0];
}

const MB = new Uint8Array(1024 * 1024).fill(0x61);

test('is asked for more only as the caller reads, and told that there is no room until then', async () => {
  let pulls = 0;
  let room: ByteSink | undefined;
  const answer = await ask({
    pull(sink) {
      room = sink;
      pulls += 1;
      if (pulls <= 64) sink.enqueue(MB);
      else sink.close();
    },
    cancel: () => undefined,
  });
  await eventually(() => room?.desiredSize === -1, 'the connection is full');
  // What the kernel holds for a caller is a few megabytes.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(pulls).toBeLessThan(32);
  expect(room?.desiredSize).toBe(-1);
  expect((await text(answer)).length).toBe(64 * MB.length);
  expect(pulls).toBe(65);
});

test('is written as it comes later, and ends with its end', async () => {
  let later: ByteSink | undefined;
  const answer = await ask({
    pull(sink) {
      if (later === undefined) sink.enqueue(new TextEncoder().encode('first '));
      later = sink;
    },
    cancel: () => undefined,
  });
  await once(answer.setEncoding('utf8'), 'readable');
  expect(answer.read()).toBe('first ');
  later?.enqueue(new TextEncoder().encode('second'));
  later?.close();
  // What comes after the end is not written.
  later?.enqueue(new TextEncoder().encode('third'));
  expect(await text(answer)).toBe('second');
});

test('goes on after a piece without bytes, which would be the end of a body in chunks', async () => {
  const pieces = ['first ', '', 'second'].map((piece) => new TextEncoder().encode(piece));
  const answer = await ask({
    pull(sink) {
      const piece = pieces.shift();
      if (piece === undefined) sink.close();
      else sink.enqueue(piece);
    },
    cancel: () => undefined,
  });
  expect(await text(answer)).toBe('first second');
});

test.each([
  ['fails', (sink: ByteSink) => sink.error(new Error('broken'))],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
])('a body whose source %s is cut', async (_, fail) => {
  let isBegun = false;
  const answer = await ask({
    pull(sink) {
      if (isBegun) fail(sink);
      else sink.enqueue(new TextEncoder().encode('first'));
      isBegun = true;
    },
    cancel: () => undefined,
  });
  await expect(text(answer)).rejects.toThrow('aborted');
});

test('is cancelled once if the caller leaves, and not if it has ended', async () => {
  const cancelled: string[] = [];
  const left = await ask({
    pull: (sink) => sink.enqueue(new TextEncoder().encode('first')),
    cancel: () => void cancelled.push('left'),
  });
  left.destroy();
  await eventually(() => cancelled.length > 0, 'it is cancelled');
  const ended = await ask({ pull: (sink) => sink.close(), cancel: () => void cancelled.push('ended') });
  await text(ended);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(cancelled).toEqual(['left']);
});

test('is cancelled if its head cannot be written', async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new SourceStream({ pull: () => undefined, cancel: () => cancelled.resolve() });
  const server = createServer((_, response) => {
    expect(() => respond(response, { status: 200, headers: { 'x-name': '模型' }, body })).toThrow(TypeError);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close().closeAllConnections());
  sendRequest({ port: getPort(server), agent: false }).end();
  await cancelled.promise;
});
