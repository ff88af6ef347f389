/** A vendor with an authority of its own, which asks for a certificate of the gateway. */

import type { TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../src/config/schema.ts';
import { agentOptions } from '../../src/config/vendors.ts';
import { openAgent } from '../../src/upstream/agent.ts';
import { ask, native, wholeAnswer } from '../faults/upstream-ways.ts';
import { startFaultUpstream } from '../support/fault-upstream.ts';
import { startGateway } from '../support/gateway.ts';
import { pem, startTunnel, toHere } from '../support/vendor-test.ts';

const [ca, cert, key] = [pem('ca.pem'), pem('good.pem'), pem('server.key')];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

/** A gateway for a vendor of this TLS. @param proxied whether there is a proxy on the way. */
async function gatewayTo(server: TlsOptions, tls: object, proxied = false) {
  const upstream = await startFaultUpstream({ cert, key, ...server });
  open.push(upstream);
  upstream.script((wire) => wire.answer(200, wholeAnswer('chat-completions')));
  const tunnel = proxied ? await startTunnel(upstream.port) : undefined;
  if (tunnel) open.push(tunnel);
  const input: ConfigInput = {
    vendors: { openai: { baseUrl: `https://vendor.test:${upstream.port}/v1`, apiKey: 'k', tls } },
    retries: { limit: 0 },
    ...(tunnel && { proxy: { url: tunnel.url } }),
  };
  const config = configSchema.parse(input);
  const gateway = await startGateway(input, undefined, (made) => ({
    ...made,
    agent: openAgent({ ...agentOptions(config), lookup: toHere }),
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
