/** The gateway's own https: for callers and on the admin port, with certificates that are renewed. */

import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { Agent, request, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ConfigInput } from '../../src/config/schema.ts';
import { parseExposition } from '../accounting/observe/exposition.ts';
import { KEY } from '../support/gateway.ts';
import { preload } from '../support/preload.ts';
import { type GatewayProcess, type ProcessOptions, spawnGateway } from '../support/process.ts';
import { eventually, rawClient } from '../support/raw.ts';

const file = (name: string): string => join(import.meta.dirname, '../faults/tls', name);
const trust = { ca: readFileSync(file('ca.pem')), servername: 'vendor.test' };
const tls = { certFile: file('good.pem'), keyFile: file('server.key') };
// For the SDKs, which use the global fetch.
setGlobalDispatcher(new Agent({ connect: trust }));

let gateway: GatewayProcess;
afterEach(() => gateway.close());

/** A gateway with simulated vendors, which a busy machine does not make refuse work. */
async function start(input: ConfigInput = {}, options: ProcessOptions = {}): Promise<void> {
  gateway = await spawnGateway({ tls, limits: { eventLoopDelay: 600_000 }, ...input }, options);
}

/** Makes the handshake, over a connection that is open already or a new one, and sends a request. */
async function ask(head: string, socket = connectPlain(gateway.port, '127.0.0.1')): Promise<string> {
  const secure = connect({ ...trust, socket });
  secure.end(head);
  return text(secure);
}

/** Connects whatever the certificate. */
const trusting = new Agent({ connect: { rejectUnauthorized: false } });

/** The serial number of the certificate that a port shows. */
async function serialAt(url: string): Promise<string> {
  const socket: TLSSocket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe.each([1, 2])('with %d workers', (workers) => {
  test('the SDKs get whole answers and streams', async () => {
    await start({ workers });
    expect(gateway.url).toMatch(/^https:/);
    const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: KEY });
    const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: KEY });
    const messages = [{ role: 'user' as const, content: 'Say hello.' }];
    const whole = await openai.chat.completions.create({ model: 'openai/gpt-5.4', messages });
    expect(whole.choices[0]?.message.content).toBeTruthy();
    for (const model of ['anthropic/claude-haiku-4-5', 'openai/gpt-5.4']) {
      const stream = anthropic.messages.stream({ model, max_tokens: 100, messages });
      expect((await stream.finalMessage()).content).toMatchObject([{ type: 'text' }]);
    }
  });

  test('a caller whose handshake is in progress when the process ends gets an answer', async () => {
    await start({ workers });
    const early = connectPlain(gateway.port, '127.0.0.1');
    await once(early, 'connect');
    gateway.signal('SIGTERM');
    await sleep(500);
    const head = `GET /v1/models HTTP/1.1\r\nHost: vendor.test\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
    expect(await ask(head, early)).toMatch(/^HTTP\/1.1 200[\s\S]*connection: close/i);
    expect(await gateway.ended).toBe(0);
  });

  test('another certificate is shown without a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
    const certFile = join(folder, 'cert.pem');
    copyFileSync(file('good.pem'), certFile);
    const renewed = { certFile, keyFile: file('server.key') };
    await start({ workers, tls: renewed, admin: { key: 'admin-key-of-the-tests', port: 0, tls: renewed } });
    await eventually(() => gateway.output().includes('Console: '), 'it serves');
    const admin = /https:\S+(?=\. Console with)/.exec(gateway.output())?.[0] ?? '';
    expect([await serialAt(gateway.url), await serialAt(admin)]).toEqual(['01', '01']);
    // One that is just being written.
    writeFileSync(certFile, readFileSync(file('wrong-name.pem')).subarray(0, 300));
    await eventually(() => gateway.output().includes('tls.cert: must be a certificate'), 'it is refused');
    expect([await serialAt(gateway.url), await serialAt(admin)]).toEqual(['01', '01']);
    copyFileSync(file('wrong-name.pem'), certFile);
    await expect.poll(() => serialAt(gateway.url)).toBe('02');
    await expect.poll(() => serialAt(admin)).toBe('02');
    await eventually(() => gateway.output().includes('was reloaded and is in force.'), 'the output says so');
    const expiries = async (): Promise<readonly (readonly [string | undefined, number])[]> => {
      const headers = { authorization: 'Bearer admin-key-of-the-tests' };
      const { body } = await request(`${admin}/metrics`, { headers, dispatcher: trusting });
      return parseExposition(await body.text())
        .filter(({ name }) => name === 'gateway_certificate_expiry_timestamp_seconds')
        .map(({ labels, value }) => [labels['field'], value]);
    };
    const before = await expiries();
    expect(before.map(([field]) => field)).toEqual(['tls', 'admin.tls']);
    for (const [, end] of before) expect(end).toBeGreaterThan(Date.now() / 1_000);
    copyFileSync(file('expired.pem'), certFile);
    const end = Date.UTC(2020, 1, 1) / 1_000;
    await expect
      .poll(async () => (await expiries()).map(([, at]) => Math.floor(at / 86_400) * 86_400))
      .toEqual([end, end]);
    await eventually(
      () => gateway.output().includes('Note: the certificate of tls expired on 2020-02-01.'),
      'the output says so',
    );
    rmSync(folder, { recursive: true });
  });
});

test('WebSockets work over TLS', async () => {
  await start();
  const socket = new WebSocket(`${gateway.url.replace('https', 'wss')}/v1/responses`, {
    ...trust,
    headers: { authorization: `Bearer ${KEY}` },
  });
  await once(socket, 'open');
  const ended = new Promise<string>((resolve) => {
    socket.on('message', (data) => {
      if (String(data).includes('"response.completed"')) resolve(String(data));
    });
  });
  socket.send(JSON.stringify({ type: 'response.create', model: 'openai/gpt-5.4', input: 'Say hello.' }));
  expect(await ended).toContain('"output_text"');
  socket.close();
});

test('HTTP/1.0 gets an answer', async () => {
  await start();
  expect(await ask('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200/);
});

test('a caller who speaks plain HTTP, or nothing, costs the others nothing', async () => {
  await start();
  const plain = rawClient(gateway.port, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await plain.over).toBe('');
  const silent = rawClient(gateway.port);
  expect(await ask('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200/);
  // A handshake may take 10 s.
  expect(await silent.over).toBe('');
});

test('a caller who leaves during the handshake keeps no connection, and no process that ends', async () => {
  // The time limit of a handshake would end both.
  const patient = preload(`
    import { syncBuiltinESMExports } from 'node:module';
    import tls from 'node:tls';
    const { createServer } = tls;
    tls.createServer = (options) => createServer({ ...options, handshakeTimeout: 600_000 });
    syncBuiltinESMExports();
  `);
  await start({}, patient);
  const silent = connectPlain({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  silent.end();
  await once(silent.resume(), 'close');
  const hasty = connect({ ...trust, port: gateway.port, host: '127.0.0.1' });
  await once(hasty, 'secureConnect');
  // What the client sends last of the handshake has not left it yet.
  hasty.destroy();
  gateway.signal('SIGTERM');
  expect(await gateway.ended).toBe(0);
});

test('the console of the admin port reaches models over both certificates', async () => {
  await start({ admin: { key: 'admin-key-of-the-tests', port: 0, tls } });
  await eventually(() => gateway.output().includes('Console: '), 'it serves');
  const admin = /https:\S+(?=\. Console with)/.exec(gateway.output())?.[0] ?? '';
  const answer = await fetch(`${admin}/v1/models`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  expect([answer.status, await answer.json()]).toMatchObject([200, { object: 'list' }]);
});

test('https for callers is turned off and on without a restart', async () => {
  await start();
  const secure = `${gateway.url}/health/live`;
  const plain = secure.replace('https:', 'http:');
  const config = join(gateway.directory, 'gateway.config.json');
  const port = gateway.port;
  const isAnswered = async (url: string): Promise<boolean> =>
    fetch(url, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
  expect([await isAnswered(secure), await isAnswered(plain)]).toEqual([true, false]);
  writeFileSync(config, JSON.stringify({ port }));
  await expect.poll(() => isAnswered(plain)).toBe(true);
  expect(await isAnswered(secure)).toBe(false);
  writeFileSync(config, JSON.stringify({ port, tls }));
  await expect.poll(() => isAnswered(secure)).toBe(true);
});

test('a start says that its certificate has expired', async () => {
  await start({ tls: { ...tls, certFile: file('expired.pem') } });
  await eventually(
    () => gateway.output().includes('Note: the certificate of tls expired on 2020-02-01.'),
    'the output says so',
  );
});
