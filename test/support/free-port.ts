/** Ports for what is started later: they are free until then. */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { bind } from '../../src/upstream/net/bind.ts';

/** Below the ports that systems pick for connections and for port 0: from 32768 on Linux, from 49152 elsewhere. */
const LOWEST = 12_000;
const PICKED_BY_SYSTEM = 32_768;

/** A free port of this machine that the system gives to nobody else meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const probe = createServer();
    try {
      const port = await bind(probe, { host: '127.0.0.1', port: randomInt(LOWEST, PICKED_BY_SYSTEM) });
      await new Promise((closed) => probe.close(closed));
      return port;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
}
