/** The admin API's listener: never that of the data, and on this machine alone unless it is told otherwise. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { type Address, bind, urlOf } from '../../../upstream/net/bind.ts';

export interface RunningAdmin {
  readonly url: string;
  close(): Promise<void>;
}

/** How long live answers may still take at the end, in milliseconds. */
const LAST_MOMENT = 1_000;

/** @throws Error where the port is taken. */
export async function serveAdmin(app: H3, address: Address): Promise<RunningAdmin> {
  const server = createServer(toNodeHandler(app));
  // Bodies are read by `readBody`, which tells a caller who waits for that to go on.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const port = await bind(server, address);
  return {
    url: urlOf({ host: address.host, port }),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const limit = setTimeout(() => server.closeAllConnections(), LAST_MOMENT);
      await closed;
      clearTimeout(limit);
    },
  };
}
