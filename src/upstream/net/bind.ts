/** How a Node server gets its port, and the URL that it then has. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export interface Address {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

/** Where to listen. In a worker process, `exclusive` keeps the port from being shared. */
interface Place extends Address {
  readonly exclusive?: boolean;
}

/** Listens. @returns the port. @throws Error if the port is taken. */
export async function bind(server: Server, { host, port, exclusive = false }: Place): Promise<number> {
  server.listen({ host, port, exclusive });
  await once(server, 'listening');
  return getPort(server);
}

/** The port on which a server listens. @throws TypeError if it listens on none. */
export function getPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server listens on no port.');
  return address.port;
}

/** Tries an address. @throws Error if nothing can listen there: its port is taken, or it is not this machine's. */
export async function tryAddress({ host, port }: Address): Promise<void> {
  const probe = createServer();
  await bind(probe, { host, port, exclusive: true });
  await new Promise((closed) => probe.close(closed));
}

/** The URL of an address: https if it has a certificate. */
export function formatUrl({ host, port, tls }: Address & { readonly tls?: object | undefined }): string {
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
