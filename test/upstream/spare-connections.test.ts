/** Connections to vendors that are opened ahead, after a caller has left a stream. */

import type { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { agentOptions } from '../../src/config/vendors.ts';
import { openAgent } from '../../src/upstream/agent.ts';
import type { Resolve } from '../../src/upstream/shared-lookups.ts';
import { ask, native, streamedAnswer, wholeAnswer } from '../faults/upstream-ways.ts';
import { type FaultUpstream, type Script, startFaultUpstream, type Wire } from '../support/fault-upstream.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { eventually, post, type RawClient, rawClient } from '../support/raw.ts';
import { pem, startTunnel, toHere } from '../support/vendor-test.ts';

const TLS = { cert: pem('good.pem'), key: pem('server.key') };
const [way] = native;
/** With the first content: what comes before it is held. */
const OPENING = streamedAnswer(way.spoken)
  .split(/(?<=\n\n)/)
  .slice(0, 2)
  .join('');

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const each of open.splice(0).reverse()) await each.close();
});

/** A vendor whose streams begin and do not end, and whose whole answers are good. */
async function startVendor(tls?: typeof TLS): Promise<FaultUpstream> {
  const upstream = await startFaultUpstream(tls);
  open.push(upstream);
  upstream.script(begin);
  return upstream;
}

const begin: Script = (wire, { body }) =>
  body.includes('"stream":true') ? wire.stream([OPENING]) : wire.answer(200, wholeAnswer(way.spoken));

async function start(input: ConfigInput, lookup?: Resolve): Promise<TestGateway> {
  const settings = { retries: { limit: 0 }, ...input };
  const agent = lookup && openAgent({ ...agentOptions(configSchema.parse(settings)), lookup });
  if (agent !== undefined) open.push({ close: () => agent.destroy() });
  const gateway = await startGateway(settings, undefined, (made) => (agent ? { ...made, agent } : made));
  open.push(gateway);
  return gateway;
}

/** Asks for a stream, which has begun to arrive when this resolves. */
async function stream({ url }: TestGateway): Promise<RawClient> {
  const client = rawClient(Number(new URL(url).port), post(way.path(true), way.body(true)));
  await client.until((text) => text.includes('data: '));
  return client;
}

async function leave(client: RawClient): Promise<void> {
  client.socket.destroy();
  await client.over;
}

/** Asks for a whole answer. @returns its status. */
async function whole({ url }: TestGateway): Promise<number> {
  const response = await ask(url, way, false);
  await response.text();
  return response.status;
}

/** @returns the address of a proxy to a port of this machine. */
async function openTunnel(port: number): Promise<string> {
  const tunnel = await startTunnel(port);
  open.push(tunnel);
  return tunnel.url;
}

describe.each(['TCP', 'TLS', 'TLS through a proxy'])('U-53 a caller leaves, over %s', (kind) => {
  test('a connection is open before the next request, which uses it', async () => {
    const upstream = await startVendor(kind === 'TCP' ? undefined : TLS);
    const baseUrl = `${kind === 'TCP' ? 'http' : 'https'}://vendor.test:${upstream.port}/v1`;
    const gateway = await start(
      {
        vendors: { openai: { baseUrl, apiKey: 'k', ...(kind !== 'TCP' && { tls: { ca: pem('ca.pem') } }) } },
        ...(kind === 'TLS through a proxy' && { proxy: { url: await openTunnel(upstream.port) } }),
      },
      toHere,
    );
    // Again and again, for undici's Agent has another pool for the origin each time.
    for (const round of [1, 2, 3]) {
      const left = await stream(gateway);
      expect(upstream.connections()).toBe(round);
      await leave(left);
      await eventually(() => upstream.connections() === round + 1, 'the next connection is opened');
      await eventually(() => upstream.open() === 1, 'the aborted one is closed');
      expect(upstream.requests).toHaveLength(round);
    }
    expect(upstream.requests.every(({ earlier }) => earlier === 0)).toBe(true);
    // The last spare serves whole answers, which end well, and so there is no further connection.
    for (const _ of [1, 2, 3]) expect(await whole(gateway)).toBe(200);
    expect(upstream.connections()).toBe(4);
    expect(upstream.requests.map(({ earlier }) => earlier)).toEqual([0, 0, 0, 0, 1, 2]);
  });
});

/** Lets the sockets of this process, on both sides, notice what has been sent. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

test('U-53 a connection that nobody uses is closed as any other without a request', async () => {
  const upstream = await startVendor();
  const client = await stream(await start({ vendors: vendorsAtUrl(upstream.url) }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  client.socket.destroy();
  while (upstream.connections() < 2 || upstream.open() > 1) await turns();
  await turns();
  await vi.advanceTimersByTimeAsync(3_999);
  await turns();
  expect(upstream.open()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  while (upstream.open() > 0) await turns();
  expect(upstream.connections()).toBe(2);
});

describe('U-53 no connection is opened ahead', () => {
  test('when the next request finds an idle one, nor for a second abort', async () => {
    const upstream = await startVendor();
    const gateway = await start({ vendors: vendorsAtUrl(upstream.url) });
    const wires: Wire[] = [];
    upstream.script((wire, request) => {
      wires.push(wire);
      return begin(wire, request);
    });
    const first = await stream(gateway);
    const second = await stream(gateway);
    const third = await stream(gateway);
    wires[0]?.chunk(streamedAnswer(way.spoken).slice(OPENING.length));
    wires[0]?.lastChunk();
    await first.until((text) => text.includes('\r\n0\r\n\r\n'));
    await leave(second);
    await eventually(() => upstream.open() === 2, 'the second is closed');
    expect(await whole(gateway)).toBe(200);
    expect(upstream.connections()).toBe(3);

    const [fourth, fifth] = [await stream(gateway), await stream(gateway)];
    expect(upstream.connections()).toBe(4);
    for (const each of [fourth, fifth, third]) await leave(each);
    await eventually(() => upstream.connections() === 5 && upstream.open() === 1, 'one is opened ahead');
    expect(await whole(gateway)).toBe(200);
    expect(upstream.connections()).toBe(5);
    await leave(first);
  });

  test('to an address that must not be connected to, nor again after an attempt has failed', async () => {
    const upstream = await startVendor();
    const here = { address: '127.0.0.1', family: 4 };
    const found: Parameters<Parameters<Resolve>[2]>[] = [
      [null, [here]],
      [null, [{ address: '169.254.169.254', family: 4 }]],
      [null, [here]],
      [null, [here]],
      [new Error('getaddrinfo ENOTFOUND vendor.test'), []],
    ];
    let lookups = 0;
    const lookup: Resolve = (_, __, callback) => {
      const result = found[lookups];
      lookups += 1;
      callback(...(result ?? [null, [here]]));
    };
    const gateway = await start({ vendors: vendorsAtUrl(`http://vendor.test:${upstream.port}`) }, lookup);
    await leave(await stream(gateway));
    await eventually(() => lookups === 2 && upstream.open() === 0, 'the address is refused');
    expect(upstream.connections()).toBe(1);

    const [one, two] = [await stream(gateway), await stream(gateway)];
    expect(lookups).toBe(4);
    await leave(one);
    await eventually(() => lookups === 5, 'the next attempt fails');
    await leave(two);
    await eventually(() => upstream.open() === 0, 'both are closed');
    await turns();
    expect(lookups).toBe(5);
    // The next request looks for itself, and nothing of the failed attempt is left.
    expect(await whole(gateway)).toBe(200);
    expect(upstream.connections()).toBe(4);
  });
});

test('U-53 a gateway that ends closes a connection that waits, and opens none for what it cuts off', async () => {
  const upstream = await startVendor();
  const gateway = await start({ vendors: vendorsAtUrl(upstream.url) });
  await leave(await stream(gateway));
  await eventually(() => upstream.connections() === 2 && upstream.open() === 1, 'one waits');
  await gateway.close();
  await eventually(() => upstream.open() === 0, 'it is closed');

  const other = await start({ vendors: vendorsAtUrl(upstream.url) });
  await stream(other);
  await other.close();
  await eventually(() => upstream.open() === 0, 'the stream is closed');
  await turns();
  expect(upstream.connections()).toBe(3);
});

test('U-53 the gateway aborts an answer that takes too long: no connection is opened ahead', async () => {
  const upstream = await startVendor();
  const gateway = await start({ vendors: vendorsAtUrl(upstream.url), timeouts: { idle: 50 } });
  const client = await stream(gateway);
  await client.until((text) => text.includes('"code":"upstream_timeout"'));
  await eventually(() => upstream.open() === 0, 'the answer is aborted');
  await turns();
  expect(upstream.connections()).toBe(1);
  await leave(client);
});

test('U-53 an idle connection is of no use behind a closed one, for undici takes the first free client', async () => {
  const upstream = await startVendor();
  const gateway = await start({ vendors: vendorsAtUrl(upstream.url) });
  const first = await stream(gateway);
  expect(await whole(gateway)).toBe(200);
  expect(upstream.connections()).toBe(2);
  await leave(first);
  await eventually(() => upstream.connections() === 3 && upstream.open() === 2, 'one is opened ahead');
  expect(await whole(gateway)).toBe(200);
  expect(upstream.connections()).toBe(3);
});

test.each([
  ['closes it', (socket?: Socket) => socket?.end()],
  [
    'answers before it is asked',
    (socket?: Socket) => socket?.write('HTTP/1.1 408 Late\r\ncontent-length: 0\r\n\r\n'),
  ],
])('U-53 a connection that waits, and the vendor %s: the next request gets another one', async (_, act) => {
  const upstream = await startVendor();
  const gateway = await start({ vendors: vendorsAtUrl(upstream.url) });
  await leave(await stream(gateway));
  await eventually(() => upstream.connections() === 2 && upstream.open() === 1, 'one waits');
  act(upstream.newest());
  await turns();
  expect(await whole(gateway)).toBe(200);
  expect(upstream.connections()).toBe(3);
});
