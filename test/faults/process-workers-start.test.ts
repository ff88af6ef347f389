/** Several processes behind one port, from the first moment at which somebody can connect. */

import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../src/server/bind.ts';
import { spawnGateway } from '../support/process.ts';
import { rawClient } from '../support/raw.ts';

/** How long a connection that was made waits for its answer, in milliseconds. */
const PATIENCE = 5_000;

/** A port that is only tried turns away who has come. */
type Outcome = 'answered' | 'turned away' | 'left waiting';

async function knock(port: number): Promise<Outcome> {
  const caller = rawClient(port, 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const said = await Promise.race([caller.over, wait(PATIENCE, undefined, { ref: false })]);
  caller.socket.destroy();
  if (said === undefined) return 'left waiting';
  return said.startsWith('HTTP/1.1 200 ') ? 'answered' : 'turned away';
}

test('P-20 whoever connects while the workers start is answered, or turned away at once', {
  timeout: 60_000,
}, async () => {
  const port = await freePort('127.0.0.1', 0);
  const knocks: Promise<Outcome>[] = [];
  let started = false;
  const starting = spawnGateway({ workers: 2, port });
  const knocking = (async () => {
    while (!started) {
      knocks.push(knock(port));
      await wait(1);
    }
  })();
  const gateway = await starting;
  try {
    await wait(500);
    started = true;
    await knocking;
    expect(new Set(await Promise.all(knocks))).toEqual(new Set(['turned away', 'answered']));
  } finally {
    started = true;
    await gateway.close();
  }
});
