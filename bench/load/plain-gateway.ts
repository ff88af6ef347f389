/**
 * `node plain-gateway.ts`, with PORT: the gateway with all that a start opens beside it, and with nothing of it on the
 * request path: no usage is read or recorded, nothing is logged, counted or limited. No configuration can turn all of
 * that off. Opened it is all the same, so that this process differs from a watched one in what it does and in nothing
 * else: what is in a heap, and where, alone makes one a few percent faster than another.
 */

import { openAccounts } from '../../src/accounts.ts';
import { openAdmin } from '../../src/admin/open-admin.ts';
import { readSettings } from '../../src/config/load.ts';
import { openGateway } from '../../src/open.ts';
import { startServing } from '../../src/serving.ts';
import { openConfiguredStore } from '../../src/store/configured-store.ts';
import { openWatching } from '../../src/watching.ts';

const tell = (message: string): void => console.error(message);
const { config } = await readSettings(process.env, process.cwd());
const store = await openConfiguredStore(config.store, process.cwd(), tell);
const accounts = await openAccounts(store, config, tell);
const watching = await openWatching(config, process.env, accounts, true, tell);
await openAdmin(config.admin, store, { onKeys: accounts.refresh, add: () => {} });
const gateway = await openGateway(config, { keys: accounts.keys });
watching.follow(await startServing({ config, ...gateway }, tell));
