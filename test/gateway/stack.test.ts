/** Default behaviour of the packages underneath that must not happen here. Each was once measured in them. */

import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILT_PROGRAM } from '../support/built-program.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

let upstream: TestUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  );
  gateway = await startGateway({ vendors: vendorsAtUrl(upstream.url), limits: { bodyBytes: 200_000 } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** Sends bytes unchanged; resolves with everything that came back when the connection is over. */
function raw(bytes: string, after?: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write(bytes);
    after?.(socket);
  });
}

/** A chunked POST whose sender keeps sending, whatever it receives. */
function flood(headers: string): Promise<string> {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`;
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
  return raw(head, (socket) => {
    let sent = 0;
    const more = (): void => {
      while (!socket.destroyed && sent++ < 200) {
        if (!socket.write(chunk)) {
          socket.once('drain', more);
          return;
        }
      }
      socket.end();
    };
    more();
  });
}

describe('F1: a request body that is refused while it arrives', () => {
  test('200 floods over the limit: each gets a 413, and the process lives', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => flood(`Authorization: Bearer ${KEY}\r\n`)),
      );
      expect(answers.filter((text) => text.startsWith('HTTP/1.1 413'))).toHaveLength(20);
    }
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  });

  test('200 floods without a key: each gets a 401, without its body being read first', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => flood('')));
      expect(answers.filter((text) => text.startsWith('HTTP/1.1 401'))).toHaveLength(20);
    }
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  });

  test('a body that is declared too large is refused before a byte of it is read', async () => {
    const answer = await raw(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 999999999\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413/);
  });
});

describe('F8: how routing treats a path', () => {
  test.each([
    '/v1/models/../../health/live',
    '/v1/models/%2e%2e/%2e%2e/health/live',
    '/v1/../health/live',
    '//health/live',
    '/v1/models/..%2f..%2fhealth/live',
    '/v1beta/models/../models',
    '/v1/chat/./completions',
    '/health\\live',
  ])('%s is only a 404 that does not show it', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await raw(
        `${method} ${path}?key=SECRET HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 40[045]/);
      expect(answer).not.toContain('SECRET');
      expect(answer).not.toContain('"status":"ok"');
    }
  });

  test('an absolute target is its path, and no way around the rules for paths', async () => {
    const ask = (target: string) => raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(await ask('http://evil/health/live')).toMatch(/^HTTP\/1.1 200/);
    for (const path of ['//health/live', '/v1/../health/live', '/v1/%2e%2e/health/live']) {
      expect(await ask(`http://evil${path}`)).toMatch(/^HTTP\/1.1 404/);
    }
  });
});

describe('F2, F3: SIGTERM', () => {
  test('lets a live stream finish, refuses new connections, and exits 0', async () => {
    const isRefused = Promise.withResolvers<void>();
    const slow = await startUpstream(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      await isRefused.promise;
      response.end('data: 2\n\ndata: [DONE]\n\n');
    });
    const child = spawn(process.execPath, [BUILT_PROGRAM, 'start'], {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        GATEWAY_API_KEY: KEY,
        OPENAI_API_KEY: 'vendor-key',
        OPENAI_BASE_URL: `${slow.url}/v1`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    const url = await new Promise<string>((resolve) => {
      child.stdout.on('data', (chunk) => {
        const match = /http:\/\/[\d.:]+/.exec(String(chunk));
        if (match) resolve(match[0]);
      });
    });
    const response = await postJson(`${url}/v1/chat/completions`, '{"model":"gpt-4o","stream":true}');
    child.kill('SIGTERM');
    const accepts = () =>
      fetch(`${url}/health/live`, { headers: { connection: 'close' } }).then(
        () => true,
        () => false,
      );
    await expect.poll(accepts).toBe(false);
    isRefused.resolve();
    expect(await response.text()).toBe('data: 1\n\ndata: 2\n\ndata: [DONE]\n\n');
    expect(await exit).toBe(0);
    await slow.close();
  });
});
