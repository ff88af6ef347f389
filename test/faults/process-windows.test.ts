/**
 * What is different on Windows, simulated: the process takes its machine for Windows from the moment at which it waits
 * for signals.
 */

import { afterEach, expect, test } from 'vitest';
import { preload } from '../support/preload.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';
import { eventually } from '../support/raw.ts';

/** Not before that: packages choose their path handling by the platform too. */
const ON_WINDOWS = preload(`
  const on = process.on;
  process.on = function (name, listener) {
    if (name === 'SIGTERM') Object.defineProperty(process, 'platform', { value: 'win32' });
    return on.call(this, name, listener);
  };
`);

let running: GatewayProcess | undefined;
afterEach(() => running?.close());

test.each([1, 2])(
  'closing the console ends the gateway in it, and does not reload its configuration: workers: %s',
  async (workers) => {
    const gateway = await spawnGateway({ workers }, ON_WINDOWS);
    running = gateway;
    await eventually(() => gateway.output().includes('Console: '), 'it has started');
    gateway.signal('SIGHUP');
    expect(await gateway.ended).toBe(0);
  },
);
