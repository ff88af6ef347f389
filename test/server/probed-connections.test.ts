/** The system probes the connections of callers, so that they are neither forgotten on their way nor outlive them. */

import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { freePort } from '../support/free-port.ts';
import { hasProbes } from '../support/in-kernel.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';
import { eventually } from '../support/raw.ts';

const file = (name: string): string => join(import.meta.dirname, '../faults/tls', name);
const tls = { certFile: file('good.pem'), keyFile: file('server.key') };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Starts a gateway. */
async function start(config: ConfigInput): Promise<GatewayProcess> {
  const gateway = await spawnGateway(config);
  open.push(gateway);
  return gateway;
}

/** Connects to a port, and finds that the other side of the connection is probed. */
async function expectProbes(port: number, secure: boolean): Promise<void> {
  const at = { port, host: '127.0.0.1' };
  const caller = secure ? connectSecurely({ ...at, rejectUnauthorized: false }) : connect(at);
  try {
    await eventually(() => hasProbes(caller), 'the gateway probes the caller', 5_000);
  } finally {
    caller.destroy();
  }
}

test.each<[string, ConfigInput]>([
  ['one process', {}],
  ['several workers', { workers: 2 }],
  ['TLS', { tls }],
])('callers of %s', async (_, config) => {
  const { port } = await start(config);
  await expectProbes(port, config.tls !== undefined);
});

test.each<[string, ConfigInput['admin']]>([
  ['http', {}],
  ['https', { tls }],
])('callers of the admin listener, %s', async (_, admin) => {
  const port = await freePort();
  const gateway = await start({ admin: { key: 'admin-key-of-the-tests', port, ...admin } });
  await eventually(() => gateway.output().includes(`:${port}`), 'it serves');
  await expectProbes(port, admin?.tls !== undefined);
});
