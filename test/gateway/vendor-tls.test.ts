/** A vendor with an authority of its own, which asks for a certificate of the gateway. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { agentOptions } from '../../src/config/vendors.ts';
import { openAgent } from '../../src/upstream/agent.ts';
import { bind } from '../../src/upstream/net/bind.ts';
import { ask, native, wholeAnswer } from '../faults/upstream-ways.ts';
import { startFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway } from '../support/gateway.ts';

const FOLDER = join(import.meta.dirname, '../faults/tls');
const pem = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const [ca, cert, key] = [pem('ca.pem'), pem('good.pem'), pem('server.key')];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** A proxy that connects every name to a port of this machine. @returns its address. */
async function openTunnel(port: number): Promise<string> {
  const server = createServer().on('connect', (_, socket) => {
    socket.on('error', () => undefined);
    const tunnel = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    }).on('error', () => socket.destroy());
  });
  const at = await bind(server, { host: '127.0.0.1', port: 0 });
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  return `http://127.0.0.1:${at}`;
}

/** A gateway for a vendor of this TLS. @param proxied whether there is a proxy on the way. */
async function gatewayTo(server: TlsOptions, tls: object, proxied = false) {
  const upstream = await startFaultUpstream({ cert, key, ...server });
  open.push(upstream);
  upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions')));
  const input: ConfigInput = {
    vendors: { openai: { baseUrl: `https://vendor.test:${upstream.port}/v1`, apiKey: 'k', tls } },
    retries: { limit: 0 },
    ...(proxied && { proxy: { url: await openTunnel(upstream.port) } }),
  };
  const config = configSchema.parse(input);
  const gateway = await startGateway(input, undefined, (made) => ({
    ...made,
    agent: openAgent({
      ...agentOptions(config),
      lookup: (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    }),
  }));
  open.push(gateway);
  return { gateway, upstream };
}

const status = async (server: TlsOptions, tls: object, proxied?: boolean): Promise<number> => {
  const { gateway } = await gatewayTo(server, tls, proxied);
  const response = await ask(gateway.url, native[0], false);
  await response.text();
  return response.status;
};

const ASKS = { ca, requestCert: true, rejectUnauthorized: true };

describe.each([false, true])('through a proxy: %s', (proxied) => {
  test('a certificate that only its own authority signed is trusted by that vendor alone', async () => {
    expect(await status({}, { ca }, proxied)).toBe(200);
    expect(await status({}, {}, proxied)).toBe(502);
  });

  test('a vendor that asks for a certificate gets it', async () => {
    expect(await status(ASKS, { ca, cert, key }, proxied)).toBe(200);
    expect(await status(ASKS, { ca }, proxied)).toBe(502);
  });
});
