/** Vendors that cannot be reached, or whose connections misbehave. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { checkedLookup, openAgent } from '../../src/upstream/agent.ts';
import type { Resolve } from '../../src/upstream/shared-lookups.ts';
import { type FaultUpstream, type Script, startFaultUpstream } from '../support/fault-upstream.ts';
import { CLOSED } from '../support/free-port.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { countOpening } from '../support/in-kernel.ts';
import { eventually } from '../support/raw.ts';
import { sized } from './stage.ts';
import {
  ask,
  native,
  streamedAnswer,
  translated,
  type UpstreamWay,
  ways,
  wholeAnswer,
} from './upstream-ways.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function faultUpstream(tls?: TlsOptions): Promise<FaultUpstream> {
  const upstream = await startFaultUpstream(tls);
  open.push(upstream);
  return upstream;
}

/** A gateway whose vendors are all at `url`; `lookup` resolves names if it is given. */
async function gatewayTo(
  url: string,
  input: ConfigInput = {},
  lookup?: Resolve,
  onRefused: () => void = () => {},
): Promise<TestGateway> {
  const connectTimeout = input.timeouts?.connect ?? 5_000;
  const gateway = await startGateway({ vendors: vendorsAtUrl(url), ...input }, undefined, (made) =>
    lookup === undefined
      ? made
      : {
          ...made,
          agent: openAgent({
            connect: connectTimeout,
            publicHosts: new Set(['public.test']),
            lookup,
            onRefused,
          }),
        },
  );
  open.push(gateway);
  return gateway;
}

const [way] = native;
const [other] = translated;
if (way === undefined || other === undefined) throw new Error('There are no ways.');

/** Of no other timer. */
const KEEP_ALIVE = 7_919;

/** The full number of the table, 5,000, takes a minute. */
const RACES = sized(400, 5_000);

const NOT_AGAIN = { retries: { limit: 0 } } satisfies ConfigInput;

describe('U-01 connect refused', () => {
  test.each(ways)('$name: 502 in the caller’s format, without an address', async (each) => {
    const gateway = await gatewayTo(CLOSED.url, { retries: { wait: 1 } });
    for (const stream of [true, false]) {
      const response = await ask(gateway.url, each, stream);
      const text = await response.text();
      expect(response.status).toBe(502);
      expect(JSON.parse(text).error.message).toBe('Connection error: the upstream could not be reached.');
      expect(text).not.toMatch(/127\.0\.0\.1|ECONN|localhost/);
      expect(text).not.toContain(String(CLOSED.port));
      // The gateway has tried twice; an official SDK would try three times as often.
      expect(response.headers.get('x-should-retry')).toBe('false');
    }
  });
});

describe('U-02 names that do not resolve', () => {
  const found = [{ address: '127.0.0.1', family: 4 }];

  test('no such name, or one without an address: 502; nothing is cached', async () => {
    const upstream = await faultUpstream();
    upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions'), { connection: 'close' }));
    const results: Parameters<Parameters<Resolve>[2]>[] = [
      [Object.assign(new Error('getaddrinfo ENOTFOUND vendor.test'), { code: 'ENOTFOUND' }), []],
      [null, []],
    ];
    const lookup: Resolve = (_, __, callback) =>
      setImmediate(() => callback(...(results.shift() ?? [null, found])));
    const gateway = await gatewayTo(`http://vendor.test:${upstream.port}`, NOT_AGAIN, lookup);
    for (const status of [502, 502, 200]) {
      const response = await ask(gateway.url, way, false);
      expect(await response.text()).not.toContain('vendor.test');
      expect(response.status).toBe(status);
    }
  });

  // Node looks up two names at once in all (libuv's threads): a name server that does not answer would be waited for by
  // the connections to all other vendors.
  test('a name is looked up once at a time, however many wait for it, and again for later connections', async () => {
    const upstream = await faultUpstream();
    upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions'), { connection: 'close' }));
    const begun: (() => void)[] = [];
    const lookup: Resolve = (_, __, callback) => begun.push(() => callback(null, found));
    const gateway = await gatewayTo(`http://vendor.test:${upstream.port}`, NOT_AGAIN, lookup);
    for (const lookups of [1, 2]) {
      const asked = Array.from({ length: 5 }, () => ask(gateway.url, way, false));
      await eventually(() => begun.length === lookups, 'a lookup has begun');
      await sleep(100);
      expect(begun).toHaveLength(lookups);
      begun.at(-1)?.();
      const answers = await Promise.all(asked);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      for (const answer of answers) await answer.text();
    }
  });

  test('two name servers that do not answer leave a thread of two for the names of other vendors', async () => {
    const upstream = await faultUpstream();
    upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions'), { connection: 'close' }));
    /** The names that wait for a thread, and those that have one, by what ends their lookup. */
    const waiting: (() => void)[] = [];
    const running = new Map<string, (isAnswered: boolean) => void>();
    const next = (): void => {
      if (running.size < 2) waiting.shift()?.();
    };
    const lookup: Resolve = (hostname, _, callback) => {
      waiting.push(() => {
        const end = (isAnswered: boolean): void => {
          running.delete(hostname);
          if (isAnswered) callback(null, found);
          else callback(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' }), []);
          next();
        };
        running.set(hostname, end);
        if (hostname === 'well.test') end(true);
      });
      next();
    };
    const place = (name: string): string => `http://${name}.test:${upstream.port}`;
    const vendors = {
      ...vendorsAtUrl(place('well')),
      anthropic: { baseUrl: place('dead'), apiKey: 'vendor-key' },
      google: { baseUrl: place('gone'), apiKey: 'vendor-key' },
    };
    const gateway = await gatewayTo('', { ...NOT_AGAIN, vendors }, lookup);
    const [well, , dead, gone] = native;
    const askAll = (ways: readonly (UpstreamWay | undefined)[]): Promise<number>[] =>
      ways.map(async (each) => {
        const answer = await ask(gateway.url, each ?? way, false);
        await answer.text();
        return answer.status;
      });
    const first = askAll([dead, gone]);
    await eventually(() => running.size === 2, 'both names are looked up');
    for (const end of running.values()) end(false);
    expect(await Promise.all(first)).toEqual([502, 502]);

    const again = askAll([dead, gone]);
    await eventually(() => running.size > 0, 'a name is looked up');
    expect(await Promise.all(askAll([well]))).toEqual([200]);
    // One after the other. What resolves again is like any other name from then on.
    for (const isAnswered of [false, true]) {
      await eventually(() => running.size === 1, 'one name is looked up');
      const [[name, end] = []] = running;
      end?.(isAnswered);
      await eventually(() => !running.has(name ?? ''), 'its lookup is over');
    }
    expect((await Promise.all(again)).toSorted()).toEqual([200, 502]);
  });

  test('a resolver that does not answer: 504 when the connect timeout is over', async () => {
    const lookup: Resolve = () => undefined;
    const gateway = await gatewayTo(
      'http://vendor.test',
      { ...NOT_AGAIN, timeouts: { connect: 100 } },
      lookup,
    );
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(504);
    await response.text();
  });
});

describe('U-03 names that change to forbidden addresses', () => {
  test('a name that changes is refused at the next connection, and that is counted', async () => {
    let refused = 0;
    const upstream = await faultUpstream();
    upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions'), { connection: 'close' }));
    const addresses = ['127.0.0.1', '169.254.169.254'];
    const lookup: Resolve = (_, __, callback) =>
      callback(null, [{ address: addresses.shift() ?? '169.254.169.254', family: 4 }]);
    const gateway = await gatewayTo(`http://vendor.test:${upstream.port}`, NOT_AGAIN, lookup, () => {
      refused += 1;
    });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      const response = await ask(gateway.url, way, false);
      statuses.push(response.status);
      await response.text();
    }
    expect(statuses).toEqual([200, 502, 502]);
    expect(upstream.requests).toHaveLength(1);
    expect(refused).toBe(2);
  });

  test.each([
    ['vendor.test', '8.8.8.8', true],
    ['vendor.test', '10.0.0.7', true],
    ['vendor.test', '127.0.0.1', true],
    ['vendor.test', '169.254.169.254', false],
    ['vendor.test', '100.100.100.200', false],
    ['vendor.test', '0.0.0.0', false],
    ['vendor.test', '224.0.0.1', false],
    ['vendor.test', 'fe80::1', false],
    ['vendor.test', 'fd00:ec2::254', false],
    ['vendor.test', '::ffff:169.254.169.254', false],
    ['vendor.test', '::', false],
    ['vendor.test', '::1', true],
    ['vendor.test', '168.63.129.16', false],
    ['vendor.test', '192.0.0.192', false],
    // The same addresses, embedded in those of NAT64, of 6to4 and of Teredo.
    ['vendor.test', '64:ff9b::a9fe:a9fe', false],
    ['vendor.test', '64:ff9b::169.254.169.254', false],
    ['vendor.test', '2002:a9fe:a9fe::1', false],
    ['vendor.test', '2001:0:808:808::5601:5601', false],
    ['vendor.test', '64:ff9b::a00:7', true],
    ['vendor.test', 'fe80::1%1', false],
    ['public.test', '8.8.8.8', true],
    ['public.test', '10.0.0.7', false],
    ['public.test', '127.0.0.1', false],
    ['public.test', '192.168.1.1', false],
    ['public.test', '172.16.0.1', false],
    ['public.test', '100.64.0.1', false],
    ['public.test', '::1', false],
    ['public.test', 'fd12::1', false],
    ['public.test', '::ffff:10.0.0.7', false],
    ['public.test', '2606:4700::1111', true],
    ['public.test', '64:ff9b::808:808', true],
    ['public.test', '64:ff9b::a00:7', false],
    ['public.test', '64:ff9b::10.0.0.7', false],
    ['public.test', '64:ff9b::7f00:1', false],
    ['public.test', '64:ff9b:1::808:808', false],
    ['public.test', '2002:808:808::1', true],
    ['public.test', '2002:c0a8:101::1', false],
    ['public.test', '2001:0:808:808::f5ff:fff8', false],
    ['public.test', '::10.0.0.7', false],
    ['public.test', 'fec0::1', false],
    ['public.test', '240.0.0.1', false],
  ])('%s at %s: the vendor is asked: %s', (host, address, asked) => {
    const family = address.includes(':') ? 6 : 4;
    const lookup = checkedLookup(new Set(['public.test']), (_, __, callback) =>
      callback(null, [{ address, family }]),
    );
    const seen: unknown[] = [];
    lookup(host, { all: true }, (error, addresses) => seen.push(error === null ? addresses : 'refused'));
    lookup(host, {}, (error, one) => seen.push(error === null ? one : 'refused'));
    expect(seen).toEqual(asked ? [[{ address, family }], address] : ['refused', 'refused']);
  });
});

describe('S-10 addresses that a configuration may not name', () => {
  const isTaken = (baseUrl: string): boolean =>
    configSchema.safeParse({ vendors: { openai: { apiKey: 'x', baseUrl } } }).success;

  test.each([
    'http://169.254.169.254/v1',
    'http://2852039166/v1',
    'http://0xa9fea9fe/v1',
    'http://0251.0376.0251.0376/v1',
    'http://[::ffff:169.254.169.254]/v1',
    'http://[::ffff:a9fe:a9fe]/v1',
    'http://100.100.100.200',
    'http://168.63.129.16',
    'http://192.0.0.192',
    'http://[64:ff9b::a9fe:a9fe]/v1',
    'http://[2002:a9fe:a9fe::]/v1',
    'http://[::169.254.169.254]/v1',
    'http://[fd00:ec2::254]',
    'http://[fe80::1]',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'file:///etc/passwd',
  ])('%s is refused', (url) => {
    expect(isTaken(url)).toBe(false);
    const upstreams = [{ apiKey: 'x', baseUrl: url }];
    expect(configSchema.safeParse({ vendors: { openai: { apiKey: 'x', upstreams } } }).success).toBe(false);
  });

  // Many models are served in private networks: whoever writes such an address means it.
  test.each([
    'http://127.0.0.1:11434/v1',
    'http://0.0.0.0:11434/v1',
    'http://10.0.0.7/v1',
    'http://[::1]:8000/v1',
    'http://vendor.internal/v1',
    'https://api.example.com/v1',
  ])('%s is accepted', (url) => {
    expect(isTaken(url)).toBe(true);
  });
});

describe('U-04 TLS', () => {
  const file = (name: string): string => readFileSync(join(import.meta.dirname, 'tls', name), 'utf8');
  const lookup: Resolve = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

  test.each([
    ['good', 200],
    ['expired', 502],
    ['wrong-name', 502],
    ['self-signed', 502],
  ])('a certificate that is %s: %i', async (name, status) => {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, file('ca.pem')]);
    try {
      const upstream = await faultUpstream({ cert: file(`${name}.pem`), key: file('server.key') });
      upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions')));
      const gateway = await gatewayTo(
        `https://vendor.test:${upstream.port}`,
        { retries: { wait: 1 } },
        lookup,
      );
      const response = await ask(gateway.url, way, false);
      expect(response.status).toBe(status);
      expect(await response.text()).not.toMatch(/CERT|altname|self-signed|vendor\.test/i);
      // Not a byte of a request goes to a server that cannot prove its identity, on a retry neither.
      expect(upstream.requests).toHaveLength(status === 200 ? 1 : 0);
    } finally {
      setDefaultCACertificates(before);
    }
  });

  test('a handshake that stalls: 504 when the connect timeout is over', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const gateway = await gatewayTo(
      `https://vendor.test:${port}`,
      { ...NOT_AGAIN, timeouts: { connect: 100 } },
      lookup,
    );
    const response = await ask(gateway.url, way, false);
    expect(response.status).toBe(504);
    await response.text();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('no setting turns the check off', () => {
    for (const setting of ['rejectUnauthorized', 'insecure', 'ca', 'tls']) {
      const vendors = { openai: { apiKey: 'x', [setting]: false } };
      expect(configSchema.safeParse({ vendors }).success).toBe(false);
    }
  });
});

/** Stops a server with a full backlog, which then is as silent as a firewall that drops packets. */
async function stalledServer(): Promise<{ readonly port: number; resume(): void; close(): Promise<void> }> {
  const source = `const s = require('http').createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(process.argv[1]);
  });
  s.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))`;
  const server = spawn(process.execPath, ['-e', source, wholeAnswer('chat-completions')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve) =>
    server.stdout.once('data', (data) => resolve(Number(data))),
  );
  server.kill('SIGSTOP');
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  const stalled = {
    port,
    resume: () => void server.kill('SIGCONT'),
    async close() {
      for (const filler of fillers) filler.destroy();
      server.kill('SIGKILL');
    },
  };
  open.push(stalled);
  // With a backlog of one, Linux accepts two.
  await eventually(() => fillers.filter(({ connecting }) => !connecting).length >= 2, 'it is full');
  return stalled;
}

describe('U-05 no answer to a connection', () => {
  const both: Resolve = (_, __, callback) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);

  test('504 when the connect timeout is over, then it is tried again', async () => {
    const { port } = await stalledServer();
    const gateway = await gatewayTo(`http://127.0.0.1:${port}`, {
      timeouts: { connect: 150 },
      retries: { wait: 1 },
    });
    const response = await ask(gateway.url, way, true);
    expect(response.status).toBe(504);
    expect(JSON.parse(await response.text()).error.message).toBe(
      'Connection error: the upstream could not be reached in time.',
    );
    expect(response.headers.get('x-should-retry')).toBe('false');
  });

  // Node gives up each address but the last after a quarter or half of a second (nodejs/node#54359).
  test('an address that answers late is waited for, though the name has another one', async () => {
    const { port, resume } = await stalledServer();
    const gateway = await gatewayTo(`http://vendor.test:${port}`, NOT_AGAIN, both);
    const fillers = countOpening(port);
    const asked = ask(gateway.url, way, false);
    await eventually(() => countOpening(port) > fillers, 'the address does not answer');
    // Linux sends the first packet of the connection again after a second.
    resume();
    const response = await asked;
    expect(response.status).toBe(200);
    await response.text();
  });

  test('an address that does not answer leaves time for the next one', async () => {
    const { port } = await stalledServer();
    const next = createHttpServer((_, answer) =>
      answer.setHeader('content-type', 'application/json').end(wholeAnswer('chat-completions')),
    );
    await new Promise<void>((resolve) => next.listen(port, '::1', resolve));
    open.push({ close: async () => void next.close() });
    const gateway = await gatewayTo(
      `http://vendor.test:${port}`,
      { ...NOT_AGAIN, timeouts: { connect: 900 } },
      both,
    );
    const response = await ask(gateway.url, way, false);
    expect(response.status).toBe(200);
    await response.text();
  });
});

describe('U-33 answers that are not HTTP', () => {
  const good = wholeAnswer('chat-completions');
  const length = Buffer.byteLength(good);
  const table: [name: string, bytes: string][] = [
    [
      'two kinds of framing',
      `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n${good}`,
    ],
    ['two lengths', `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nContent-Length: 5\r\n\r\n${good}`],
    ['a folded header', `HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: ${length}\r\n\r\n${good}`],
    ['a control character', `HTTP/1.1 200 OK\r\nX-A: b\u0000c\r\nContent-Length: ${length}\r\n\r\n${good}`],
    [
      'a header of 40 KB',
      `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(40_000)}\r\nContent-Length: ${length}\r\n\r\n${good}`,
    ],
    ['not HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an invalid status', `HTTP/1.1 2000 OK\r\nContent-Length: ${length}\r\n\r\n${good}`],
    ['an invalid length', `HTTP/1.1 200 OK\r\nContent-Length: +${length}\r\n\r\n${good}`],
  ];
  test.each(table)('%s: 502, and the connection is not used again', async (_, bytes) => {
    const upstream = await faultUpstream();
    let gone: Promise<number> | undefined;
    const bad: Script = (wire) => {
      gone = wire.gone;
      wire.raw(bytes);
    };
    for (const each of [way, other]) {
      upstream.script(bad);
      const gateway = await gatewayTo(upstream.url, NOT_AGAIN);
      const response = await ask(gateway.url, each, false);
      expect(response.status).toBe(502);
      await response.text();
      await gone;
    }
  });
});

describe('U-35 a kept connection that the vendor closes under a request', () => {
  /** Answers the first request of a connection, and closes on the next without a byte. */
  const closesOnSecond: Script = (wire, { earlier }) => {
    if (earlier > 0) wire.socket.destroy();
    else wire.answer(200, wholeAnswer('chat-completions'));
  };

  test('is not reported: another connection is tried, once', async () => {
    const upstream = await faultUpstream();
    upstream.script(closesOnSecond);
    const gateway = await gatewayTo(upstream.url, { retries: { wait: 5 } });
    for (let at = 0; at < 6; at += 1) {
      const response = await ask(gateway.url, way, false);
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(upstream.requests.length).toBeLessThanOrEqual(12);
  });

  test('is a 502 if the configuration allows no retry that may be billed twice', async () => {
    const upstream = await faultUpstream();
    upstream.script(closesOnSecond);
    const gateway = await gatewayTo(upstream.url, { retries: { after: 'rejected' } });
    const statuses: number[] = [];
    for (let at = 0; at < 2; at += 1) {
      const response = await ask(gateway.url, way, false);
      statuses.push(response.status);
      await response.text();
    }
    expect(statuses).toEqual([200, 502]);
    expect(upstream.requests).toHaveLength(2);
  });

  test(`a vendor that closes idle connections just when requests come: none of ${RACES} fails`, {
    timeout: 180_000 + 20 * RACES,
  }, async () => {
    const upstream = await faultUpstream();
    upstream.script((wire, { earlier }) => {
      wire.answer(200, wholeAnswer('chat-completions'));
      setTimeout(() => wire.socket.end(), (earlier % 5) + 1);
    });
    const gateway = await gatewayTo(upstream.url, { retries: { wait: 5, perSecond: 1_000 } });
    let failed = 0;
    for (let at = 0; at < RACES; at += 1) {
      const response = await ask(gateway.url, way, false);
      if (response.status !== 200) failed += 1;
      await response.text();
      if (at % 3 === 0) await sleep(at % 6);
    }
    expect(failed).toBe(0);
  });
});

describe('U-36 more requests than connections', () => {
  test('wait a moment, then are refused; and slots that become free are used', async () => {
    const upstream = await faultUpstream();
    const held: (() => void)[] = [];
    upstream.script((wire) => {
      held.push(() => wire.answer(200, wholeAnswer('chat-completions')));
    });
    const vendors = vendorsAtUrl(upstream.url);
    const gateway = await gatewayTo(upstream.url, {
      vendors: { ...vendors, openai: { ...vendors['openai'], connections: 2 } },
      timeouts: { pool: 3_000 },
    });
    const refused: Response[] = [];
    const asked = Array.from({ length: 6 }, async () => {
      const response = await ask(gateway.url, way, false);
      if (response.status !== 200) refused.push(response);
      return response;
    });
    // Whichever of them came last.
    await eventually(() => refused.length >= 4, 'four are refused');
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    for (const response of refused) await response.text();
    expect(upstream.requests).toHaveLength(2);
    expect(upstream.connections()).toBe(2);
    // One more waits, and gets the slot of the one that is answered.
    const waiting = ask(gateway.url, way, false);
    await sleep(30);
    for (const answer of held.splice(0)) answer();
    await eventually(() => held.length === 1, 'the one that waited is sent');
    held[0]?.();
    const served = (await Promise.all([...asked, waiting])).filter((response) => !refused.includes(response));
    expect(served.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const response of served) await response.text();
  });

  test('a caller who leaves before its turn leaves no keep-alive behind', async () => {
    const upstream = await faultUpstream();
    const held: (() => void)[] = [];
    upstream.script((wire) => {
      held.push(() => wire.answer(200, streamedAnswer(other.spoken)));
    });
    const vendors = vendorsAtUrl(upstream.url);
    const gateway = await gatewayTo(upstream.url, {
      vendors: { ...vendors, openai: { ...vendors['openai'], connections: 1 } },
      timeouts: { pool: 5_000, hold: 200, keepAlive: KEEP_ALIVE },
    });
    const begun = vi.spyOn(globalThis, 'setInterval');
    const ended = vi.spyOn(globalThis, 'clearInterval');
    /** The timers of keep-alives that have begun and not ended. */
    const running = (): number =>
      begun.mock.results.filter(
        ({ value }, at) =>
          begun.mock.calls[at]?.[1] === KEEP_ALIVE && !ended.mock.calls.some(([timer]) => timer === value),
      ).length;
    try {
      const first = ask(gateway.url, other, true);
      await eventually(() => held.length === 1, 'the first request has the only slot');
      const leaving = new AbortController();
      const left = ask(gateway.url, other, true, { signal: leaving.signal }).catch(() => undefined);
      await sleep(50);
      leaving.abort();
      await left;
      // Longer than a head is held back.
      await sleep(400);
      for (const answer of held.splice(0)) answer();
      await (await first).text();
      await eventually(() => running() === 0, 'no keep-alive is left');
    } finally {
      vi.restoreAllMocks();
    }
  });

  test('requests that are refused before they are sent take no slot', async () => {
    const upstream = await faultUpstream();
    upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions')));
    const vendors = vendorsAtUrl(upstream.url);
    const gateway = await gatewayTo(upstream.url, {
      vendors: { ...vendors, openai: { ...vendors['openai'], connections: 1 } },
      timeouts: { pool: 3_000 },
    });
    const unsaid = { ...JSON.parse(other.body(false)), messages: 'Hello' };
    for (const [body, status] of [
      [JSON.stringify(unsaid), 400],
      [other.body(false), 200],
    ] as const) {
      const response = await ask(gateway.url, other, false, { body });
      expect(response.status).toBe(status);
      await response.text();
    }
  });
});

test('U-37 a vendor that does not read its request: 504, and the connection is closed', async () => {
  let socket: Socket | undefined;
  const server = createServer({ pauseOnConnect: true }, (accepted) => {
    socket = accepted.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const gateway = await gatewayTo(`http://127.0.0.1:${port}`, { timeouts: { firstByte: 300 } });
  const messages = [{ role: 'user', content: 'x'.repeat(20_000_000) }];
  const response = await ask(gateway.url, way, false, {
    body: JSON.stringify({ model: 'openai/gpt-4o', messages }),
  });
  expect(response.status).toBe(504);
  await response.text();
  socket?.resume();
  await eventually(() => socket?.destroyed === true, 'the connection is closed');
  await new Promise((resolve) => server.close(resolve));
});
