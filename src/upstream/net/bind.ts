/** How a server of Node's comes to its port, and what that is then called. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export interface Address {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Where to listen; `exclusive`: in a worker, for itself alone. */
interface Place extends Address {
  readonly exclusive?: boolean;
}

/** Listens. @returns the port it came to. @throws Error where that is taken. */
export async function bind(server: Server, { host, port, exclusive = false }: Place): Promise<number> {
  server.listen({ host, port, exclusive });
  await once(server, 'listening');
  return portOf(server);
}

/** The port on which a server listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server listens on no port.');
  return address.port;
}

/** A port that is free: `port`, or any for 0. @throws Error where it is taken. */
export async function freePort(host: string, port: number): Promise<number> {
  const probe = createServer();
  const bound = await bind(probe, { host, port, exclusive: true });
  await new Promise((closed) => probe.close(closed));
  return bound;
}

/** What a browser calls it. */
export function urlOf({ host, port }: Address): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
