/**
 * A WebSocket with a token of an identity provider: who may open one, and what happens when the token
 * expires.
 */

import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Provider, startProvider } from '../../access/identities/provider.ts';
import { soon } from '../../support/soon.ts';
import { type Client, connect, connectRaw, frameOf, handshake, openStage, type Stage } from './stage.ts';

const body = { model: 'gpt-4.1', input: 'Hi', store: false };

let provider: Provider;
let stage: Stage;
let client: Client | undefined;
beforeEach(async () => {
  provider = await startProvider();
  stage = await openStage({ identities: [provider.identity({ models: ['openai/gpt-4.1'] })] });
});
afterEach(async () => {
  vi.useRealTimers();
  client?.socket.terminate();
  await stage.close();
  await provider.close();
});

const withToken = (token: string, at: Stage = stage): Promise<Client> =>
  connect(at.gateway.url, { authorization: `Bearer ${token}` });

async function next(fields: object = {}): Promise<unknown> {
  client?.send({ type: 'response.create', ...body, ...fields });
  return (await client?.answer())?.at(-1);
}

test('a token opens one, both the first time and later', async () => {
  const token = await provider.token();
  for (const _ of ['verified', 'remembered']) {
    client = await withToken(token);
    expect(await next()).toMatchObject({ type: 'response.completed' });
    client.socket.terminate();
  }
  expect(JSON.stringify(stage.upstream.received)).not.toContain(token.split('.')[1]);
});

test('an invalid token opens none: the error is the same as for a POST, and the connection is closed', async () => {
  const late = await provider.token({ exp: Math.floor(Date.now() / 1_000) - 60 });
  await expect(withToken(late)).rejects.toThrow('status 401');
  const { head, raw } = await connectRaw(stage.gateway.url, [`Authorization: Bearer ${late}`]);
  expect(head).toMatch(/^HTTP\/1\.1 401 /);
  expect(head).toMatch(/\r\nconnection: close\r\n/i);
  expect(head).toContain('The token is not valid: it has expired.');
  await new Promise((resolve) => raw.once('close', resolve));
  expect(stage.gateway.server.webSockets()).toBe(0);
  await soon(() => expect(stage.gateway.server.live.inFlight()).toBe(0));
});

/** A gateway whose provider has not answered yet. */
async function undecided(): Promise<{ other: Stage; waiting: Provider; token: string; decide: () => void }> {
  const waiting = await startProvider();
  const decide = waiting.hold();
  const other = await openStage({ identities: [waiting.identity()] });
  await soon(() => expect(waiting.paths()).toHaveLength(1));
  return { other, waiting, token: await waiting.token(), decide };
}

test('messages sent before the decision are answered afterwards', async () => {
  const { other, waiting, token, decide } = await undecided();
  const opening = connectRaw(other.gateway.url, [`Authorization: Bearer ${token}`]);
  const early = connectSocket(other.gateway.server.port, '127.0.0.1');
  early.write(
    Buffer.concat([
      Buffer.from(handshake([`Authorization: Bearer ${token}`])),
      frameOf(JSON.stringify({ type: 'response.create', ...body })),
    ]),
  );
  let said = '';
  early.on('data', (data) => {
    said += data.toString('latin1');
  });
  decide();
  await soon(() => expect(said).toContain('response.completed'));
  expect(said).toMatch(/^HTTP\/1\.1 101 /);
  const { raw, head } = await opening;
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  raw.destroy();
  early.destroy();
  await other.close();
  await waiting.close();
});

test('clients that disconnect before the decision, and clients that are rejected, leave nothing behind', async () => {
  const { other, waiting, token, decide } = await undecided();
  const another = await waiting.token({ aud: 'another' });
  const leaving = connectSocket(other.gateway.server.port, '127.0.0.1');
  await once(leaving, 'connect');
  const lines = ['Connection: Upgrade', 'Upgrade: websocket', `Authorization: Bearer ${token}`];
  leaving.write(`GET /v1/responses HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
  const refused = withToken(another, other);
  leaving.resetAndDestroy();
  decide();
  await expect(refused).rejects.toThrow('status 401');
  await soon(() => expect(other.gateway.server.live.inFlight()).toBe(0));
  expect(other.gateway.server.webSockets()).toBe(0);
  await other.close();
  await waiting.close();
});

test('while the provider is unreachable, its callers receive that error', async () => {
  const { other, waiting, token, decide } = await undecided();
  waiting.instead((_, response) => response.writeHead(500).end());
  const opening = connectRaw(other.gateway.url, [`Authorization: Bearer ${token}`]);
  decide();
  const { head, raw } = await opening;
  expect(head).toMatch(/^HTTP\/1\.1 503 /);
  expect(head).toContain('This token cannot be verified now');
  raw.destroy();
  await other.close();
  await waiting.close();
});

test('when the token expires its requests are rejected, the current answer continues, and the socket stays open', async () => {
  client = await withToken(await provider.token());
  expect(await next()).toMatchObject({ type: 'response.completed' });
  let finish = (): void => {};
  stage.respondWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: response.created\ndata: {"type":"response.created","response":{"id":"r"}}\n\n');
    response.write('event: x\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\n');
    finish = () =>
      void response.end(
        'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","output":[]}}\n\n',
      );
  });
  client.send({ type: 'response.create', ...body });
  expect(await client.next()).toMatchObject({ type: 'response.created' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 });
  finish();
  expect((await client.answer()).at(-1)).toMatchObject({ type: 'response.completed' });
  const expired = {
    type: 'error',
    status: 401,
    error: { message: 'The token is not valid: it has expired.' },
  };
  expect(await next()).toMatchObject(expired);
  expect(await next({ generate: false })).toMatchObject(expired);
  vi.useRealTimers();
  stage.respondWith((_, response) => response.writeHead(500).end());
  expect(await next({ generate: false })).toMatchObject({ type: 'response.completed' });
});

test('its requests are restricted to the models of the provider’s callers', async () => {
  client = await withToken(await provider.token());
  const refused = { type: 'error', status: 403, error: { code: 'model_not_allowed' } };
  expect(await next({ model: 'gpt-4o' })).toMatchObject(refused);
  expect(await next({ model: 'gpt-4o', generate: false })).toMatchObject({ type: 'error', status: 404 });
  expect(await next({ generate: false })).toMatchObject({ type: 'response.completed' });
});
