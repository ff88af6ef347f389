/** The vendor `vendor.test`, for tests over TLS: its certificates, and the ways to it on this machine. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { bind } from '../../src/upstream/net/bind.ts';
import type { Resolve } from '../../src/upstream/shared-lookups.ts';

/** A file of test/faults/tls: `good.pem` is for `vendor.test`, by the authority `ca.pem`. */
export const pem = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../faults/tls', name), 'utf8');

/** Resolves every name to this machine. */
export const toHere: Resolve = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

/** Starts a proxy that connects every name to a port of this machine. */
export async function startTunnel(port: number): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer().on('connect', (_, socket) => {
    socket.on('error', () => undefined);
    const tunnel = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    }).on('error', () => socket.destroy());
    socket.once('close', () => tunnel.destroy());
  });
  const at = await bind(server, { host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${at}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
