/** Ports that the system gives to nobody: for what is started later, and for what never is. */

import { randomInt } from 'node:crypto';
import { errorCode } from '../../src/lib/error-code.ts';
import { tryAddress } from '../../src/upstream/net/bind.ts';

/** Below the ports that systems pick for connections and for port 0: from 32768 on Linux, from 49152 elsewhere. */
const LOWEST = 12_000;
const PICKED_BY_SYSTEM = 32_768;

/**
 * An address that refuses every connection. The port of a server that was closed would not do: the system
 * may give it to the next server that any test starts.
 */
export const CLOSED = { port: LOWEST - 1, url: `http://127.0.0.1:${LOWEST - 1}` };

/** A free port of this machine that the system gives to nobody else meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, PICKED_BY_SYSTEM);
    try {
      await tryAddress({ host: '127.0.0.1', port });
      return port;
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error;
    }
  }
}
