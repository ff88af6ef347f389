/**
 * `node plain-gateway.ts`, with PORT: the gateway as its configuration in this folder has it, but watched by nobody:
 * no usage is recorded, nothing is logged, counted or traced. No configuration can turn all of that off.
 */

import { readSettings } from '../../src/config/load.ts';
import { openGateway } from '../../src/open.ts';
import { startServing } from '../../src/serving.ts';

const { config } = await readSettings(process.env, process.cwd());
await startServing({ config, ...(await openGateway(config)) }, (message) => console.error(message));
