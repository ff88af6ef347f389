/** How the gateway's server comes to its port: by listhen, and in a worker without it. */

import cluster from 'node:cluster';
import { createServer, type RequestListener, type Server } from 'node:http';
import { listen as listhen } from 'listhen';
import { isLoopback } from '../loopback.ts';
import { type Address, bind } from './bind.ts';

/** Listens by listhen. @throws Error where the port is taken: another one is never chosen silently. */
export async function listen(respond: RequestListener, { host, port }: Address): Promise<Server> {
  if (cluster.isWorker) return listenAsWorker(respond, { host, port });
  const { server } = await listhen(respond, {
    hostname: host,
    port: { port, random: port === 0 },
    // Where it shows the server to other machines, listhen must be told that this is meant.
    public: !isLoopback(host),
    // Its own ending is process.exit, in the middle of every live stream.
    autoClose: false,
    showURL: false,
    open: false,
    clipboard: false,
    isTest: false,
    isProd: true,
  });
  return server;
}

/**
 * listhen tries a port before it takes it: it listens, and closes again. In the first worker there is, that takes the
 * port from the whole cluster (Node's lib/internal/cluster/round_robin_handle.js removes a handle that no worker has),
 * and a connection that was just handed to it is never answered.
 */
async function listenAsWorker(respond: RequestListener, address: Address): Promise<Server> {
  const server = createServer(respond);
  await bind(server, address);
  return server;
}
