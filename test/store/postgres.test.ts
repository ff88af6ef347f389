/** PostgreSQL addresses, as PostgreSQL's own clients accept them. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { openStore } from '../../src/store/store.ts';
import { getPort } from '../../src/upstream/net/bind.ts';

test.each([
  'postgres://gateway:secret@/usage?host=/nowhere/project:region:name',
  'postgresql://gateway:secret@%2Fnowhere%2Fproject:5432/usage',
])('a socket in a directory is a valid address: %s', async (address) => {
  const { store } = configSchema.parse({ store: { url: address } });
  await expect(openStore({ path: '', url: store.url ?? '' })).rejects.toThrow(
    /ENOENT \/nowhere\/project.*\.PGSQL\.5432/,
  );
});

test('an address that its password would cut short is rejected with advice', () => {
  const { error } = configSchema.safeParse({ store: { url: 'postgres://gateway:sec#ret@127.0.0.1/usage' } });
  expect(error?.issues[0]?.message).toMatch(/password.*%40/);
});

test.each(['require', 'prefer', 'verify-full'])(
  'an untrusted server certificate is rejected with advice: %s',
  async (mode) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const url = `postgres://gateway@127.0.0.1:${await untrusted()}/usage?sslmode=${mode}`;
    await expect(openStore({ path: '', url })).rejects.toThrow(/self-signed certificate.*sslmode=no-verify/s);
    expect(warnings).toEqual([]);
  },
);

/** A PostgreSQL server with a self-signed certificate. @returns its port. */
async function untrusted(): Promise<number> {
  const [key, cert] = ['server.key', 'self-signed.pem'].map((name) =>
    readFileSync(new URL(`../faults/tls/${name}`, import.meta.url)),
  );
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // A client first asks whether the server supports TLS (PostgreSQL's documentation, "Message Flow",
    // SSLRequest).
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {});
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return getPort(server);
}
