/**
 * `node switched-gateway.ts`, with PORT: a gateway with everything that a start opens.
 * `http://127.0.0.1:PORT+1/WAY` selects how the next requests are recorded. All ways run in one process: two
 * processes that do the very same differ by a tenth, because of the layout of their heaps.
 */

import { createServer } from 'node:http';
import { readSettings } from '../../src/config/load.ts';
import { openAdmin } from '../../src/server/http/admin/open-admin.ts';
import { openGateway } from '../../src/server/open-gateway.ts';
import { openObservability } from '../../src/server/process/observability.ts';
import { startServing } from '../../src/server/process/serving.ts';
import { openStoreAccess } from '../../src/server/process/store-access.ts';
import { openConfiguredStore } from '../../src/store/configured-store.ts';
import { WorkerThread } from '../../src/store/threads/worker-thread.ts';

/** No recording; as a start has it; and with limits on the caller's key. */
export type Way = 'unwatched' | 'watched' | 'limited';

const tell = (message: string): void => console.error(message);
const { config } = await readSettings(process.env, process.cwd());
const thread = new WorkerThread();
const store = await openConfiguredStore(config.store, process.cwd(), tell, thread);
const accounts = await openStoreAccess(store, config, { info: tell, problem: tell });
const watching = await openObservability(
  config,
  process.env,
  { accounts, thread, isOnlyProcess: true },
  { info: tell, problem: tell },
);
await openAdmin(config, store, { info: tell, problem: tell, onKeys: accounts.refresh, add: () => {} });

const { keys, limits } = accounts.gatewayOptions;
const unlimited = { ...config, keys: config.keys.map(({ limits: _, ...key }) => key) };
const ways = new Map<string, Awaited<ReturnType<typeof openGateway>>>(
  Object.entries({
    unwatched: await openGateway(unlimited, { keys }),
    watched: await openGateway(unlimited, { keys, ...watching.gatewayOptions }),
    limited: await openGateway(config, { keys, limits, ...watching.gatewayOptions }),
  } satisfies Record<Way, unknown>),
);

const opened = (way: string) => {
  const gateway = ways.get(way);
  if (gateway === undefined) throw new TypeError(`There is no way ${way}.`);
  // A gateway that is no longer served is closed, but this one will be served again.
  return { config, ...gateway, close: async () => {} };
};
const serving = await startServing(opened('unwatched'), tell);
watching.observe(serving);
createServer(({ url = '' }, response) => {
  serving.replace(opened(url.slice(1)));
  response.end();
}).listen(Number(process.env['PORT']) + 1, '127.0.0.1');
