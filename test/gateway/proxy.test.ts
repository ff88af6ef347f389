/** Vendors behind a proxy, as companies use it, with `HTTPS_PROXY` and `NO_PROXY`. */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { withEnvironment } from '../../src/config/environment.ts';
import { configSchema } from '../../src/config/schema.ts';
import { ask, native, streamedAnswer, translated, wholeAnswer } from '../faults/upstream-ways.ts';
import { type FaultUpstream, startFaultUpstream } from '../support/fault-upstream.ts';
import { freePort } from '../support/free-port.ts';
import { startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { spawnGateway } from '../support/process.ts';

const file = (name: string): string => readFileSync(join(import.meta.dirname, '../faults/tls', name), 'utf8');
const before = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...before, file('ca.pem')]));
afterAll(() => setDefaultCACertificates(before));

/** What the proxy was asked for, and whether it connects: every name is the vendor's. */
let tunnels: { readonly to: string; readonly authorization: string | undefined }[];
/** 0 if it does not answer. */
let status: number;
let proxy: Server;
let upstream: FaultUpstream;
const gateways: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  tunnels = [];
  status = 200;
  upstream = await startFaultUpstream({ cert: file('good.pem'), key: file('server.key') });
  proxy = createServer();
  proxy.on('connect', ({ url = '', headers }, socket) => {
    tunnels.push({ to: url, authorization: headers['proxy-authorization'] });
    socket.on('error', () => undefined);
    if (status === 0) return socket.resume().on('end', () => socket.destroy());
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const tunnel = connect(upstream.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    }).on('error', () => socket.destroy());
    return undefined;
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
  await upstream.close();
  await new Promise((resolve) => proxy.close(resolve));
});

function proxyAt(): string {
  const address = proxy.address();
  return `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
}

/** Milliseconds in which a connection must be there. */
const CONNECT = 1_500;

type RecordedGateway = Awaited<ReturnType<typeof startRecorded>>;

/** A gateway with these variables, whose vendors are at a name that only the proxy knows. */
async function gatewayWith(
  environment: Readonly<Record<string, string>>,
  url = 'https://vendor.test',
): Promise<RecordedGateway> {
  const file = { vendors: vendorsAtUrl(url), retries: { limit: 0 }, timeouts: { connect: CONNECT } };
  const gateway = await startRecorded(withEnvironment(file, environment));
  gateways.push(gateway);
  return gateway;
}

test.each([...native, ...translated])('$name: through a tunnel, streamed and whole', async (way) => {
  const gateway = await gatewayWith({ HTTPS_PROXY: `http://user:p%40ss@${proxyAt()}` });
  for (const stream of [true, false]) {
    upstream.script((wire) =>
      stream ? wire.wholeStream([streamedAnswer(way.spoken)]) : wire.answer(200, wholeAnswer(way.spoken)),
    );
    const response = await ask(gateway.url, way, stream);
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeGreaterThan(100);
  }
  const [tunnel] = tunnels;
  expect(tunnel).toEqual({
    to: 'vendor.test:443',
    authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
  });
  // The proxy's credentials do not reach the vendor, nor the vendor's the proxy.
  expect(upstream.requests).toHaveLength(2);
  expect(JSON.stringify(upstream.requests)).not.toContain('proxy-authorization');
});

test('without a scheme, and with lowercase variables, which take precedence', async () => {
  const gateway = await gatewayWith({ https_proxy: proxyAt(), HTTPS_PROXY: 'http://127.0.0.1:9' });
  upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions')));
  const [way] = native;
  expect((await ask(gateway.url, way, false)).status).toBe(200);
  expect(tunnels).toHaveLength(1);
});

test.each([[403], [407], [502]])(
  'a proxy that refuses with %i: 502 that shows nothing of it, and operators know its status',
  async (refusal) => {
    status = refusal;
    const gateway = await gatewayWith({ HTTPS_PROXY: `http://user:secret@${proxyAt()}` });
    for (const way of [native[0], translated[0]]) {
      const response = await ask(gateway.url, way, true);
      expect(response.status).toBe(502);
      const text = await response.text();
      expect(JSON.parse(text)).toHaveProperty('error.message');
      expect(text).not.toMatch(/secret|127\.0\.0\.1|vendor\.test|Tunnel/i);
      await expect.poll(() => gateway.records.pop()).toMatchObject({ cause: `PROXY_${refusal}` });
    }
    expect(upstream.requests).toHaveLength(0);
  },
);

test.each([
  ['does not listen', '127.0.0.1:9', 'PROXY_ECONNREFUSED'],
  ['has no address', 'proxy.invalid:3128', 'PROXY_ENOTFOUND'],
])('a proxy that %s: operators know that it is the proxy', async (_, proxy, cause) => {
  const gateway = await gatewayWith({ HTTPS_PROXY: `http://${proxy}` });
  for (const way of [native[0], translated[0]]) {
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain('could not be reached');
    await expect.poll(() => gateway.records.pop()).toMatchObject({ fault: 'upstream-broken', cause });
  }
});

test('a proxy that does not answer: 504 in the time that a connection may take', async () => {
  status = 0;
  const gateway = await gatewayWith({ HTTPS_PROXY: `http://${proxyAt()}` });
  const began = performance.now();
  const response = await ask(gateway.url, native[0], true);
  expect(response.status).toBe(504);
  expect(await response.text()).toContain('could not be reached in time');
  expect(performance.now() - began).toBeGreaterThan(CONNECT - 100);
  await expect.poll(() => gateway.records.pop()).toMatchObject({ fault: 'upstream-timeout' });
});

test.each([
  ['named by NO_PROXY', { NO_PROXY: 'elsewhere.test, .vendor.test' }, 'https://api.vendor.test'],
  ['in a network of NO_PROXY', { NO_PROXY: 'elsewhere.test,127.0.0.0/8' }, 'https://127.0.0.2:9'],
  ['on this machine', {}, 'https://localhost:9'],
  ['at a http address', {}, 'http://127.0.0.1:9'],
])('a vendor %s is contacted directly', async (_, variables, url) => {
  const gateway = await gatewayWith({ HTTPS_PROXY: `http://${proxyAt()}`, ...variables }, url);
  expect((await ask(gateway.url, native[0], false)).status).toBe(502);
  expect(tunnels).toEqual([]);
});

test('an address outside the networks of NO_PROXY is reached through the proxy', async () => {
  const gateway = await gatewayWith(
    { HTTPS_PROXY: `http://${proxyAt()}`, NO_PROXY: '127.0.1.0/24' },
    'https://127.0.0.2:9',
  );
  await ask(gateway.url, native[0], false);
  expect(tunnels).toMatchObject([{ to: '127.0.0.2:9' }]);
});

test('the identity provider of the console’s sign-in is asked through a tunnel', async () => {
  const issuer = 'https://vendor.test';
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  upstream.script((wire, { path }) =>
    path.startsWith('/.well-known/')
      ? wire.answer(
          200,
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
          }),
        )
      : wire.answer(400, '{"error":"invalid_grant"}'),
  );
  const gateway = await spawnGateway(
    {
      admin: {
        key: 'admin-key-of-the-tests',
        port,
        signIn: { issuer, clientId: 'console', url, roles: { claim: 'groups', admin: ['operators'] } },
      },
    },
    {
      env: {
        HTTPS_PROXY: `http://${proxyAt()}`,
        NODE_EXTRA_CA_CERTS: join(import.meta.dirname, '../faults/tls/ca.pem'),
      },
    },
  );
  gateways.push(gateway);
  const begun = await fetch(`${url}/admin/sign-in`, { redirect: 'manual' });
  const to = new URL(begun.headers.get('location') ?? 'none:');
  expect([begun.status, to.origin + to.pathname]).toEqual([302, `${issuer}/authorize`]);
  const [cookie = ''] = begun.headers.getSetCookie()[0]?.split(';') ?? [];
  const back = await fetch(
    `${url}/admin/sign-in/callback?code=a-code&state=${to.searchParams.get('state')}`,
    { headers: { cookie } },
  );
  expect(await back.text()).toContain('The identity provider refused: invalid_grant.');
  expect(new Set(tunnels.map((tunnel) => tunnel.to))).toEqual(new Set(['vendor.test:443']));
});

test('an invalid address is refused by the name of its variable', () => {
  const read = (url: string) => configSchema.safeParse(withEnvironment({}, { HTTPS_PROXY: url }));
  expect(read('ftp://proxy.test').error?.issues[0]).toMatchObject({
    path: ['proxy', 'url'],
    message: 'must be http://…, https://… or socks5://…',
  });
  expect(read('proxy.test:3128').data?.proxy.url).toBe('http://proxy.test:3128');
});
